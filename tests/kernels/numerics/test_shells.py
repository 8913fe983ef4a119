"""Plans that leave out more than 1e-35 allows, against scans of all nodes and exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F

import numpy as np
import pytest

from kernels.numerics.absolute.trapezoid import quadrature, tails
from kernels.numerics.nodes import plan as sieve
from kernels.numerics.nodes.lattice import node_lattice, short_points
from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.residues import resolve
from kernels.numerics.nodes.shells import Weight, _log_theta, choose_bounds, left_out, make_shells
from kernels.numerics.nodes.survivors import SOFTEST
from kernels.numerics.relative.selection import select, softness
from kernels.numerics.relative.tilt import Tilt
from tests.kernels.numerics.exact import integer
from tests.kernels.numerics.scan import SMALL, log_phi, nodes_of, plan_of, scan
from tests.kernels.numerics.test_lattice import spent
from tests.kernels.numerics.tilting import check_points
from tests.reference.cells import Cells
from tests.reference.census import pair_cells
from tests.reference.convolution import ConvolutionTail

Planner = Callable[[str], Plan]

#: Compositions, and how many angles (nodes times distinct rhos) their plans may use.
CASES: dict[str, tuple[Cells, int]] = {
    "three kinds": (SMALL["three kinds"], 60),
    "two lattices": (SMALL["two lattices"], 40),
    "narrow and wide": (SMALL["narrow and wide"], 60),
    "close lattices": ({F(1, 3): 2, F(101, 300): 3, F(2, 29): 2}, 90),
    "far peaks": ({F(1, 4): 5, F(401, 1600): 5}, 30),
    "census": (pair_cells("000000", "000000"), 200),
}


@pytest.fixture
def plan_with(monkeypatch: pytest.MonkeyPatch) -> Planner:
    def make(name: str) -> Plan:
        cells, most = CASES[name]
        monkeypatch.setattr(sieve, "MOST_ANGLES", most)
        return plan_of(cells, 101)

    return make


@pytest.mark.parametrize("name", CASES)
def test_what_is_left_out_weighs_no_more_than_the_plan_says(name: str, plan_with: Planner) -> None:
    cells = CASES[name][0]
    plan = plan_with(name)
    every = scan(plan, cells)
    kept = nodes_of(plan)
    assert len(set(kept)) == len(kept)
    missing = every.missing(set(kept))
    kernel = every.kernel[missing]
    smooth = kernel * float(plan.spacing) / np.sin(math.pi * every.p[missing] / (2 * plan.modulus))
    phi = np.exp(every.log_phi[missing])
    assert 0.0 < float((kernel * phi).sum()) <= plan.left_out.plain
    assert float((smooth * phi).sum()) <= plan.left_out.smooth
    norm = every.f[missing] ** 2 @ (plan.factors.count * plan.factors.decay)
    for soft in (SOFTEST, 0.7, 0.85, 1.0):
        said = plan.faint.at(soft)
        assert float((kernel * np.exp(-soft * norm)).sum()) <= said.plain
        assert float((smooth * np.exp(-soft * norm)).sum()) <= said.smooth


def test_some_plan_leaves_out_much(plan_with: Planner) -> None:
    assert max(plan_with(name).sieve_bound for name in CASES) > 1e-12


@pytest.mark.parametrize("name", CASES)
def test_nodes_not_selected_for_the_relative_tier(name: str, plan_with: Planner) -> None:
    cells = CASES[name][0]
    plan = plan_with(name)
    every = scan(plan, cells)
    for soft, scale in ((1.0, F(1)), (0.8, F(8, 7)), (SOFTEST, F(4, 3))):
        if softness(plan, scale) < soft:
            continue
        nodes = select(plan, soft)
        missing = every.missing({round(float(q) * 4 * plan.modulus) for q in nodes.turn[:, 0]})
        phi = np.exp(log_phi(every.f[missing], [rho * scale for rho in cells], list(cells.values())))
        sine = np.sin(math.pi * every.p[missing] / (2 * plan.modulus))
        assert float((every.kernel[missing] * phi).sum()) <= nodes.left_out.plain
        assert (
            float((every.kernel[missing] * phi / sine).sum()) * float(plan.spacing) <= nodes.left_out.smooth
        )


@pytest.mark.parametrize("name", [name for name in CASES if name != "census"])
def test_values_lie_within_the_stated_bounds(name: str, plan_with: Planner) -> None:
    """Both tiers, at lattice points from the middle to far out."""
    cells = CASES[name][0]
    plan = plan_with(name)
    rule = quadrature(plan)
    law = ConvolutionTail(cells, bits=400)
    bound = F(plan.truncation_bound + plan.sieve_bound + rule.rounding_bound)
    limit = int(F(plan.reach) / plan.spacing)
    for s in {0, 1, limit // 7, -limit // 5, limit // 3, limit}:
        exact = law.tail_beyond(s * plan.spacing - plan.spacing / 2)
        value = sum(F(float(part)) for part in tails(rule, [2 * s - 1])[0])
        assert exact.lower - bound <= value <= exact.upper + bound
    eps = [plan.total * share for share in (F(0), F(1, 3), F(1), F(2), F(5))]
    check_points(Tilt(plan, select(plan, 1.0)), eps, law, None)


@pytest.mark.parametrize("farthest", [30, 200, 1001])
def test_a_shell_holds_its_nodes(farthest: int) -> None:
    """Every node up to a distance whose norm is within the bound is found from the shell's lattice."""
    weights, modulus, decay, bound = [73, 999, 310], 40_001, [9e4, 6e3, 2e4], 30.0
    shells = make_shells(weights, modulus, decay)
    assert [shell.lattice.farthest for shell in shells][1:] == [shell.nearest for shell in shells][:-1]
    assert shells[0].lattice.farthest == modulus
    assert shells[-1].nearest == 0
    whole = node_lattice(weights, modulus, decay, bound)
    near = node_lattice(weights, modulus, decay, bound, whole, farthest)
    found = {integer(row) for row in resolve(near, weights, short_points(near, bound, 10**5)).p}
    for p in range(1, farthest + 1, 2):
        assert (p in found) or spent(weights, modulus, p, decay) > bound
    assert max(found) <= farthest


def test_bounds_grow_with_what_they_may_cost() -> None:
    weights, modulus, decay = [73, 999, 310], 400_001, [9e4, 6e3, 2e4]
    shells = make_shells(weights, modulus, decay)
    weighed = []
    for most in (10.0, 100.0, 1e4, 1e6):
        bounds = choose_bounds(shells, 1.0, Weight(1e-30, 1e-17), most)
        weighed.append(left_out(shells, bounds, 1.0, 1.0).plain)
    assert weighed == sorted(weighed, reverse=True)
    assert weighed[-1] <= 1e-30 < weighed[0]


@pytest.mark.parametrize("a", [1e-6, 0.3, 0.99, 1.0, 1.5, 7.0, 40.0])
def test_theta_series_is_rounded_up(a: float) -> None:
    ks = np.arange(-20_000, 20_001, dtype=np.float64)
    exact = math.log(math.fsum(np.exp(-a * ks * ks)))
    assert exact * (1 - 1e-14) <= _log_theta(a) <= exact + 1e-3
