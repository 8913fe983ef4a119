"""The characteristic function of a cell against Arb balls (sum over x) and mpmath, and its proven bounds."""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.certificate.transform import Cell
from kernels.numerics.arithmetic.triple import from_fraction
from kernels.numerics.nodes.theta import (
    decay_of,
    deepest,
    excess,
    excess_triple,
    factor,
    log_product,
    product_triple,
    tilt_loss,
)
from tests.kernels.numerics.exact import SEEDS, SOME, to_mpf, total
from tests.kernels.numerics.tilting import exact_norm as tilted_norm
from tests.kernels.numerics.tilting import exact_phi as tilted_phi
from tests.reference.balls import ball, enclosure, precision

BITS = 1000
RHOS = [
    F(100),
    F(20),
    F(987, 100),
    F(986, 100),
    F(5),
    F(1),
    F(1, 7),
    F(73, 10_000),
    F(11, 10_000),
    F(1, 10**6),
]
#: 2 pi^2 / rho from 0.01 to 10^4, crowded around 2, where the bound changes its form.
GS = [*np.geomspace(0.01, 1e4, 37), 1.9, math.nextafter(2.0, 0.0), 2.0, math.nextafter(2.0, 3.0), 2.1]
ANGLES = [1e-9, 1e-4, 0.01, *np.linspace(0.02, 0.48, 24), 0.4999, 0.5 - 1e-9, 0.5]


@cache
def cell(rho: F) -> Cell:
    """phi to 1000 bits after the point: far more than any phi here needs."""
    with precision(BITS + 64):
        return Cell(rho, F(0), BITS)


def phi(rho: F, turns: F) -> arb:
    """phi at an exact number of turns (at the precision in force)."""
    return cell(rho).at(turns.numerator, turns.denominator)


def poisson_excess(g: F, f: F) -> arb:
    """s(f) as a ball, all terms above 2^-1000."""
    total_, k = arb(0), 1
    while float(g * k * (k - 2 * abs(f))) < 0.7 * BITS:
        total_ += (-ball(g * k * (k - 2 * f))).exp() + (-ball(g * k * (k + 2 * f))).exp()
        k += 1
    return total_


def drawn_angle(random: np.random.Generator) -> F:
    """Turns in [-1/2, 1/2]: anywhere, close to an end or the middle, or exactly there."""
    kind = random.integers(5)
    if kind == 0:
        return F(int(random.integers(-3, 4)), 6)
    near = F(int(random.integers(-(10**15), 10**15)), 2 * 10**15 + 1)
    if kind == 1:
        return near / 10 ** int(random.integers(1, 30))
    if kind == 2:
        return (1 if near > 0 else -1) * F(1, 2) - near / 10 ** int(random.integers(1, 30))
    return near


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_constants_of_a_cell(rho: F) -> None:
    made = factor(rho)
    with mpmath.workdps(90):
        g = 2 * mpmath.pi**2 / to_mpf(rho)
        at_zero = 1 + 2 * mpmath.nsum(lambda k: mpmath.exp(-g * k * k), [1, mpmath.inf])
        assert abs(to_mpf(total(made.g)) / g - 1) <= mpmath.mpf(2) ** -158
        assert abs(to_mpf(total(made.normaliser)) * at_zero - 1) <= mpmath.mpf(2) ** -157
        assert made.decay == decay_of(float(g))


@SOME
@given(SEEDS)
def test_excess_is_within_its_bound(seed: int) -> None:
    random = np.random.default_rng(seed)
    g, f = float(10 ** random.uniform(-1, 7)), abs(float(drawn_angle(random)))
    with precision(BITS):
        truth = enclosure(poisson_excess(F(g), F(f))).middle
    # each of the two or more terms that matter has the error its docstring gives; the rest stays below e^-99
    assert abs(F(excess(g, f)) - truth) <= F(2.0**-50 * (1.0 + g)) * truth + F(math.exp(-99.0))


@SOME
@given(SEEDS)
def test_excess_in_triples_is_good_to_130_bits(seed: int) -> None:
    random = np.random.default_rng(seed)
    g = from_fraction(F(int(random.integers(1, 10**9)), 3**9) * F(10) ** int(random.integers(-5, 3)))
    f = from_fraction(abs(drawn_angle(random)))
    with precision(BITS):
        truth = enclosure(poisson_excess(total(g), total(f))).middle
    assert abs(total(excess_triple(g, f)) - truth) <= F(1, 2**130) * (1 + truth)


Product = tuple[list[F], list[int], list[F]]


def drawn_product(seed: int, most_exponent: float) -> Product:
    """Distinct rhos with counts and angles, sum count g f^2 below the given number."""
    random = np.random.default_rng(seed)
    chosen = sorted(random.choice(len(RHOS), size=int(random.integers(1, 6)), replace=False))
    rhos = [RHOS[c] for c in chosen]
    counts = [int(random.integers(1, 40)) for _ in rhos]
    angles = [drawn_angle(random) for _ in rhos]
    for c, rho in enumerate(rhos):  # a surviving node has small angles where sigma is large
        share = most_exponent / len(rhos) / (2 * math.pi**2 / float(rho) * counts[c])
        shrink = math.sqrt(min(1.0, share / max(float(angles[c]) ** 2, 1e-300)))
        angles[c] *= F(shrink) * F(99, 100)
    return rhos, counts, angles


def exponent(rhos: list[F], counts: list[int], angles: list[F]) -> float:
    """E = sum count g f^2."""
    return sum(
        count * 2 * math.pi**2 / float(rho) * float(f) ** 2
        for rho, count, f in zip(rhos, counts, angles, strict=True)
    )


def constants(rhos: list[F]) -> tuple[np.ndarray, np.ndarray]:
    """g and normaliser, triples [d, 3]."""
    parts = [factor(rho) for rho in rhos]
    return np.array([part.g for part in parts]), np.array([part.normaliser for part in parts])


@SOME
@given(SEEDS, st.sampled_from([1.0, 80.0, 499.0]))
def test_product_is_within_its_bound(seed: int, most_exponent: float) -> None:
    rhos, counts, exact_angles = drawn_product(seed, most_exponent)
    angles = np.array([from_fraction(f) for f in exact_angles])
    given_angles = [total(f) for f in angles]
    e = exponent(rhos, counts, given_angles)
    assert e < 500
    result = total(product_triple(*constants(rhos), np.array(counts, dtype=np.float64), angles))
    with precision(BITS):
        truth = arb(1)
        for rho, count, f in zip(rhos, counts, given_angles, strict=True):
            truth *= phi(rho, f) ** count
        error = abs(ball(result) / truth - 1)
        assert error <= arb(2) ** -130 * (1 + arb(e)) + arb(2) ** -146 * sum(counts)


@SOME
@given(SEEDS, st.sampled_from([1.0, 80.0, 600.0]))
def test_log_product_is_within_its_bound(seed: int, most_exponent: float) -> None:
    rhos, counts, exact_angles = drawn_product(seed, most_exponent)
    g, normaliser = constants(rhos)
    angles = np.array([float(f) for f in exact_angles])
    log_normaliser = -np.log1p((normaliser[:, 0] - 1.0) + normaliser[:, 1])
    result = log_product(g[:, 0].copy(), log_normaliser, np.array(counts, dtype=np.float64), angles)
    with precision(BITS):
        truth = arb(0)
        for rho, count, f in zip(rhos, counts, angles, strict=True):
            truth += count * phi(rho, F(float(f))).log()
        e = exponent(rhos, counts, [F(float(f)) for f in angles])
        assert abs(arb(result) - truth) <= arb(2.0**-46 * (1.0 + e + sum(counts) / 16.0))


def minus_log_phi(g: float, f: float) -> mpmath.mpf:
    """-ln phi without cancellation: 1 - phi summed over x for narrow cells, after Poisson summation else."""
    size = mpmath.mpf(g)
    rho = 2 * mpmath.pi**2 / size
    if g < 15.0:
        weights = [(x, mpmath.exp(-rho * x * x / 2)) for x in range(1, 40)]
        missing = sum(4 * weight * mpmath.sin(mpmath.pi * f * x) ** 2 for x, weight in weights)
        return -mpmath.log1p(-missing / (1 + 2 * sum(weight for _, weight in weights)))
    above = sum(mpmath.exp(-size * k * (k - 2 * mpmath.mpf(f))) for k in range(-4, 5))
    return size * mpmath.mpf(f) ** 2 - mpmath.log(
        above / sum(mpmath.exp(-size * k * k) for k in range(-4, 5))
    )


@pytest.mark.parametrize("g", GS, ids=lambda g: f"{g:.17g}")
def test_decay_bounds_phi_from_above_and_not_by_much(g: float) -> None:
    decay = decay_of(float(g))
    with mpmath.workdps(60):
        ratios = [minus_log_phi(float(g), f) / mpmath.mpf(f) ** 2 for f in ANGLES]
        assert decay <= min(ratios)
        assert decay >= min(ratios) * (0.98 if g < 2.0 else 1 - 1e-11) or min(ratios) < 1e-300


@SOME
@given(st.floats(0.0, 0.5), st.floats(-2.0, 4.0))
@example(0.5, math.log10(2.0))
@example(1e-6, math.log10(1.9999999))
def test_decay_bounds_phi_at_any_angle(f: float, log_g: float) -> None:
    g = 10.0**log_g
    with mpmath.workdps(60):
        assert decay_of(g) * mpmath.mpf(f) ** 2 <= minus_log_phi(g, f)


def test_decay_of_the_narrowest_cells_underflows_to_zero() -> None:
    assert decay_of(1e-3) == 0.0
    assert 0.0 < decay_of(0.0135) < 1e-300


@pytest.mark.parametrize("rho", [rho for rho in RHOS if rho > F(1, 200)], ids=str)
def test_tilt_loss_is_the_log_of_the_ratio_of_norms_or_of_the_least_phi(rho: F) -> None:
    g = 2.0 * math.pi**2 / float(rho)
    loss = tilt_loss(np.array([g]), np.array([7.0]))
    with precision(500):
        ratio = 7 * (tilted_norm(rho, F(0)) / tilted_norm(rho, F(1, 2))).log()
        most = -7 * phi(rho, F(1, 2)).log()
        truth = ratio if ratio < most else most
        assert arb(loss) >= truth - arb(2.0**-44) * (1.0 + loss)
        assert arb(loss) <= truth + arb(1e-3)


@pytest.mark.parametrize("rho", [rho for rho in RHOS if rho > F(1, 200)], ids=str)
def test_deepest_is_the_log_of_the_least_phi_rounded_up(rho: F) -> None:
    [found] = deepest(np.array([2.0 * math.pi**2 / float(rho)]))
    with precision(500):
        truth = -phi(rho, F(1, 2)).log()
        assert truth <= arb(found) <= truth * (1 + arb(1.3e-4))


@pytest.mark.parametrize("rho", [F(100), F(20), F(5), F(1), F(1, 4)], ids=str)
def test_tilting_enlarges_phi_by_no_more_than_the_tilt_loss(rho: F) -> None:
    loss = tilt_loss(np.array([2.0 * math.pi**2 / float(rho)]), np.array([1.0]))
    with precision(300):
        for mu in (F(0), F(1, 8), F(1, 3), F(1, 2), F(9, 10)):
            for f in (F(0), F(1, 100), F(1, 5), F(2, 5), F(1, 2)):
                most = phi(rho, f) * arb(loss).exp() * (1 + arb(1e-12))
                assert tilted_phi(rho, mu, f).abs_upper() <= most


def test_tilt_loss_adds_up_over_cells() -> None:
    g = np.array([0.2, 3.0, 50.0])
    counts = np.array([2.0, 5.0, 4.0])
    alone = [tilt_loss(g[c : c + 1], counts[c : c + 1]) for c in range(3)]
    assert tilt_loss(g, counts) == pytest.approx(sum(alone), rel=1e-14)
