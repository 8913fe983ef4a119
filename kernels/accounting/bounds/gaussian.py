"""The continuous Gaussian limit G_mu, mu^2 = 2 rho = R: an approximation of the exact curves, *not a bound*.

The exact curves of discrete Gaussians come close to it and may lie on either side. It is only ever printed
with these words beside it.
"""

from fractions import Fraction
from functools import lru_cache
from math import erfc, inf, sqrt
from statistics import NormalDist

import numpy as np
from flint import arb, ctx, fmpq

from kernels.accounting.bounds.zcdp import FloatArray, check
from kernels.intervals.balls import ball, bisected, certified
from kernels.intervals.interval import INFINITE, ZERO, Interval


@lru_cache(maxsize=4096)
def epsilon(rho: Fraction, delta: Fraction) -> Interval:
    """eps at which G_mu has this delta: 0 when delta >= delta(0), infinite at delta = 0. Not a bound.

    Raises ValueError when rho <= 0 or delta < 0.
    """
    check(rho, delta)
    if delta == 0:
        return INFINITE

    def formula() -> arb | None:
        target = ball(delta)
        excess = _delta(rho, arb(0)) - target
        if not excess > 0:
            return arb(0) if excess < 0 else None
        # G_mu satisfies rho-zCDP, so the zCDP conversion gives an eps beyond the root.
        beyond = ball(rho) + 2 * (ball(rho) * -target.log()).sqrt() + 1
        return bisected(lambda eps: target - _delta(rho, eps), arb(0), beyond, ctx.prec - 32)

    return ZERO if delta >= 1 else certified(formula)


@lru_cache(maxsize=4096)
def delta(rho: Fraction, eps: Fraction) -> Interval:
    """delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu). Not a bound.

    Source: Dong, Roth, Su, "Gaussian Differential Privacy" (2022), Corollary 1.
    Raises ValueError when rho <= 0.
    """
    check(rho)
    return certified(lambda: _delta(rho, ball(eps))).clipped()


def tradeoff(rho: Fraction, alpha: FloatArray) -> FloatArray:
    """G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), plain float64, same shape as alpha. Not a bound.

    Raises ValueError when rho <= 0 or an alpha lies outside [0, 1].
    """
    check(rho, alpha=alpha)
    mu = sqrt(2 * rho)
    ends, inverse = {0.0: -inf, 1.0: inf}, NormalDist().inv_cdf
    quantiles = (ends[a] if a in ends else inverse(a) for a in np.ravel(alpha).tolist())
    beta = [erfc((mu + quantile) / sqrt(2)) / 2 for quantile in quantiles]
    return np.array(beta).reshape(np.shape(alpha))


def _delta(rho: Fraction, eps: arb) -> arb:
    mu = ball(2 * rho).sqrt()
    near, far = eps / mu - mu / 2, eps / mu + mu / 2
    density = (-near * near / 2).exp() / (2 * arb.pi()).sqrt()  # also e^eps times the density at `far`
    first = density * _mills(near) if near > 40 else _phi(-near)
    second = density * _mills(far) if far > 40 else eps.exp() * _phi(-far)
    return first - second


def _phi(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def _mills(x: arb) -> arb:
    """Phi(-x) / Phi'(x) for x > 0; unlike its two parts it stays within the range of exponents far out."""
    half = arb(fmpq(1, 2))
    return (x * x / 2).hypgeom_u(half, half) / arb(2).sqrt()
