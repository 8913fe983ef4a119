"""eps at a given delta, and the variance reduction: roots of ln delta, certified on both sides.

The search works on ln delta in double precision, whose error bound is known; the answer is an interval at
whose ends the inequality holds with that bound to spare. Starting brackets come from the zCDP conversions,
which are bounds on the exact answer.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np

from kernels.accounting.bounds import zcdp
from kernels.accounting.certified.number import NEAREST, UP, Certified, from_floats
from kernels.accounting.certified.root import LOG_UNIT, Evaluation, LogDelta, bracketed_root, certified_root
from kernels.accounting.normal import mills
from kernels.accounting.profile_point import Profile, ProfilePoint
from kernels.numerics.tilt import Tails, Tilt

_ROUGH = 1e-9  # of the search; Newton steps and the certified interval follow
_MOST_STEPS = 8

#: ln delta at several eps, floats or exact.
ExactEvaluation = Callable[[Sequence[float | Fraction]], Sequence[LogDelta]]


@dataclass(frozen=True, slots=True)
class Reduction:
    """How much noise variance the exact account saves at delta.

    eps_zcdp: the Census Bureau's zCDP eps at delta; scale: the factor c on all rhos at which
    delta_exact(eps_zcdp) reaches delta, and at whose lower bound it does not exceed it (docs/method.md,
    section 11); reduction: 1 - 1/c.
    """

    delta: Fraction
    eps_zcdp: Certified
    reduction: Certified
    scale: Certified


def log_fraction(number: Fraction) -> float:
    """ln of a positive rational of any size, to a few units in the last place."""
    with mpmath.workprec(80):
        return float(mpmath.log(mpmath.mpf(number.numerator) / number.denominator))


def log_deltas(found: Tails) -> tuple[np.ndarray, np.ndarray]:
    """ln delta and the bound on its absolute error for every row of tilted sums, [m] each.

    The error is infinite where delta cannot be told from 0.
    """
    power = np.array([top / found.exponent_denominator for top in found.exponent]) + found.log_norm
    mantissa, error = found.mantissa[:, 2], found.error[:, 2]
    rounding = LOG_UNIT * (np.abs(power) + 4.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        direct = power + np.log(mantissa)
        direct_error = error / (mantissa - error) + rounding
        missing = np.exp(power) * np.maximum(mantissa, 0.0)  # 1 - delta
        missing_error = np.exp(power) * error + missing * rounding
        left = 1.0 - missing - missing_error
        value = np.where(found.middle, np.log1p(-missing), direct)
        doubt = np.where(found.middle, missing_error / left, direct_error)
        sure = np.where(found.middle, left > 0.0, mantissa > error)
    return value, np.where(sure, doubt + LOG_UNIT * np.abs(value), np.inf)


def by_tilt(tilt: Tilt) -> ExactEvaluation:
    """ln delta at several eps >= 0 from tilted sums, with its derivative -e^eps P(T > eps) / delta."""

    def at(eps: Sequence[float | Fraction]) -> list[LogDelta]:
        points = [tilt.first_point(Fraction(one)) for one in eps]
        found = tilt.tails(points)
        value, error = log_deltas(found)
        results = []
        for row, point in enumerate(points):
            log_alpha = (
                found.exponent[row] / found.exponent_denominator - point.gap + float(found.log_norm[row])
            )
            log_alpha += math.log(max(found.mantissa[row, 1], 1e-300))
            slope = -math.exp(min(log_alpha - float(value[row]), 700.0))
            results.append(LogDelta(float(value[row]), float(error[row]), slope))
        return results

    return at


def by_profile(profile: Profile) -> ExactEvaluation:
    """The same from certified points of the privacy profile."""

    def at(eps: Sequence[float | Fraction]) -> list[LogDelta]:
        return [_log_delta(point) for point in profile([Fraction(one) for one in eps])]

    return at


def _log_delta(point: ProfilePoint) -> LogDelta:
    if not point.delta.lower > 0:
        return LogDelta(-math.inf, math.inf, 0.0)
    value = float(NEAREST.ln(point.delta.value))
    doubt = UP.subtract(UP.divide(point.delta.upper, point.delta.lower), 1)
    error = float(doubt) * (1.0 + 1e-9) + LOG_UNIT * abs(value)
    log_alpha = float(NEAREST.ln(point.alpha.value)) if point.alpha.value > 0 else -math.inf
    return LogDelta(value, error, -math.exp(min(log_alpha + float(point.eps) - value, 700.0)))


def least_epsilon(
    at: Evaluation,
    rho: Fraction,
    delta: Fraction,
    guess: float | None = None,
    rough: Evaluation | None = None,
) -> Certified:
    """The eps > 0 with delta(eps) = delta, for 0 < delta < delta(0); rho = R/2; guess: within 0.01 if given;
    rough: a quicker evaluation without bounds, for the search."""
    target = log_fraction(delta)
    highest = math.nextafter(float(zcdp.epsilon_cks20(rho, delta).upper), math.inf)
    if guess is None:
        search = rough or at

        def excess(eps: float) -> float:
            value = search([eps])[0].value
            return (value if math.isfinite(value) else at([eps])[0].value) - target

        guess = bracketed_root(excess, 0.0, highest, highest, at([highest])[0].slope, _ROUGH)
    return from_floats(*certified_root(at, target, guess, None, (0.0, highest), 60))


def _gaussian_log_delta(eps: float, total: float) -> tuple[float, float]:
    """ln delta of the Gaussian limit with mu^2 = R and its derivative in ln R, in double precision: a guess.

    delta = phi(a) (m(a) - m(b)), a, b = eps / mu -+ mu / 2, m the Mills ratio.
    """
    mu = math.sqrt(total)
    a, b = eps / mu - mu / 2.0, eps / mu + mu / 2.0
    gap = max(mills(a) - mills(b), 1e-300)
    return -0.5 * a * a - 0.5 * math.log(2.0 * math.pi) + math.log(gap), 0.5 * mu / gap


def variance_reduction(
    scaled: Callable[[Fraction], ExactEvaluation], rho: Fraction, delta: Fraction, guess: float | None = None
) -> Reduction:
    """Variance reduction at delta in (0, 1); scaled(c) gives ln delta with all rhos times c >= 1, rho = R/2
    unscaled; guess: of c."""
    target = log_fraction(delta)
    eps_zcdp = zcdp.epsilon(rho, delta)
    eps = Fraction(eps_zcdp.lower)  # to 60 digits; the margins of certified_root are far wider
    total = 2.0 * float(rho)

    def slope(scale: float) -> float:
        return max(_gaussian_log_delta(float(eps), scale * total)[1] / scale, 1e-3)

    if guess is None:
        guess = 1.0
        for _ in range(_MOST_STEPS):
            value, rise = _gaussian_log_delta(float(eps), guess * total)
            guess = min(max(guess * (1.0 + (target - value) / rise), 1.0), 2.0 * guess)

    def at(scales: Sequence[float]) -> list[LogDelta]:
        return [scaled(Fraction(scale))([eps])[0] for scale in scales]

    value, low, high = certified_root(at, target, guess, slope(guess), (1.0, math.inf), 10)
    scale = from_floats(value, low, high)
    one = Decimal(1)
    return Reduction(
        delta, eps_zcdp, Certified(*(one - one / c for c in (scale.value, scale.lower, scale.upper))), scale
    )
