"""eps(delta), the trade-off function and the variance reduction: each answer is put back in."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F

import mpmath
import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.bounds import zcdp
from kernels.accounting.composition import Composition
from kernels.intervals.root import LogDelta, certified_root
from tests.kernels.accounting.cases import (
    LUMPY,
    MANY,
    PAIRS,
    SMALL,
    accountant,
    arb_reference,
    cells_of,
    reference,
)
from tests.reference.arb_tail import ArbTail
from tests.reference.census import PER_LEVEL
from tests.reference.checks import ABSOLUTE, RELATIVE, assert_encloses, assert_within
from tests.reference.convolution import ConvolutionTail
from tests.reference.tradeoff import tradeoff
from tests.reference.zcdp import zcdp_epsilon

SLOW = ("heavy, one path", "sigma^2 from 1/100 to 10^6")  # seconds for one point of the trade-off function
DELTAS = [F(1, 10), F(1, 10**6), F(1, 10**10), F(1, 10**11), F(1, 10**18)]
INFINITY = Decimal("Infinity")


@pytest.mark.parametrize("delta", DELTAS, ids=lambda delta: f"{float(delta):g}")
@pytest.mark.parametrize("name", [*PAIRS, *SMALL, *MANY])
def test_epsilon_put_back_in(name: str, delta: Fraction) -> None:
    answer = accountant(name).epsilon(delta)
    truth = reference(name)
    if truth.delta(F(0)).lower > delta:
        assert answer.lower <= answer.value <= answer.upper
        assert truth.delta(F(answer.upper)).lower <= delta <= truth.delta(F(answer.lower)).upper
        assert F(answer.upper) - F(answer.lower) <= 10 * LUMPY.get(name, RELATIVE) * max(1, F(answer.value))
    else:
        assert answer.upper == 0


@pytest.mark.parametrize(
    "rest",
    [F(1, 10**5), F(3, 10**13), F(1, 10**25), F(7, 10**41), F(1, 10**200)],
    ids=lambda rest: f"{float(rest):g}",
)
def test_next_to_one(rest: Fraction) -> None:
    """Deltas that ln delta does not tell from 1: eps, and the scale of the variance reduction."""
    cells = {F(1, 100): 400_000}
    asked = Accountant(Composition.from_counts(cells))
    answer = asked.epsilon(1 - rest)
    assert answer.width <= Decimal("1e-11") * answer.value
    with mpmath.workdps(400):  # wide cells are nearly Gaussian
        mu = mpmath.sqrt(4000)
        a, b = (mpmath.mpf(float(answer.value)) / mu + sign * mu / 2 for sign in (-1, 1))
        missing = mpmath.ncdf(a) + mpmath.exp(float(answer.value)) * mpmath.ncdf(-b)
        assert abs(missing / (mpmath.mpf(rest.numerator) / rest.denominator) - 1) < 1e-4
    if rest > F(1, 10**55):  # what 60 digits of delta tell
        assert 1 - F(asked.profile([F(answer.upper)])[0].delta.lower) >= rest * (1 - F(1, 10**10))
        found = asked.reduction(1 - rest)
        louder = Accountant(asked.composition.scaled(F(found.scale.value)))
        delta = louder.profile([F(found.eps_zcdp.value)])[0].delta
        assert found.scale.width <= Decimal("1e-10") * found.scale.value
        assert abs((1 - F(delta.value)) / rest - 1) < F(1, 10**8)


def test_epsilon_at_a_very_small_delta() -> None:
    delta = F(1, 10**300)
    answer = accountant("no bypass").epsilon(delta)
    truth = arb_reference("no bypass", 390)
    assert truth.delta(F(answer.upper)).lower <= delta <= truth.delta(F(answer.lower)).upper
    assert F(answer.upper) - F(answer.lower) <= 10 * RELATIVE * F(answer.value)


@pytest.mark.parametrize("name", [*PAIRS, *SMALL, *MANY])
def test_epsilon_at_the_edges(name: str) -> None:
    case = accountant(name)
    at_zero = case.profile([F(0)])[0].delta
    assert case.epsilon(F(0)).lower == INFINITY
    assert case.epsilon(F(1)).upper == 0
    assert case.epsilon(F(at_zero.upper)).upper == 0
    if at_zero.upper < Decimal("0.999"):
        assert case.epsilon(F(999, 1000)).upper == 0
    delta = F(at_zero.lower) * (1 - 4 * RELATIVE)
    just_less = case.epsilon(delta)
    assert 0 <= just_less.lower <= just_less.value <= just_less.upper < INFINITY
    assert reference(name).delta(F(just_less.upper)).lower <= delta


@pytest.mark.parametrize(
    ("name", "alpha"),
    [
        (name, alpha)
        for name in [*PAIRS, *SMALL, *MANY]
        for alpha in (F(1, 3), F(1, 1000), F(97, 100), 1 - F(1, 10**20))[: 1 if name in SLOW else None]
    ],
    ids=str,
)
def test_tradeoff(name: str, alpha: Fraction) -> None:
    """Within 1e-35 where f is flat; where it is steep, the vertices' own errors come out magnified."""
    truth = tradeoff(reference(name), alpha)
    found = accountant(name).tradeoff(alpha)
    assert_within(found, truth.beta, 2 * ABSOLUTE * (1 + truth.slope))
    assert F(found.upper) <= 1 - alpha + F(1, 10**59)


COARSE = ("one cell, sigma^2 = 1", "two cells, sigma^2 = 1", "sigma^2 = 1/6 and 1/5")
REDUCED = [(f"level {level}", decades) for level in PER_LEVEL for decades in (6, 10, 11)]
REDUCED += [(name, 10) for name in ("no bypass", "one deep bypass", "heavy, two paths", *COARSE)]


@pytest.mark.parametrize(("name", "decades"), REDUCED)
def test_reduction_put_back_in(name: str, decades: int) -> None:
    """The true delta at the Census's eps passes delta0 between the bounds of the scale; the figures fit."""
    delta, cells = F(1, 10**decades), cells_of(name)
    answer = accountant(name).reduction(delta)
    eps = zcdp_epsilon(cells, delta)
    assert answer.delta == delta
    assert_encloses(answer.eps_zcdp, eps)
    assert abs(F(answer.eps_zcdp.value) - eps.middle) <= RELATIVE * eps.middle
    low, high = F(answer.scale.lower), F(answer.scale.upper)
    assert 1 <= low <= F(answer.scale.value) <= high
    assert high - low <= 100 * RELATIVE * high
    for scale, safe in ((low, True), (high, False)):
        scaled = {rho * scale: count for rho, count in cells.items()}
        tails = ArbTail(scaled, 38) if name in PAIRS else ConvolutionTail(scaled, bits=300)
        if safe:
            assert tails.delta(eps.upper).lower <= delta
        else:
            assert tails.delta(eps.lower).upper >= delta
    fraction = answer.reduction
    assert F(fraction.lower) <= 1 - 1 / high + F(1, 10**40)
    assert F(fraction.upper) >= 1 - 1 / low - F(1, 10**40)
    assert abs(F(fraction.value) - (1 - 1 / F(answer.scale.value))) <= 100 * RELATIVE


def test_known_reductions() -> None:
    block = accountant("level Block").reduction(F(1, 10**11)).reduction
    state = accountant("level State").reduction(F(1, 10**10)).reduction
    assert f"{block.value:.4f}" == "0.2482"
    assert f"{state.value:.4f}" == "0.1514"


@pytest.mark.parametrize("name", [*PAIRS, *SMALL, *MANY])
def test_exact_below_cks20_below_simple(name: str) -> None:
    case = accountant(name)
    rho = case.composition.zcdp_rho
    for delta in DELTAS:
        tight, simple = zcdp.epsilon_cks20(rho, delta), zcdp.epsilon(rho, delta)
        assert case.epsilon(delta).upper <= tight.upper
        assert tight.lower <= simple.upper
    for eps in (F(1, 2), rho + 1, 3 * rho + 5):
        tight, simple = zcdp.delta_cks20(rho, eps), zcdp.delta(rho, eps)
        assert case.profile([eps])[0].delta.upper <= tight.upper
        assert tight.lower <= simple.upper


def test_a_root_is_found_from_a_start_that_says_nothing() -> None:
    """From 0, where ln delta is flat: a slope there was divided by nothing."""

    def at(xs: Sequence[float]) -> list[LogDelta]:
        return [LogDelta(min(0.0, 50.0 - x), 1e-14, -float(x > 50)) for x in xs]

    root, low, high = certified_root(at, -50.0, 0.0, None, (0.0, 150.0), 60)
    assert low <= 100.0 <= high
    assert root == pytest.approx(100.0, rel=1e-12)
    assert high - low < 1e-10


def test_eps_on_the_plateau_between_lumps_where_tilted_sums_know_nothing() -> None:
    cells = {F(1, 10**6): 42, F(9667, 200_000): 40, F(14_773, 10**6): 1, F(31, 10**6): 27}
    account = Accountant(Composition.from_counts(cells | {F(107, 62_500): 1, F(100): 1}))
    delta = F("1.928749848e-22")
    answer = account.epsilon(delta)
    before, after = account.profile([F(answer.lower), F(answer.upper)])
    assert F(after.delta.lower) <= delta <= F(before.delta.upper)
    assert 60 < answer.lower < answer.upper < 70


@pytest.mark.parametrize("gap", [F(1, 10**12), F(1, 10**17), F(1, 10**25)])
def test_eps_where_delta_is_all_but_one(gap: Fraction) -> None:
    """The search for a root ended at 0, and its slope there was a division by zero."""
    cells = {F(54, 25): 1000}
    eps = Accountant(Composition.from_counts(cells)).epsilon(1 - gap)
    [low, high] = Accountant(Composition.from_counts(cells)).profile([F(eps.lower), F(eps.upper)])
    assert 0 <= eps.lower <= eps.upper <= 1080
    assert F(low.delta.upper) >= 1 - gap or eps.lower == 0
    assert F(high.delta.lower) <= 1 - gap
