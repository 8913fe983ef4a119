"""eps at a given delta, and the variance reduction: roots of ln delta, certified on both sides.

The search works on ln delta in double precision, whose error bound is known; the answer is an interval at
whose ends the inequality holds with that bound to spare. For a delta next to 1 it works on -ln(1 - delta),
which rises with delta, too, and tells such deltas apart. Starting brackets come from the zCDP conversions,
which are bounds on the exact answer.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np

from kernels.accounting.bounds import zcdp
from kernels.accounting.profile_point import Profile, ProfilePoint
from kernels.accounting.tradeoff.normal import mills
from kernels.intervals.interval import NEAREST, UP, Interval, from_floats
from kernels.intervals.root import LOG_UNIT, Evaluation, LogDelta, bracketed_root, certified_root
from kernels.numerics.relative.tilt import Tails, Tilt

_ROUGH = 1e-9  # relative tolerance of the search; Newton steps and the certified interval follow
_MOST_STEPS = 8  # of Newton for the guess by the Gaussian limit, which about doubles its digits at each
_NEXT_TO_ONE = Fraction(1, 1000)  # 1 - delta below which ln delta barely distinguishes deltas

#: ln delta, or -ln(1 - delta), at several eps, floats or exact.
ExactEvaluation = Callable[[Sequence[float | Fraction]], Sequence[LogDelta]]


@dataclass(frozen=True, slots=True)
class Reduction:
    """How much noise variance the exact account saves at delta.

    eps_zcdp: the Census Bureau's zCDP eps at delta; scale: the factor c on all rhos at which
    delta_exact(eps_zcdp) reaches delta, and at whose lower bound it does not exceed it (docs/method.md,
    section 11); reduction: 1 - 1/c.
    """

    delta: Fraction
    eps_zcdp: Interval
    reduction: Interval
    scale: Interval


def log_fraction(number: Fraction) -> float:
    """ln of a positive rational of any size, to a few units in the last place."""
    with mpmath.workprec(80):
        return float(mpmath.log(mpmath.mpf(number.numerator) / number.denominator))


def near_one(delta: Fraction) -> bool:
    """Whether delta is found by -ln(1 - delta) in place of ln delta."""
    return 1 - delta < _NEXT_TO_ONE


def _goal(delta: Fraction) -> float:
    """ln delta, or -ln(1 - delta)."""
    return -log_fraction(1 - delta) if near_one(delta) else log_fraction(delta)


def log_deltas(sums: Tails, rest: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """ln delta (rest: -ln(1 - delta)) by every row of tilted sums, and bounds on its absolute error, [m].

    The error is infinite where delta (rest: 1 - delta) cannot be told from 0.
    """
    power = np.array([top / sums.exponent_denominator for top in sums.exponent]) + sums.log_norm
    mantissa, error = sums.mantissa[:, 2], sums.error[:, 2]
    rounding = LOG_UNIT * (np.abs(power) + 4.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        direct = power + np.log(mantissa)
        direct_error = error / (mantissa - error) + rounding
        missing = np.exp(power) * np.maximum(mantissa, 0.0)  # what 1 lacks, where the sums are of the other
        missing_error = np.exp(power) * error + missing * rounding
        left = 1.0 - missing - missing_error
        other = sums.middle != rest
        value = np.where(other, np.log1p(-missing), direct)
        doubt = np.where(other, missing_error / left, direct_error)
        sure = np.where(other, left > 0.0, mantissa > error)
    return -value if rest else value, np.where(sure, doubt + LOG_UNIT * np.abs(value), np.inf)


def by_tilt(tilt: Tilt, rest: bool = False) -> ExactEvaluation:
    """ln delta at several eps >= 0 from tilted sums, with its derivative -e^eps P(T > eps) / delta; rest:
    -ln(1 - delta), with -e^eps P(T > eps) / (1 - delta)."""

    def at(eps: Sequence[float | Fraction]) -> list[LogDelta]:
        points = [tilt.first_point(Fraction(number)) for number in eps]
        sums = tilt.tails(points)
        value, error = log_deltas(sums, rest)
        below = -value if rest else value  # ln of what the derivative is divided by
        results = []
        for row, point in enumerate(points):
            log_alpha = sums.exponent[row] / sums.exponent_denominator - point.gap + float(sums.log_norm[row])
            log_alpha += math.log(max(sums.mantissa[row, 1], 1e-300))
            slope = -math.exp(min(log_alpha - float(below[row]), 700.0))
            results.append(LogDelta(float(value[row]), float(error[row]), slope))
        return results

    return at


def by_profile(profile: Profile, rest: bool = False) -> ExactEvaluation:
    """The same from certified points of the privacy profile."""

    def at(eps: Sequence[float | Fraction]) -> list[LogDelta]:
        return [_log_delta(point, rest) for point in profile([Fraction(number) for number in eps])]

    return at


def _log_delta(point: ProfilePoint, rest: bool) -> LogDelta:
    number, sign = (1 - point.delta, -1.0) if rest else (point.delta, 1.0)
    if not number.lower > 0:
        return LogDelta(-sign * math.inf, math.inf, 0.0)
    log = float(NEAREST.ln(number.value))
    doubt = UP.subtract(UP.divide(number.upper, number.lower), 1)
    error = float(doubt) * (1.0 + 1e-9) + LOG_UNIT * abs(log)
    log_alpha = float(NEAREST.ln(point.alpha.value)) if point.alpha.value > 0 else -math.inf
    return LogDelta(sign * log, error, -math.exp(min(log_alpha + float(point.eps) - log, 700.0)))


def least_epsilon(
    at: Evaluation,
    rho: Fraction,
    delta: Fraction,
    guess: float | None = None,
    rough: Evaluation | None = None,
) -> Interval:
    """The eps > 0 with delta(eps) = delta, for 0 < delta < delta(0); rho = R/2; guess: within 0.01 if given;
    rough: a quicker evaluation without bounds, for the search. Both give -ln(1 - delta) where that is
    near_one."""
    target = _goal(delta)
    highest = math.nextafter(float(zcdp.epsilon_cks20(rho, delta).upper), math.inf)
    if guess is None:
        search = rough or at

        def excess(eps: float) -> float:
            value = search([eps])[0].value
            return (value if math.isfinite(value) else at([eps])[0].value) - target

        guess = bracketed_root(excess, 0.0, highest, highest, at([highest])[0].slope, _ROUGH)
    return from_floats(*certified_root(at, target, guess, None, (0.0, highest), 60))


def _gaussian_log_delta(eps: float, total: float, rest: bool) -> tuple[float, float]:
    """ln delta (rest: -ln(1 - delta)) of the Gaussian limit with mu^2 = R and its derivative in ln R, in
    double precision: a guess.

    delta = phi(a) (m(a) - m(b)), 1 - delta = phi(a) (m(-a) + m(b)), a, b = eps / mu -+ mu / 2, m the Mills
    ratio.
    """
    mu = math.sqrt(total)
    a, b = eps / mu - mu / 2.0, eps / mu + mu / 2.0
    size = max(mills(-a) + mills(b) if rest else mills(a) - mills(b), 1e-300)
    log = -0.5 * a * a - 0.5 * math.log(2.0 * math.pi) + math.log(size)
    return -log if rest else log, 0.5 * mu / size


def variance_reduction(
    scaled: Callable[[Fraction], ExactEvaluation], rho: Fraction, delta: Fraction, guess: float | None = None
) -> Reduction:
    """Variance reduction at delta in (0, 1); scaled(c) gives ln delta, or -ln(1 - delta) where that
    is near_one, with all rhos times c >= 1, rho = R/2 unscaled; guess: of c."""
    target, rest = _goal(delta), near_one(delta)
    eps_zcdp = zcdp.epsilon(rho, delta)
    eps = Fraction(eps_zcdp.lower)  # to 60 digits; the margins of certified_root are far wider
    total = 2.0 * float(rho)

    def slope(scale: float) -> float:
        return max(_gaussian_log_delta(float(eps), scale * total, rest)[1] / scale, 1e-3)

    if guess is None:
        guess = 1.0
        for _ in range(_MOST_STEPS):
            value, rise = _gaussian_log_delta(float(eps), guess * total, rest)
            guess = min(max(guess * (1.0 + (target - value) / rise), 1.0), 2.0 * guess)

    def at(scales: Sequence[float]) -> list[LogDelta]:
        return [scaled(Fraction(scale))([eps])[0] for scale in scales]

    value, low, high = certified_root(at, target, guess, slope(guess), (1.0, math.inf), 10)
    scale = from_floats(value, low, high)
    reduction = Interval(*(1 - 1 / c for c in (scale.value, scale.lower, scale.upper)))
    return Reduction(delta, eps_zcdp, reduction, scale)
