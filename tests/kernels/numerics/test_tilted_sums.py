"""Pieces of tilted sums: norms, characteristic functions, amplitudes, window sums, each within its units."""

from __future__ import annotations

import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from flint import acb, arb
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.arithmetic.triple import from_fraction
from kernels.numerics.nodes.theta import factor
from kernels.numerics.relative.tilt import _kernel_growth, _parts
from kernels.numerics.relative.tilted_sums import ROUNDING, X_SIDE, log_norms, tilted_phi, window_kernels
from tests.kernels.numerics.exact import SEEDS, SOME
from tests.kernels.numerics.exact import total as add_up
from tests.kernels.numerics.scan import SMALL
from tests.kernels.numerics.tilting import CASES, exact_norm, exact_phi, tilt_of, tilted, wave
from tests.reference.balls import ball, precision
from tests.reference.cells import Cells


@SOME
@given(
    st.sampled_from([F(100), F(37), F(99, 10), F(98, 10), F(3), F(1, 2), F(1, 40)]), st.integers(-320, 320)
)
@example(F(500), 8)
@example(F(1000), 8)
@example(F(100), 8)
@example(F(99, 10), 8)
def test_log_norms(rho: F, sixteenths: int) -> None:
    g = factor(rho).g[0]
    value = log_norms(np.array([g]), sixteenths / 16)[0]
    with precision(200):
        norm = exact_norm(rho, F(sixteenths, 16))
        if g >= X_SIDE:
            norm *= (ball(rho) / (2 * arb.pi())).sqrt()
        assert abs(arb(value) - norm.log()) <= arb(2.0**-51 * (4.0 + abs(value)))


@pytest.mark.parametrize("name", CASES)
def test_doubt_covers_the_error_of_the_log_norm(name: str) -> None:
    tilt = tilted(name)
    for step, middle in ((1, True), (tilt.law.first_right, False), (tilt.law.first_right + 7, False)):
        contour = tilt._contour(step, middle)
        with precision(200):
            mu, truth = F(step) * F(tilt.law.step), arb(0)
            for rho, count in CASES[name].items():
                truth += count * (exact_norm(rho, mu) / exact_norm(rho, F(0))).log()
            assert abs(arb(contour.log_norm) - truth) <= arb(contour.doubt)
            assert arb(contour.loss) >= -truth


@SOME
@given(SEEDS)
def test_tilted_characteristic_function_is_within_its_units(seed: int) -> None:
    random = np.random.default_rng(seed)
    kinds = [F(100), F(37), F(99, 10), F(98, 10), F(3), F(1, 2), F(1, 9)]
    rhos = [
        kinds[c] for c in sorted(random.choice(len(kinds), size=int(random.integers(1, 4)), replace=False))
    ]
    counts = [int(random.integers(1, 6)) for _ in rhos]
    mu = F(int(random.integers(-40, 400)), 2 ** int(random.integers(0, 6)))
    f = [float(random.uniform(-0.5, 0.5)) * float(random.choice([1.0, 0.1, 1e-6])) for _ in rhos]
    if seed % 7 == 0:
        f[0] = 0.5
    with precision(300):
        # narrow cells are handed ln of the sum over x, the others ln of the sum after Poisson summation
        norms = [
            exact_norm(rho, mu)
            * (1 if rho > 2 * math.pi**2 / X_SIDE else (ball(rho) / (2 * arb.pi())).sqrt())
            for rho in rhos
        ]
        log_norm = np.array([float(norm.log().mid()) for norm in norms])
        truth = acb(1)
        for rho, count, turns in zip(rhos, counts, f, strict=True):
            truth *= exact_phi(rho, mu, F(turns)) ** count
        size, phase, unit = tilted_phi(
            np.array([f]),
            np.array([factor(rho).g[0] for rho in rhos]),
            np.array(counts, dtype=np.float64),
            log_norm,
            float(mu),
        )
        found = wave(F(float(phase[0]))) * arb(float(size[0])).exp()
        assert (found - truth).abs_lower() <= arb(float(unit[0]) * ROUNDING) * found.abs_upper()


#: f_sum is good to sum count |f| 2^-52 only, and mu amplifies that.
FAR_OUT = "wrapped nodes, far out"
NODES: dict[str, Cells] = {
    "three kinds": SMALL["three kinds"],
    "narrow and wide": CASES["narrow and wide"],
    "few cells, many nodes": {F(5): 1, F(1, 7): 1, F(2, 11): 1},
    "many narrow cells": {F(60): 200, F(50): 100},
    FAR_OUT: {F(100): 3, F(7, 3): 4},
}


@pytest.mark.parametrize("name", NODES)
def test_amplitudes_of_nodes_are_within_their_units(name: str) -> None:
    """weight * phi_mu(theta) / e^(2 pi i mu W p / 2N), or all of phi_mu where an angle was reduced."""
    cells = NODES[name]
    tilt, most = tilt_of(cells), 150 if name == FAR_OUT else 25
    plan, first = tilt.plan, tilt.law.first_right
    tilts = [(1, True), (first, False), (3 * first, False)]
    if name == FAR_OUT:
        tilts = [(1320, False), (640, False), (2400, False)]
    size = 2 * plan.modulus
    for step, middle in tilts:
        contour, mu = tilt._contour(step, middle), F(step) * F(tilt.law.step)
        for i in range(0, len(tilt.nodes.f), 1 + len(tilt.nodes.f) // most):
            p = round(add_up(tilt.nodes.turn[i]) * 2 * size)
            turns = F(0)
            with precision(500):
                truth = acb(1 if p == plan.modulus else 2) / plan.modulus
                for (rho, count), weight in zip(cells.items(), plan.weights, strict=True):
                    residue = weight * p % size
                    f = F(residue if residue <= plan.modulus else residue - size, size)
                    turns += count * f
                    truth *= exact_phi(rho, mu, f) ** count
                wrapped = F(0) if tilt.nodes.unwrapped[i] else mu * turns
                found = wave(F(float(contour.phase[i])) - wrapped) * arb(float(contour.modulus[i]))
                bound = float(contour.unit[i]) * ROUNDING + contour.doubt
                assert (found - truth).abs_lower() <= arb(bound) * found.abs_upper()


def test_a_vanishing_tilted_characteristic_function_counts_as_its_rounding() -> None:
    """At mu = 1/2 and half a turn the two values of a narrow cell cancel."""
    for rho in (F(100), F(99, 10), F(98, 10), F(2)):
        g = np.array([factor(rho).g[0]])
        size, _, unit = tilted_phi(np.array([[0.5]]), g, np.array([1.0]), log_norms(g, 0.5), 0.5)
        assert math.isfinite(size[0])
        assert size[0] < -25.0
        assert unit[0] * ROUNDING >= 0.5


MUS = (1 / 16, 0.5, 15 / 16, 17 / 16, 1.5, 3.0, 40.0)


@SOME
@given(st.integers(0, 10**9), st.integers(10, 10**9), st.sampled_from(MUS), st.floats(0.4, 30.0))
@example(0, 10**9, 17 / 16, 0.4)
@example(2, 5, 0.5, 30.0)
def test_window_sums_are_geometric_sums(half: int, modulus: int, mu: float, h: float) -> None:
    """For windows as long as those in use, at the end of which the terms have fallen by e^3 at least."""
    p = 2 * (half % ((modulus + 1) // 2)) + 1
    window = math.ceil(3.0 / min(mu, abs(mu - 1.0)) / h)
    double = np.array([2.0 * window, 0.0, 0.0])
    turn = np.array([from_fraction(F(p, 4 * modulus))])
    sums = window_kernels(turn, mu, h, float(window), double, mu < 1.0)
    with mpmath.workdps(50):
        for found, power in ((sums[0][0], mu - 1.0), (sums[1][0], mu)):
            step = mpmath.mpf(power) * h + 1j * mpmath.pi * p / modulus
            steps = range(-1, -window - 1, -1) if power < 0.0 else range(window)
            truth = mpmath.fsum(mpmath.exp(-step * j) for j in steps)
            assert abs(mpmath.mpc(complex(found)) - truth) <= 16 * ROUNDING * abs(truth)


@SOME
@given(st.floats(1e-9, 50.0), st.floats(1e-9, math.pi), st.integers(1, 1000))
def test_kernel_growth_bounds_a_window(a: float, theta: float, window: int) -> None:
    powers = np.exp(-(a + 1j * theta) * np.arange(window))
    assert abs(math.sin(theta / 2) * powers.sum()) <= _kernel_growth(a) * (1 + 1e-9)


@SOME
@given(st.integers(-(10**30), 10**30), st.integers(0, 60))
@example(2**53 - 1, 3)
@example(2**53 + 1, 0)
def test_two_doubles_hold_a_rational(numerator: int, bits: int) -> None:
    exact = F(numerator, 2**bits)
    for high, low, _ in (_parts([numerator], 2**bits)[0],):
        assert high == float(exact)
        assert abs(F(float(high)) + F(float(low)) - exact) <= abs(exact) / 2**105
