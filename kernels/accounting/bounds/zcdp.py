"""What rho-zCDP alone says: the Census Bureau's own conversion, the tight one, and the curves they imply.

A composition is rho-zCDP with rho = R/2, half its total rho. All of these are bounds from above on the exact
delta and eps, in this order everywhere: exact <= CKS20 <= Census.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from kernels.intervals.balls import ball, bisected, certified, softplus, value_over
from kernels.intervals.interval import INFINITE, ONE, ZERO, Interval

FloatArray = NDArray[np.float64]
Conversion = Literal["census", "cks20"]


@lru_cache(maxsize=4096)
def epsilon(rho: Fraction, delta: Fraction) -> Interval:
    """The Census Bureau's eps = rho + 2 sqrt(rho ln(1/delta)); infinite at delta = 0, 0 at delta >= 1.

    Raises ValueError when rho <= 0 or delta < 0.
    """
    check(rho, delta)
    if delta == 0:
        return INFINITE
    if delta >= 1:
        return ZERO
    return certified(lambda: ball(rho) + 2 * (ball(rho) * -ball(delta).log()).sqrt())


@lru_cache(maxsize=4096)
def delta(rho: Fraction, eps: Fraction) -> Interval:
    """The Census Bureau's delta = exp(-(eps - rho)^2 / (4 rho)) for eps > rho, and 1 below.

    Raises ValueError when rho <= 0.
    """
    check(rho)
    if eps <= rho:
        return ONE
    return certified(lambda: ball(-((eps - rho) ** 2) / (4 * rho)).exp())


def budget(eps: Fraction, delta: Fraction) -> Interval:
    """The rho at which the Census Bureau's conversion gives this eps at delta.

    It is (sqrt(L + eps) - sqrt(L))^2 with L = ln(1/delta).

    Raises ValueError unless eps > 0 and 0 < delta < 1.
    """
    if eps <= 0 or not 0 < delta < 1:
        raise ValueError(f"eps must be above 0 and delta between 0 and 1, not {eps} and {delta}")

    def formula() -> arb:
        log = -ball(delta).log()
        return (ball(eps) / ((log + ball(eps)).sqrt() + log.sqrt())) ** 2

    return certified(formula)


@lru_cache(maxsize=4096)
def epsilon_cks20(rho: Fraction, delta: Fraction) -> Interval:
    """The least eps that the CKS20 conversion gives at delta: infinite at 0, and 0 from delta_cks20(0) on.

    With b = a - 1 > 0 and L = ln(1/delta) it is the minimum of (1+b) rho + (L + b ln b - (1+b) ln(1+b)) / b,
    whose derivative has the sign of rho b^2 + ln(1+b) - L: one minimum, enclosed here together with its
    place.

    Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", arXiv 2004.00010,
    section 2.3. Raises ValueError when rho <= 0 or delta < 0.
    """
    check(rho, delta)
    if delta == 0:
        return INFINITE
    if delta >= 1:
        return ZERO

    def formula() -> arb | None:
        r, log_delta = ball(rho), ball(delta).log()
        if not log_delta < 0:
            return None

        def sign(t: arb) -> arb:
            b = t.exp()
            return r * b * b + b.log1p() + log_delta

        def bound(t: arb) -> arb:
            b = t.exp()
            return (1 + b) * r - log_delta / b - b.log1p() / b - softplus(-t)

        def slope(t: arb) -> arb:
            return sign(t) / t.exp()

        below = (-log_delta / 2).min((-log_delta / (4 * r)).sqrt())  # rho b^2 <= L/4 and ln(1+b) < b <= L/2
        above = (-2 * log_delta / r).sqrt()  # rho b^2 = 2 L
        place = bisected(sign, below.log(), above.log(), ctx.prec // 2)
        if place is None:
            return None
        eps = value_over(place, bound, slope)
        if eps > 0:
            return eps
        return arb(0) if eps < 0 else None

    return certified(formula)


@lru_cache(maxsize=4096)
def delta_cks20(rho: Fraction, eps: Fraction) -> Interval:
    """The least delta that the CKS20 conversion gives at eps, below 1 for every eps.

    It is the minimum over the order a = 1 + b of exp(b (a rho - eps)) (1 - 1/a)^a / b. Its logarithm is
    convex in b with the derivative (1 + 2b) rho - eps + ln(b / (1+b)): one minimum, enclosed here together
    with its place.

    Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", arXiv 2004.00010,
    section 2.3. Raises ValueError when rho <= 0.
    """
    check(rho)

    # The derivative is below 0 at ln b = below - ln(1 + rho), since 2 b rho < 1/3 and ln(1 + 1/b) exceeds
    # max(rho - eps, 0) + 2 there; it is above 0 at ln b = ln(above) + 1, since ln(1 + 1/b) < 1/3 and
    # 2 b rho > eps + 1 (or eps <= -1) there.
    below = min(eps - rho, Fraction(0)) - 2
    above = max((eps + 1) / (2 * rho), Fraction(1))

    def formula() -> arb | None:
        r, e = ball(rho), ball(eps)

        def sign(t: arb) -> arb:
            return (1 + 2 * t.exp()) * r - e - softplus(-t)

        def log_bound(t: arb) -> arb:
            b = t.exp()
            return b * ((1 + b) * r - e) - b.log1p() - b * softplus(-t)

        def slope(t: arb) -> arb:
            return t.exp() * sign(t)

        place = bisected(sign, ball(below) - r.log1p(), ball(above).log() + 1, ctx.prec // 2)
        return None if place is None else value_over(place, log_bound, slope).exp()

    return certified(formula).clipped()


def tradeoff(rho: Fraction, alpha: FloatArray, conversion: Conversion) -> FloatArray:
    """Lower bound on the trade-off function beta = f(alpha) that a conversion implies; same shape as alpha.

    f(alpha) = sup over eps >= 0 of max(0, 1 - delta(eps) - e^eps alpha, e^-eps (1 - delta(eps) - alpha)).
    Every eps gives a valid bound, so the best of a fine grid, refined around its maximum, is one, a little
    below the supremum; it is rounded down by 1e-14 inside the brackets. Plain float64, for plots and
    comparisons.

    Raises ValueError when rho <= 0 or an alpha lies outside [0, 1].
    """
    check(rho, alpha=alpha)
    log_delta = {"census": _log_delta_census, "cks20": _log_delta_cks20}[conversion]
    r, flat = float(rho), np.ravel(alpha).astype(np.float64)
    best = np.zeros_like(flat)
    farthest = r + 2 * np.sqrt(r * 745.0)  # there the Census's delta is below the least float64
    grid = np.linspace(0.0, farthest, 2049)
    for branch in (_branch_steep, _branch_shallow):
        coarse = branch(grid[None, :], log_delta(r, grid)[None, :], flat[:, None])
        centre = grid[np.argmax(coarse, axis=1)]
        near = centre[:, None] + (grid[1] - grid[0]) * np.linspace(-1.0, 1.0, 65)[None, :]
        near = np.clip(near, 0.0, None)
        fine = branch(near, log_delta(r, near), flat[:, None])
        best = np.maximum(best, np.maximum(coarse.max(axis=1), fine.max(axis=1)))
    return best.reshape(np.shape(alpha))


def _branch_steep(eps: FloatArray, log_delta: FloatArray, alpha: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 - np.exp(log_delta) - np.exp(eps + np.log(alpha)) * (1 + 1e-12) - 1e-14


def _branch_shallow(eps: FloatArray, log_delta: FloatArray, alpha: FloatArray) -> FloatArray:
    return np.exp(-eps) * (1.0 - np.exp(log_delta) - alpha - 1e-14)


def _log_delta_census(rho: float, eps: FloatArray) -> FloatArray:
    return -(np.maximum(eps - rho, 0.0) ** 2) / (4 * rho)


def _log_delta_cks20(rho: float, eps: FloatArray) -> FloatArray:
    """log of CKS20's bound at a nearly optimal order; a bound in any case, since every order gives one."""
    low = np.maximum(np.minimum(eps - rho, 0.0) - 2.0 - np.log1p(rho), -700.0)
    high = np.log(np.maximum((eps + 1) / (2 * rho), 1.0)) + 1.0
    for _ in range(32):  # the bound is flat at its minimum, so half the digits of the order suffice
        t = (low + high) / 2
        below = (1 + 2 * np.exp(t)) * rho - eps - np.logaddexp(0.0, -t) < 0
        low, high = np.where(below, t, low), np.where(below, high, t)
    b = np.exp((low + high) / 2)
    return np.minimum(b * ((1 + b) * rho - eps) - np.log1p(b) - b * np.log1p(1 / b), 0.0)


def check(rho: Fraction, delta: Fraction = Fraction(0), alpha: FloatArray | None = None) -> None:
    """Raise ValueError, saying what is allowed, for numbers outside their ranges."""
    if rho <= 0:
        raise ValueError(f"rho must be above 0, not {rho}")
    if delta < 0:
        raise ValueError(f"delta must not be below 0, not {delta}")
    if alpha is not None and not np.all((alpha >= 0) & (alpha <= 1)):
        raise ValueError("alpha must lie in [0, 1]")
