"""The privacy loss distribution of a composition on an equally spaced grid, rounded to the safe side.

The law of T under Q, every loss rounded up to a multiple of the grid. So a hockey-stick divergence computed
from it is never below the exact delta, and never above delta(eps - grid):

    delta(eps) <= sum over losses l > eps of p(l) (1 - e^(eps - l)) + p(infinity) <= delta(eps - grid)

up to what rounding in double precision adds. This is the form in which other accountants (Google's
dp-accounting, for one) compose mechanisms of different kinds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt

import numpy as np

from kernels.accounting.accountant import Accountant
from kernels.intervals.root import LOG_UNIT
from kernels.numerics.relative.tilt import Tails

MOST_POINTS = 5_000_000
INFINITE_BELOW = 1e-35
"""Losses beyond which less than this is left count as infinite."""
_ABOVE = 1.0 + 1e-11  # more than sums of millions of doubles lose
_CHUNK = 1000  # losses between two reports of progress


@dataclass(frozen=True)
class LossDistribution:
    """probabilities[i] is the probability, under Q and rounded up, of the loss (lowest + i) * grid, [n]."""

    grid: float
    lowest: int
    probabilities: np.ndarray
    infinity_mass: float


def points_needed(total_rho: Fraction, grid: float) -> tuple[int, int]:
    """Multiples of the grid below and above 0 at which less than INFINITE_BELOW is left.

    Q(T > x) <= exp(-(x - R/2)^2 / (2R)), and T under P, whose mean is -R/2 lower, mirrors T under Q.
    """
    r = float(total_rho)
    spread = sqrt(2.0 * r * log(1.0 / INFINITE_BELOW))
    return max(ceil((spread - 0.5 * r) / grid), 1), ceil((spread + 0.5 * r) / grid) + 1


def loss_distribution(
    accountant: Accountant,
    grid: float,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> LossDistribution:
    """The distribution on multiples of `grid`, a positive double taken exactly.

    advance is told how many of the losses are done. Raises ValueError when more than MOST_POINTS are needed.
    """
    below, above = points_needed(accountant.composition.total_rho, grid)
    if below + above > MOST_POINTS:
        raise ValueError(f"{below + above} losses on this grid; at most {MOST_POINTS}")
    step, tilt = Fraction(grid), accountant.tiers.tilt
    power = np.empty(above + 1)  # Q(T > k grid), rounded up
    alpha = np.empty(above + 1)  # P(T > k grid), rounded down
    for start in range(0, above + 1, _CHUNK):
        here = range(start, min(start + _CHUNK, above + 1))
        power[here], alpha[here] = _rounded(tilt.tails([tilt.first_point(k * step) for k in here]))
        advance(here.stop, above + 1)
    power = np.minimum.accumulate(np.clip(power, 0.0, 1.0))
    # Q(T <= -k grid) = P(T >= k grid), which P(T > k grid) bounds from below.
    left = np.maximum.accumulate(np.clip(alpha[: below + 1], 0.0, 1.0)[::-1])[::-1]
    falling = (left[1:below] - left[2:])[::-1]
    # The first mass is all that lies at the lowest loss and further down.
    masses = np.concatenate([left[below:], falling, [1.0 - power[0] - left[1]], power[:-1] - power[1:]])
    masses = np.where(masses > 0.0, np.nextafter(masses, 2.0) * _ABOVE, 0.0)
    return LossDistribution(grid, -below, masses, float(power[-1]) * _ABOVE)


def _rounded(sums: Tails) -> tuple[np.ndarray, np.ndarray]:
    """Upper bounds of Q and lower bounds of P for every row, [m] each."""
    exponent = np.array([top / sums.exponent_denominator for top in sums.exponent]) + sums.log_norm
    t = np.array([top / sums.t_denominator for top in sums.t])
    with np.errstate(under="ignore"):
        doubt = LOG_UNIT * (np.abs(exponent) + np.abs(t) + 4.0)
        scale, scale_p = np.exp(exponent), np.exp(exponent - t)
        (q, p, _), (q_error, p_error, _) = sums.mantissa.T, sums.error.T
        direct = scale * (np.maximum(q, 0.0) + q_error) * (1.0 + doubt)
        missing = scale * np.maximum(q - q_error, 0.0) * (1.0 - doubt)
        power = np.where(sums.middle, 1.0 - missing * (1.0 - LOG_UNIT), direct)
        return power, scale_p * np.maximum(p - p_error, 0.0) * (1.0 - doubt)
