"""eps at a given delta, and the variance reduction: roots of ln delta, certified on both sides.

The search works on ln delta in double precision, whose error bound is known; the answer is an interval at
whose ends the inequality holds with that bound to spare. Starting brackets come from the zCDP conversions,
which are bounds on the exact answer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np

from kernels.accounting import zcdp
from kernels.accounting.certified import Certified, from_floats
from kernels.accounting.search import bracketed_root
from kernels.numerics.tilt import Tails, Tilt

_LOG_UNIT = 2.0**-50  # rounding of a logarithm, relative to the largest number in it
_WIDENINGS = 60
_ROUGH = 1e-9  # of the search; Newton steps and the certified interval follow
_POLISHINGS = 6


@dataclass(frozen=True, slots=True)
class Reduction:
    """How much noise variance the exact account saves at delta.

    eps_zcdp: the Census Bureau's zCDP eps at delta; scale: the largest factor c on all rhos with
    delta_exact(eps_zcdp) <= delta; reduction: 1 - 1/c.
    """

    delta: Fraction
    eps_zcdp: Certified
    reduction: Certified
    scale: Certified


@dataclass(frozen=True, slots=True)
class LogDelta:
    """ln delta at one eps: value, bound on its absolute error, derivative in eps."""

    value: float
    error: float
    slope: float


def log_fraction(number: Fraction) -> float:
    """ln of a positive rational of any size, to a few units in the last place."""
    with mpmath.workprec(80):
        return float(mpmath.log(mpmath.mpf(number.numerator) / number.denominator))


def log_deltas(found: Tails) -> tuple[np.ndarray, np.ndarray]:
    """ln delta and the bound on its absolute error for every row of tilted sums, [m] each.

    The error is infinite where delta cannot be told from 0.
    """
    power = np.array([top / bottom for top, bottom in found.exponent]) + found.log_norm
    mantissa, error = found.mantissa[:, 2], found.error[:, 2]
    rounding = _LOG_UNIT * (np.abs(power) + 4.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        direct = power + np.log(mantissa)
        direct_error = error / (mantissa - error) + rounding
        missing = np.exp(power) * np.maximum(mantissa, 0.0)  # 1 - delta
        missing_error = np.exp(power) * error + missing * rounding
        left = 1.0 - missing - missing_error
        value = np.where(found.middle, np.log1p(-missing), direct)
        doubt = np.where(found.middle, missing_error / left, direct_error)
        sure = np.where(found.middle, left > 0.0, mantissa > error)
    return value, np.where(sure, doubt + _LOG_UNIT * np.abs(value), np.inf)


def log_delta(tilt: Tilt, eps: Fraction) -> LogDelta:
    """ln delta(eps) for eps >= 0, with its derivative -e^eps P(T > eps) / delta."""
    point = tilt.first_point(eps)
    found = tilt.tails([point])
    value, error = log_deltas(found)
    top, bottom = found.exponent[0]
    log_alpha = (
        top / bottom - point.gap + float(found.log_norm[0]) + math.log(max(found.mantissa[0, 1], 1e-300))
    )
    return LogDelta(float(value[0]), float(error[0]), -math.exp(min(log_alpha - float(value[0]), 700.0)))


def _outward(holds: Callable[[float], bool], root: float, width: float, limit: float) -> float:
    """The first of root + width, root + 2 width, root + 4 width, ... at which a certified inequality holds,
    the limit at the latest."""
    for _ in range(_WIDENINGS):
        x = root + width
        if (x - limit) * width >= 0.0:
            break
        if holds(x):
            return x
        width *= 2.0
    return limit


def _enclosed(
    at: Callable[[float], LogDelta], target: float, root: float, slope: float, limits: tuple[float, float]
) -> tuple[float, float, float]:
    """The root polished by Newton steps, and an interval around it at whose ends ln delta is certainly on
    either side of the target."""
    margin = _LOG_UNIT * (abs(target) + 1.0)
    for _ in range(_POLISHINGS):
        here = at(root)
        if not math.isfinite(here.error):
            return root, *limits
        step = (target - here.value) / slope
        root = min(max(root + step, limits[0]), limits[1])
        width = max(1.2 * (here.error + margin) / abs(slope), 4.0 * math.ulp(root))
        if abs(step) <= 0.1 * width:
            break

    def above(x: float) -> bool:
        found = at(x)
        return found.value - found.error - margin >= target

    def below(x: float) -> bool:
        found = at(x)
        return found.value + found.error + margin <= target

    left, right = (above, below) if slope < 0.0 else (below, above)
    low = _outward(left, root, -width, limits[0])
    high = _outward(right, root, width, limits[1])
    return min(max(root, low), high), low, high


def least_epsilon(tilt: Tilt, rho: Fraction, delta: Fraction) -> Certified:
    """The eps > 0 with delta(eps) = delta, for 0 < delta < delta(0); rho = R/2."""
    target = log_fraction(delta)
    limit = zcdp.epsilon_cks20(rho, delta).upper
    highest = math.nextafter(float(limit), math.inf)
    rough = tilt.rough()

    def search(eps: float) -> LogDelta:
        found = log_delta(rough, Fraction(eps))
        return found if math.isfinite(found.value) else log_delta(tilt, Fraction(eps))

    start = search(highest)
    root = bracketed_root(lambda eps: search(eps).value - target, 0.0, highest, highest, start.slope, _ROUGH)
    slope = search(root).slope
    return from_floats(
        *_enclosed(lambda eps: log_delta(tilt, Fraction(eps)), target, root, slope, (0.0, highest))
    )


def variance_reduction(scaled: Callable[[Fraction], Tilt], rho: Fraction, delta: Fraction) -> Reduction:
    """Variance reduction at delta in (0, 1); scaled(c) is the relative tier with all rhos times c >= 1, rho =
    R/2 unscaled."""
    target = log_fraction(delta)
    eps_zcdp = zcdp.epsilon(rho, delta)
    eps = Fraction(float(eps_zcdp.value))
    total = 2.0 * float(rho)

    def excess(scale: float) -> float:
        tilt = scaled(Fraction(scale))
        value = log_delta(tilt.rough(), eps).value
        return (value if math.isfinite(value) else log_delta(tilt, eps).value) - target

    def gaussian_slope(
        scale: float,
    ) -> float:  # of the exponent -(eps - c R/2)^2 / (2 c R) of a Gaussian tail
        return max(float(eps) ** 2 / (2.0 * scale * scale * total) - total / 8.0, 1e-3)

    guess = 1.0 - excess(1.0) / gaussian_slope(1.0)
    highest = 1.0 + 1.2 * max(guess - 1.0, 1e-3)
    while (above := excess(highest)) < 0.0:  # ends, since delta tends to 1
        highest = 1.0 + 2.0 * (highest - 1.0)
    start = highest - above / gaussian_slope(highest)
    root = bracketed_root(excess, 1.0, highest, start, gaussian_slope(start), _ROUGH)
    nearby = root * (1.0 + 2.0**-20)
    slope = (excess(nearby) - excess(root)) / (nearby - root)

    def at(scale: float) -> LogDelta:
        return log_delta(scaled(Fraction(scale)), eps)

    value, low, high = _enclosed(at, target, root, slope, (1.0, highest))
    # eps is the double nearest to the irrational eps_zcdp: ln delta moves by its own slope in eps times the
    # difference.
    drift = 2.0 * 2.0**-52 * float(eps) * abs(at(value).slope) / slope
    scale = from_floats(value, max(low - drift, 1.0), high + drift)
    one = Decimal(1)
    return Reduction(
        delta, eps_zcdp, Certified(*(one - one / c for c in (scale.value, scale.lower, scale.upper))), scale
    )
