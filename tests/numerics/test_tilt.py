"""The relative tier: every error bound against references that never leave exact integers or balls."""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import cache

import mpmath
import numpy as np
import pytest
from flint import acb, arb, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.selection import Selection, _unwrapped, heaviest, select, softness
from kernels.numerics.shells import Weight
from kernels.numerics.sieve import Plan
from kernels.numerics.survivors import SOFTEST
from kernels.numerics.theta import factor
from kernels.numerics.tilt import LatticePoint, Tails, Tilt, _kernel_growth, _parts
from kernels.numerics.tilted_sums import ROUNDING, X_SIDE, log_norms, tilted_phi, window_kernels
from kernels.numerics.trapezoid import quadrature
from kernels.numerics.triple import from_fraction
from tests.numerics.exact import FEW, SEEDS, SOME, to_mpf
from tests.numerics.exact import total as add_up
from tests.numerics.scan import SMALL, log_phi, plan_of, scan
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, enclosure, precision
from tests.reference.cells import Cells, Enclosure, total
from tests.reference.census import level_cells, pair_cells
from tests.reference.convolution import ConvolutionTail
from tests.reference.small import single_cell

ONE = F(1)
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
CASES: dict[str, Cells] = {
    "R below 4": {F(1): 2, F(1, 2): 3},
    "R above 4": {F(1): 4, F(1, 2): 3},
    "three kinds": SMALL["three kinds"],
    "many equal cells": SMALL["many equal cells"],
    "wide": {F(1, 10**4): 2, F(1, 500): 2},
    "census level": level_cells("State"),
    "over x, one cell": {F(100): 1},
    "over x": {F(20): 3, F(10): 2},
    "both sides of the switch": {F(99, 10): 2, F(98, 10): 2},
    "narrow and wide": {F(10): 3, F(1, 10): 10},
}
SCALED = [
    ("three kinds", F(9, 8)),
    ("census level", F(121, 100)),
    ("over x", F(11, 10)),
    ("R above 4", F(5, 4)),
]


@cache
def planned(name: str, thresholds: int = 101) -> tuple[Plan, np.ndarray]:
    plan = plan_of(CASES[name], thresholds)
    return plan, quadrature(plan).turn


@cache
def tilted(name: str, scale: F = ONE) -> Tilt:
    plan, turn = planned(name)
    return Tilt(plan, select(plan, turn, min(1.0, softness(plan, scale))), scale)


@cache
def law(name: str, scale: F = ONE) -> ConvolutionTail:
    return ConvolutionTail({rho * scale: count for rho, count in CASES[name].items()}, bits=1400)


def answer(tails: Tails, row: int, which: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Q (0), P (1) or delta (2) of a row and the bound on its error, at the precision in force."""
    power = F(tails.exponent[row], tails.exponent_denominator) + F(float(tails.log_norm[row]))
    if which == 1:
        power -= F(tails.t[row], tails.t_denominator)
    size = mpmath.exp(to_mpf(power))
    value = size * mpmath.mpf(float(tails.mantissa[row, which]))
    error = size * mpmath.mpf(float(tails.error[row, which]))
    return (1 - value if tails.middle[row] and which != 1 else value), error


def check(tails: Tails, row: int, which: int, truth: Enclosure, relative: float | None) -> None:
    """The bound covers the error; where asked for, it is small beside the truth."""
    with mpmath.workdps(60):
        value, error = answer(tails, row, which)
        exact, doubt = to_mpf(truth.middle), to_mpf(truth.width)
        assert abs(value - exact) <= error + doubt, f"off by {abs(value - exact) / error} bounds"
        if relative is not None and exact > 1e-300:
            assert doubt <= exact * 1e-20
            assert error <= exact * relative


def far(name: str, scale: F = ONE) -> list[F]:
    """eps from 0 to where delta is below 1e-300, and a little before 0 and beyond R/2."""
    r = total(CASES[name]) * scale
    last = float(r) / 2 + math.sqrt(2.0 * float(r) * 680.0)
    spread = [F(round(last * share * 1000), 1000) for share in (0.002, 0.03, 0.09, 0.2, 0.37, 0.55, 0.8, 1.0)]
    return sorted({F(0), F(1, 3), r / 4, r / 2, r / 2 + F(1, 1000), 3 * r / 4, r, *spread})


def check_profile(name: str, scale: F, relative: float | None) -> None:
    tilt, exact = tilted(name, scale), law(name, scale)
    eps = far(name, scale)
    found = tilt.tails([tilt.first_point(one) for one in eps])
    for row, one in enumerate(eps):
        check(found, row, 0, exact.power(one), relative)
        check(found, row, 1, exact.alpha(one), relative)
        check(found, row, 2, exact.delta(one), relative)


@pytest.mark.parametrize("name", CASES)
def test_bounds_cover_the_error_down_to_1e_300(name: str) -> None:
    """Where narrow cells leave gaps in the law, the bound is honest but may be wider than 1e-12."""
    check_profile(name, ONE, None if name in ("narrow and wide", "both sides of the switch") else 1e-12)


@pytest.mark.parametrize(("name", "scale"), SCALED, ids=str)
def test_bounds_cover_the_error_of_scaled_compositions(name: str, scale: F) -> None:
    check_profile(name, scale, 1e-12)


def test_both_ways_of_summing_and_both_sides_are_in_use() -> None:
    middle = {name: tilted(name).tails([tilted(name).first_point(F(0))]).middle[0] for name in CASES}
    assert middle["many equal cells"]
    assert not middle["R below 4"]
    sides = {name: set(planned(name)[0].factors.g[:, 0] >= X_SIDE) for name in CASES}
    assert sides["over x"] == {False}
    assert sides["both sides of the switch"] == {False, True}
    assert sides["three kinds"] == {True}
    assert any(not tilted(name).nodes.unwrapped.all() for name in CASES)
    assert any(tilted(name).nodes.left_out.plain > 0.0 for name in CASES)


@pytest.mark.parametrize("name", ["R below 4", "R above 4", "three kinds", "over x", "census level"])
@pytest.mark.parametrize("share", [F(0), F(1, 5), F(1, 2), F(4, 5), F(2)], ids=str)
def test_eps_on_and_beside_lattice_points(name: str, share: F) -> None:
    """Tails jump at a lattice point, delta does not; a point so close that doubles cannot tell is told."""
    tilt, exact = tilted(name), law(name)
    near = tilt.first_point(total(CASES[name]) * share)
    point = F(near.t, tilt._denominator)
    h = tilt.spacing
    eps = [
        point - h / 2,
        point - F(1, 10**30),
        point - F(1, 10**9),
        point,
        point + F(1, 10**30),
        point + h / 3,
    ]
    found = tilt.tails([tilt.first_point(one) for one in eps])
    positions = [tilt.first_point(one).position for one in eps]
    assert positions == [near.position] * 3 + [near.position + 1] * 3
    for row, one in enumerate(eps):
        check(found, row, 0, exact.power(one), 1e-12)
        check(found, row, 1, exact.alpha(one), 1e-12)
        check(found, row, 2, exact.delta(one), 1e-12)


def test_closed_tails_at_a_lattice_point() -> None:
    for name in ("R above 4", "many equal cells"):
        tilt, exact = tilted(name), law(name)
        for position in (0, 1, 7, tilt.plan.width // 2):
            t = position * tilt.spacing - tilt.total / 2
            point = tilt.first_point(t, closed=True)
            assert (point.position, point.gap) == (position, 0.0)
            assert tilt.first_point(t).position == position + 1
            found = tilt.tails([LatticePoint(point.position, point.t, 0.0)])
            before = t - tilt.spacing / 2
            if t >= 0:
                check(found, 0, 0, exact.power(before), 1e-12)
                check(found, 0, 1, exact.alpha(before), 1e-12)


@FEW
@given(st.fractions(-20, 20), st.booleans())
@example(F(-3, 4), True)
def test_first_point_is_the_first(eps: F, closed: bool) -> None:
    tilt = tilted("three kinds", F(9, 8))
    point = tilt.first_point(eps, closed)
    t = point.position * tilt.spacing - tilt.total / 2
    assert F(point.t, tilt._denominator) == t
    assert (t >= eps) if closed else (t > eps)
    assert (t - tilt.spacing < eps) if closed else (t - tilt.spacing <= eps)
    assert point.gap == pytest.approx(float(t - eps), rel=1e-15)


def test_results_do_not_depend_on_the_company() -> None:
    tilt = tilted("census level")
    points = [tilt.first_point(one) for one in far("census level")]
    together = tilt.tails(points)
    for row, point in enumerate(points):
        alone = Tilt(tilt.plan, tilt.nodes).tails([point])
        assert F(alone.exponent[0], alone.exponent_denominator) == F(
            together.exponent[row], together.exponent_denominator
        )
        assert np.array_equal(alone.mantissa[0], together.mantissa[row])
        assert np.array_equal(alone.error[0], together.error[row])


@pytest.mark.parametrize("rho", [F(1, 40), F(1), F(90), F(100)], ids=str)
def test_bounds_cover_the_error_of_a_single_cell(rho: F) -> None:
    """Against the sum of the definition."""
    plan = plan_of({rho: 1}, 101)
    tilt = Tilt(plan, select(plan, quadrature(plan).turn, 1.0))
    for eps in (F(0), rho / 3, rho / 2, 2 * rho, rho / 2 + F(round(30 * math.sqrt(rho) * 1000), 1000)):
        balls = single_cell(rho, eps)
        found = tilt.tails([tilt.first_point(eps)])
        for which, truth in enumerate((balls.power, balls.alpha, balls.delta)):
            check(found, 0, which, enclosure(truth), 1e-12)


def test_bounds_cover_the_error_where_sigma_is_largest() -> None:
    """sigma^2 = 10^6."""
    cells = {F(1, 10**6): 3}
    plan = plan_of(cells, 101)
    tilt = Tilt(plan, select(plan, quadrature(plan).turn, 1.0))
    balls = ArbTail(cells, digits=70)
    for eps in (F(0), F(1, 10**6), F(1, 1000), F(1, 200), F(1, 50)):
        found = tilt.tails([tilt.first_point(eps)])
        for which, truth in enumerate((balls.power(eps), balls.alpha(eps), balls.delta(eps))):
            check(found, 0, which, truth, 1e-12)


FINE: Cells = {F(355, 791 * prime): 2 * prime for prime in PRIMES}


def test_bounds_cover_the_error_on_a_lattice_beyond_doubles() -> None:
    """N near 5e17; balls at 10^-60 serve as the reference."""
    plan = plan_of(FINE, 101)
    assert plan.modulus > 2**53
    tilt = Tilt(plan, select(plan, quadrature(plan).turn, 1.0))
    balls = ArbTail(FINE, digits=60)
    eps = [F(0), F(1, 7), F(2), F(5), F(12), F(25)]
    found = tilt.tails([tilt.first_point(one) for one in eps])
    for row, one in enumerate(eps):
        for which, truth in enumerate((balls.power(one), balls.alpha(one), balls.delta(one))):
            check(found, row, which, truth, 1e-12)


def test_nodes_chosen_for_less_do_not_serve_more() -> None:
    plan, turn = planned("three kinds")
    with pytest.raises(ValueError, match="do not serve this scale"):
        Tilt(plan, select(plan, turn, 1.0), F(5, 4))


# Which nodes are used


@pytest.mark.parametrize(
    "name", ["three kinds", "odd N", "narrow and wide", "two lattices", "census", "only narrow"]
)
@pytest.mark.parametrize("soft", [1.0, 0.74, SOFTEST])
def test_nodes_not_selected_weigh_no_more_than_left_out(name: str, soft: float) -> None:
    """Also with all rhos scaled up as far as the softness allows."""
    cells = SMALL[name]
    plan = plan_of(cells)
    every = scan(plan, cells)
    nodes = select(plan, quadrature(plan).turn, soft)
    kept = {round(float(q) * 4 * plan.modulus) for q in nodes.turn[:, 0]}
    assert len(kept) == len(nodes.turn)
    missing = every.missing(kept)
    for scale in (1 + k * F(1, 16) for k in range(40)):
        if softness(plan, scale) < soft:
            break
        phi = np.exp(log_phi(every.f[missing], [rho * scale for rho in cells], list(cells.values())))
        assert float((every.kernel[missing] * phi).sum()) <= nodes.left_out.plain * (1 + 1e-9)
    norm = every.f[missing] ** 2 @ (plan.factors.count * plan.factors.decay)
    assert float((every.kernel[missing] * np.exp(-soft * norm)).sum()) <= nodes.left_out.plain * (1 + 1e-9)


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
    nodes = select(plan, quadrature(plan).turn, SOFTEST)
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
    nodes = select(plan, quadrature(plan).turn, SOFTEST)
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


# The pieces


def exact_norm(rho: F, mu: F) -> arb:
    """sum_x exp(-rho (x - mu)^2 / 2)."""
    reach = math.isqrt(int(600 / rho)) + 2
    return sum(
        ((-ball(rho * (x - mu) ** 2 / 2)).exp() for x in range(int(mu) - reach, int(mu) + reach)), arb(0)
    )


def wave(turns: F) -> acb:
    """e^(2 pi i turns)."""
    half_turns = fmpq(2 * turns.numerator, turns.denominator)
    return acb(arb.cos_pi_fmpq(half_turns), arb.sin_pi_fmpq(half_turns))


def exact_phi(rho: F, mu: F, f: F) -> acb:
    """E exp(2 pi i f (x - mu)) under the tilted cell."""
    reach = math.isqrt(int(600 / rho)) + 2
    value = acb(0)
    for x in range(int(mu) - reach, int(mu) + reach):
        value += wave(f * (x - mu)) * (-ball(rho * (x - mu) ** 2 / 2)).exp()
    return value / acb(exact_norm(rho, mu))


@SOME
@given(
    st.sampled_from([F(100), F(37), F(99, 10), F(98, 10), F(3), F(1, 2), F(1, 40)]), st.integers(-320, 320)
)
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
    for step, middle in ((1, True), (tilt._first_right, False), (tilt._first_right + 7, False)):
        contour = tilt._contour(step, middle)
        with precision(200):
            mu, truth = F(step) * F(tilt._step), arb(0)
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


NODES: dict[str, Cells] = {
    "three kinds": SMALL["three kinds"],
    "narrow and wide": CASES["narrow and wide"],
    "few cells, many nodes": {F(5): 1, F(1, 7): 1, F(2, 11): 1},
    "many narrow cells": {F(60): 200, F(50): 100},
}


@pytest.mark.parametrize("name", NODES)
def test_amplitudes_of_nodes_are_within_their_units(name: str) -> None:
    """weight * phi_mu(theta) / e^(2 pi i mu W p / 2N), or all of phi_mu where an angle was reduced."""
    cells = NODES[name]
    plan = plan_of(cells, 101)
    tilt = Tilt(plan, select(plan, quadrature(plan).turn, 1.0))
    size = 2 * plan.modulus
    for step, middle in ((1, True), (tilt._first_right, False), (3 * tilt._first_right, False)):
        contour, mu = tilt._contour(step, middle), F(step) * F(tilt._step)
        for i in range(0, len(tilt.nodes.f), 1 + len(tilt.nodes.f) // 25):
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


@pytest.mark.parametrize("name", ["three kinds", "two lattices", "R above 4", "many equal cells"])
@pytest.mark.parametrize("kept", [3, 10, 25])
def test_bounds_cover_nodes_left_out(name: str, kept: int) -> None:
    """With most nodes taken away and their true weight told, the bounds must still hold."""
    cells = SMALL.get(name) or CASES[name]
    plan = plan_of(cells)
    nodes = select(plan, quadrature(plan).turn, 1.0)
    every = scan(plan, cells)
    missing = every.missing({round(float(q) * 4 * plan.modulus) for q in nodes.turn[:kept, 0]})
    terms = every.kernel[missing] * np.exp(every.log_phi[missing])
    sharpness = float(plan.spacing) / np.sin(math.pi * every.p[missing] / (2 * plan.modulus))
    weight = Weight(float(terms.sum()), float((terms * sharpness).sum()))
    part = slice(0, kept)
    few = Selection(
        1.0,
        nodes.turn[part],
        nodes.f[part],
        nodes.f_sum[part],
        nodes.f_size[part],
        nodes.unwrapped[part],
        nodes.weight[part],
        weight,
    )
    tilt, exact = Tilt(plan, few), ConvolutionTail(cells, bits=400)
    eps = [F(0), total(cells) / 4, total(cells) / 2, total(cells), 2 * total(cells)]
    found = tilt.tails([tilt.first_point(one) for one in eps])
    for row, one in enumerate(eps):
        for which, truth in enumerate((exact.power(one), exact.alpha(one), exact.delta(one))):
            check(found, row, which, truth, None)


@pytest.mark.parametrize("name", ["R above 4", "many equal cells", "over x", "R below 4"])
def test_points_outside_the_windows_weigh_no_more_than_their_bound(name: str) -> None:
    cells, tilt = CASES[name], tilted(name)
    exact = ConvolutionTail(cells, bits=1400)
    plan, h = tilt.plan, float(tilt.spacing)
    reach = exact.widest.reach * int(exact.widest.step / tilt.spacing)
    assert not exact.others
    s = np.arange(-reach, reach + 1)
    log_p = np.array([mpmath.log(w) if w else -math.inf for w in exact.widest.weights], dtype=np.float64)
    for step, middle in ((1, True), (tilt._first_right, False), (4 * tilt._first_right, False)):
        mu = step * tilt._step
        log_tilted = log_p + mu * h * s
        tilted_law = np.exp(log_tilted - np.logaddexp.reduce(log_tilted))
        contour = tilt._contour(step, middle)
        for eps in (0.0, 0.5 * tilt._r, 2.0 * tilt._r):
            point = tilt.first_point(F(eps))
            outside = (s >= point.position + plan.modulus // 2) | (
                s < point.position - (plan.modulus - plan.modulus // 2)
            )
            bound = tilt._outside(mu, np.array([point.t / tilt._denominator]), contour.loss)
            assert float(tilted_law[outside].sum()) <= float(np.max(bound))
