"""Which nodes the relative tier uses: what is left out, and the angles of what is kept."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

from kernels.numerics.nodes.survivors import SOFTEST
from kernels.numerics.relative.selection import _unwrapped, heaviest, select, softness
from kernels.numerics.relative.tilt import Tilt
from tests.kernels.numerics.scan import SMALL, log_phi, plan_of, scan
from tests.kernels.numerics.tilting import ONE
from tests.reference.census import pair_cells


@pytest.mark.parametrize("name", ["three kinds", "narrow and wide", "only narrow", "odd N"])
def test_softness_bounds_phi_of_the_scaled_composition(name: str) -> None:
    cells = SMALL[name]
    plan = plan_of(cells)
    every = scan(plan, cells)
    norm = every.f**2 @ (plan.factors.count * plan.factors.decay)
    assert softness(plan, ONE) == 1.0
    for scale in (F(1001, 1000), F(8, 7), F(4, 3), F(3)):
        phi = log_phi(every.f, [rho * scale for rho in cells], list(cells.values()))
        assert np.all(phi <= -softness(plan, scale) * norm + 1e-9)


@pytest.mark.parametrize("name", ["three kinds", "odd N", "census"])
def test_selected_nodes_carry_their_angles(name: str) -> None:
    cells = SMALL[name]
    plan = plan_of(cells)
    size = 2 * plan.modulus
    nodes = select(plan, SOFTEST)
    for i, q in enumerate(nodes.turn):
        p = round(sum(F(float(part)) for part in q) * 2 * size)
        residues = [weight * p % size for weight in plan.weights]
        angles = [F(r if r <= plan.modulus else r - size, size) for r in residues]
        assert np.allclose(nodes.f[i], [float(f) for f in angles], rtol=2.0**-50, atol=0)
        summed = sum(count * f for count, f in zip(cells.values(), angles, strict=True))
        assert nodes.f_sum[i] == pytest.approx(float(summed), rel=0, abs=2.0**-44 * sum(cells.values()))
        assert nodes.unwrapped[i] == (summed == F(plan.width * p, size))
        assert nodes.weight[i] == pytest.approx((1 if p == plan.modulus else 2) / plan.modulus, rel=1e-15)


def test_a_sum_of_turns_too_long_for_doubles_counts_as_wrapped() -> None:
    turn, f = np.array([[2.0**-10, 0.0, 0.0]]), np.array([[2.0**-9]])
    assert _unwrapped(turn, f, np.array([1.0]), 1.0)[0]
    assert not _unwrapped(turn, f, np.array([2.0**60]), 2.0**60)[0]


def test_heaviest_nodes_come_first_and_promise_nothing() -> None:
    plan = plan_of(pair_cells("001111", "010010"))
    nodes = select(plan, SOFTEST)
    some = heaviest(nodes)
    assert len(nodes.f) > 200 == len(some.f)
    assert np.array_equal(some.turn, nodes.turn[:200])
    assert some.left_out.plain == math.inf
    assert heaviest(some) is some
    tilt = Tilt(plan, nodes)
    point = tilt.first_point(F(5))
    rough, fine = tilt.rough().tails([point]), tilt.tails([point])
    assert rough.mantissa[0, 2] == pytest.approx(fine.mantissa[0, 2], rel=1e-6)
    assert rough.error[0].min() == math.inf
