"""The zCDP conversions, against mpmath's own search over the order and against each other."""

from decimal import Decimal
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.accounting.bounds import gaussian, zcdp
from kernels.intervals.interval import Interval
from tests.kernels.numerics.exact import to_mpf

DHC = F(24811, 5000)  # rho = R/2 of a pair of DHC persons mechanisms
RHOS = st.fractions(F(1, 10**6), 1000, max_denominator=10**6)
DELTAS = st.builds(lambda digits, e: F(digits, 1000) / 10**e, st.integers(1, 999), st.integers(0, 3000))
EPSILONS = st.fractions(0, 5000, max_denominator=10**4)


def holds(enclosure: Interval, value: mpmath.mpf, digits: int = 38) -> bool:
    """Whether an enclosure holds a value known to 45 digits, and is as narrow as it claims."""
    low, high = to_mpf(enclosure.lower), to_mpf(enclosure.upper)
    slack = abs(value) * mpmath.mpf(10) ** -44
    return low - slack <= value <= high + slack and high - low <= abs(value) * mpmath.mpf(10) ** -digits


def log_cks20(order: mpmath.mpf, rho: mpmath.mpf, eps: mpmath.mpf) -> mpmath.mpf:
    """log of exp((a-1)(a rho - eps)) (1 - 1/a)^a / (a - 1), as the paper writes it."""
    a = order
    return (a - 1) * (a * rho - eps) + a * mpmath.log(1 - 1 / a) - mpmath.log(a - 1)


def least(function, low: float, high: float) -> mpmath.mpf:
    """The minimum of a function with one minimum for a in (1, inf), by golden section over log(a - 1)."""
    left, right = mpmath.mpf(low), mpmath.mpf(high)
    step = (mpmath.sqrt(5) - 1) / 2
    for _ in range(160):
        first, second = right - step * (right - left), left + step * (right - left)
        if function(1 + mpmath.exp(first)) < function(1 + mpmath.exp(second)):
            right = second
        else:
            left = first
    return function(1 + mpmath.exp((left + right) / 2))


@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 10**10), F(1, 10**11), F(1, 10**3000), F(999, 1000)])
def test_the_census_conversion_is_its_formula(delta: F) -> None:
    with mpmath.workdps(60):
        rho = to_mpf(DHC)
        eps = rho + 2 * mpmath.sqrt(rho * -mpmath.log(to_mpf(delta)))
        assert holds(zcdp.epsilon(DHC, delta), eps)
        assert holds(zcdp.delta(DHC, F(60)), mpmath.exp(-((60 - rho) ** 2) / (4 * rho)))


def test_known_conversions() -> None:
    published = Decimal("26.34")  # by the Census Bureau
    assert round(zcdp.epsilon(DHC, F(1, 10**10)).value, 2) == published
    assert round(zcdp.epsilon(F("2.56"), F(1, 10**10)).value, 2) == Decimal("17.92")
    assert zcdp.delta(DHC, DHC).value == 1
    assert zcdp.delta(DHC, F(0)).value == 1


@pytest.mark.parametrize("rho", [F(1, 10), DHC, F(300)])
@pytest.mark.parametrize("eps", [F(0), F(1, 2), F(49, 2), F(400)])
def test_the_tight_delta_is_the_minimum_over_the_order(rho: F, eps: F) -> None:
    with mpmath.workdps(100):
        r, e = to_mpf(rho), to_mpf(eps)
        log_delta = least(lambda a: log_cks20(a, r, e), -320, 20)
        assert holds(zcdp.delta_cks20(rho, eps), mpmath.exp(log_delta))


@pytest.mark.parametrize("rho", [F(1, 10), DHC, F(300)])
@pytest.mark.parametrize("delta", [F(1, 2), F(1, 10**10), F(1, 10**3000)])
def test_the_tight_eps_is_the_minimum_over_the_order(rho: F, delta: F) -> None:
    with mpmath.workdps(100):
        r, log_delta = to_mpf(rho), mpmath.log(to_mpf(delta))
        eps = least(lambda a: log_cks20(a, r, mpmath.mpf(0)) / (a - 1) - log_delta / (a - 1), -60, 40)
        assert holds(zcdp.epsilon_cks20(rho, delta), max(eps, mpmath.mpf(0)))


@settings(max_examples=60)
@given(RHOS, DELTAS)
def test_the_tight_eps_never_exceeds_the_census_eps(rho: F, delta: F) -> None:
    tight, census = zcdp.epsilon_cks20(rho, delta), zcdp.epsilon(rho, delta)
    assert 0 <= tight.lower <= tight.value <= tight.upper < census.lower
    assert gaussian.epsilon(rho, delta).lower <= tight.upper


@settings(max_examples=60)
@given(RHOS, EPSILONS)
def test_the_tight_delta_never_exceeds_the_census_delta(rho: F, eps: F) -> None:
    tight, census = zcdp.delta_cks20(rho, eps), zcdp.delta(rho, eps)
    assert 0 < tight.lower <= tight.value <= tight.upper <= census.upper <= 1
    assert gaussian.delta(rho, eps).lower <= tight.upper


@settings(max_examples=40)
@given(RHOS, DELTAS)
def test_eps_and_delta_are_inverse_to_each_other(rho: F, delta: F) -> None:
    for epsilon_of, delta_of in ((zcdp.epsilon, zcdp.delta), (zcdp.epsilon_cks20, zcdp.delta_cks20)):
        eps = epsilon_of(rho, delta)
        assert F(delta_of(rho, F(eps.upper)).lower) <= delta
        if eps.lower > 0:
            assert F(delta_of(rho, F(eps.lower)).upper) >= delta


def test_edges() -> None:
    for epsilon in (zcdp.epsilon, zcdp.epsilon_cks20):
        assert epsilon(DHC, F(0)).value == Decimal("Infinity")
        assert epsilon(DHC, F(1)).value == epsilon(DHC, F(2)).value == 0
    assert zcdp.epsilon_cks20(DHC, 1 - F(1, 10**200)).value == 0
    at_zero = zcdp.delta_cks20(DHC, F(0))
    assert zcdp.epsilon_cks20(DHC, F(at_zero.upper)).value == 0
    assert zcdp.epsilon_cks20(DHC, F(at_zero.lower)).value > 0


@pytest.mark.parametrize("eps", [709, 710, 5000, 10**6, 10**100])
def test_far_out_deltas_are_ordered_and_never_zero_from_above(eps: int) -> None:
    tight, census = zcdp.delta_cks20(DHC, F(eps)), zcdp.delta(DHC, F(eps))
    assert 0 <= tight.lower <= tight.upper <= census.upper
    assert tight.upper > 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: zcdp.epsilon(F(0), F(1, 2)),
        lambda: zcdp.delta(F(-1), F(1)),
        lambda: zcdp.epsilon_cks20(F(0), F(1, 2)),
        lambda: zcdp.delta_cks20(F(0), F(1)),
        lambda: zcdp.tradeoff(F(0), np.array([0.5]), "census"),
        lambda: gaussian.delta(F(0), F(1)),
    ],
)
def test_rho_must_be_positive(call) -> None:
    with pytest.raises(ValueError, match="rho must be above 0"):
        call()


@pytest.mark.parametrize("epsilon", [zcdp.epsilon, zcdp.epsilon_cks20, gaussian.epsilon])
def test_delta_must_not_be_negative(epsilon) -> None:
    with pytest.raises(ValueError, match="delta must not be below 0, not -1/2"):
        epsilon(DHC, F(-1, 2))


ALPHA = np.concatenate([[0.0, 1e-300, 1e-35], np.linspace(0, 1, 101)[1:], [1 - 1e-9]])


def supremum(rho: F, alpha: float, delta) -> mpmath.mpf:
    """sup over eps of both branches by brute force, over 4,000 eps."""
    best = mpmath.mpf(0)
    for k in range(4000):
        eps = F(k, 4000) * 60
        one_minus = 1 - to_mpf(delta(rho, eps).value)
        best = max(
            best, one_minus - mpmath.exp(to_mpf(eps)) * alpha, mpmath.exp(-to_mpf(eps)) * (one_minus - alpha)
        )
    return best


@pytest.mark.parametrize("conversion", ["census", "cks20"])
@pytest.mark.parametrize("rho", [F(1, 100), DHC, F(50)])
def test_implied_tradeoffs_fall_and_are_convex_and_below_the_gaussian_one(rho: F, conversion: str) -> None:
    beta = zcdp.tradeoff(rho, ALPHA, conversion)
    assert beta.shape == ALPHA.shape
    order = np.argsort(ALPHA)
    alpha, beta = ALPHA[order], beta[order]
    assert np.all(np.diff(beta) <= 0)
    assert np.all((beta >= 0) & (beta <= 1 - alpha))
    inner = (alpha > 1e-3) & (alpha < 0.995)
    slopes = np.diff(beta[inner]) / np.diff(alpha[inner])
    assert np.all(np.diff(slopes) >= -1e-6 * np.abs(slopes[1:]))
    assert np.all(beta <= gaussian.tradeoff(rho, alpha) + 1e-13)


@pytest.mark.parametrize("rho", [F(1, 100), DHC, F(50)])
def test_the_tight_tradeoff_is_the_higher_one(rho: F) -> None:
    census, tight = (zcdp.tradeoff(rho, ALPHA, conversion) for conversion in ("census", "cks20"))
    assert np.all(census <= tight + 1e-13)


@pytest.mark.parametrize(("conversion", "delta"), [("census", zcdp.delta), ("cks20", zcdp.delta_cks20)])
@pytest.mark.parametrize("alpha", [1e-4, 0.3])
def test_implied_tradeoffs_reach_the_supremum_from_below(conversion: str, delta, alpha: float) -> None:
    found = float(zcdp.tradeoff(DHC, np.array(alpha), conversion))
    wanted = float(supremum(DHC, alpha, delta))
    assert wanted * (1 - 1e-4) <= found <= wanted * (1 + 1e-4)


@settings(max_examples=30)
@given(st.fractions(F(1, 100), 50, max_denominator=100), st.floats(0, 1))
def test_an_implied_tradeoff_is_never_above_the_exact_supremum(rho: F, alpha: float) -> None:
    """The Gaussian curve satisfies rho-zCDP, so it lies above every bound that zCDP implies."""
    for conversion in ("census", "cks20"):
        beta = zcdp.tradeoff(rho, np.array([alpha]), conversion)
        assert beta <= gaussian.tradeoff(rho, np.array([alpha])) + 1e-15


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_must_be_a_probability(alpha: float) -> None:
    for tradeoff in (gaussian.tradeoff, lambda rho, a: zcdp.tradeoff(rho, a, "census")):
        with pytest.raises(ValueError, match=r"alpha must lie in \[0, 1\]"):
            tradeoff(DHC, np.array([alpha]))
