"""The Gaussian limit, against mpmath's normal distribution. It approximates; it bounds nothing."""

from decimal import Decimal
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from kernels.accounting.bounds import gaussian
from tests.kernels.accounting.test_zcdp import DELTAS, DHC, RHOS, holds
from tests.kernels.numerics.exact import to_mpf


def mp_delta(rho: F, eps: F) -> mpmath.mpf:
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)."""
    mu, e = mpmath.sqrt(2 * to_mpf(rho)), to_mpf(eps)
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


@pytest.mark.parametrize("rho", [F(1, 10), F(1, 2), DHC, F(300)])
@pytest.mark.parametrize("eps", [F(-3), F(0), F(1, 2), F(49, 2), F(400)])
def test_delta_is_the_closed_form(rho: F, eps: F) -> None:
    with mpmath.workdps(300):
        assert holds(gaussian.delta(rho, eps), mp_delta(rho, eps))


def test_far_out_both_ways_of_evaluating_agree() -> None:
    rho = F(2)
    for eps in (F(81), F(82), F(83), F(84)):  # eps/mu - mu/2 passes 40 here
        with mpmath.workdps(1600):
            assert holds(gaussian.delta(rho, eps), mp_delta(rho, eps))


def test_the_known_value_of_mu_1() -> None:
    assert str(gaussian.delta(F(1, 2), F(0)).value).startswith("0.382924922548026")


@settings(max_examples=40, deadline=None)
@given(RHOS, DELTAS)
def test_epsilon_inverts_delta(rho: F, delta: F) -> None:
    eps = gaussian.epsilon(rho, delta)
    assert F(gaussian.delta(rho, F(eps.upper)).lower) <= delta
    if eps.lower > 0:
        assert F(gaussian.delta(rho, F(eps.lower)).upper) >= delta
        assert eps.width <= eps.value * Decimal("1e-38")


def test_edges() -> None:
    assert gaussian.epsilon(DHC, F(0)).value == Decimal("Infinity")
    assert gaussian.epsilon(DHC, F(1)).value == 0
    at_zero = gaussian.delta(DHC, F(0))
    assert gaussian.epsilon(DHC, F(at_zero.upper)).value == 0
    assert gaussian.epsilon(DHC, F(at_zero.lower)).value > 0
    far = gaussian.delta(DHC, F(10**12))
    assert 0 <= far.lower <= far.upper < Decimal("1e-1000000")


def test_tradeoff_is_the_closed_form_into_both_tails() -> None:
    alpha = np.array([[0.0, 1e-300, 1e-35, 1e-3], [0.3, 0.5, 0.99, 1.0]])
    beta = gaussian.tradeoff(DHC, alpha)
    assert beta.shape == alpha.shape
    assert beta[0, 0] == 1.0
    assert beta[1, 3] == 0.0
    with mpmath.workdps(40):
        mu = mpmath.sqrt(2 * to_mpf(DHC))
        for a, b in zip(alpha.ravel()[1:-1], beta.ravel()[1:-1], strict=True):
            quantile = mpmath.findroot(
                lambda x, a=a: mpmath.log(mpmath.ncdf(x)) - mpmath.log(mpmath.mpf(a)), -1.0
            )
            assert abs(mpmath.ncdf(-quantile - mu) - b) <= 1e-13 * b
