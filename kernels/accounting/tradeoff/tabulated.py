"""The trade-off function at any alpha from tabulated points alone: chords above, tangents below.

f is convex and falls from f(0) <= 1 to f(1) = 0, and -e^tau is a slope of f at its point (P(T > tau),
Q(T <= tau)). So a straight line between two points on or above f is above f between them, and a line of slope
-e^tau through such a point, or through one below it, is below f everywhere. Each tabulated point is moved up
and right by its error bound for the chords, and down and left for the tangents.
"""

from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

from kernels.intervals.balls import ball, certified
from kernels.intervals.interval import NEAREST, Interval, from_fraction

_NEIGHBOURS = 2  # tangents on either side; the nearest is the highest but for the points' errors


@dataclass(frozen=True)
class Curve:
    """A tabulated trade-off function: thresholds tau_j = first + j step, alpha_j = P(T > tau_j), falling, and
    beta_j = Q(T <= tau_j) as unevaluated sums of doubles, [m, 3], each within `bound`."""

    first: Fraction
    step: Fraction
    alpha: np.ndarray
    beta: np.ndarray
    bound: float

    @cached_property
    def points(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """alpha_j, beta_j, tau_j, alpha rising."""
        rows = zip(self.alpha.tolist(), self.beta.tolist(), strict=True)
        points = [(_exact(a), _exact(b), self.first + j * self.step) for j, (a, b) in enumerate(rows)]
        return points[::-1]

    @cached_property
    def _above(self) -> list[tuple[Fraction, Fraction]]:
        """Points on or above f, alpha rising."""
        bound = Fraction(self.bound)
        inside = [(a + bound, b + bound) for a, b, _ in self.points if 0 < a + bound < 1]
        return [(Fraction(0), Fraction(1)), *inside, (Fraction(1), Fraction(0))]

    def at(self, alpha: Fraction) -> Interval:
        """f(alpha), 0 <= alpha <= 1: the interval between the highest tangent and the chord."""
        upper = from_fraction(self._chord(alpha)).upper
        place = bisect_left(self.points, (alpha,))
        near = self.points[max(place - _NEIGHBOURS, 0) : place + _NEIGHBOURS]
        lower = max([Decimal(0), *(self._tangent(alpha, point) for point in near)])
        lower = min(lower, upper)
        middle = NEAREST.divide(NEAREST.add(lower, upper), 2)
        return Interval(min(max(middle, lower), upper), lower, upper)

    def _chord(self, alpha: Fraction) -> Fraction:
        above = self._above
        place = bisect_left(above, (alpha,))
        if above[place][0] == alpha:
            return above[place][1]
        (a, b), (c, d) = above[place - 1], above[place]
        return min(b + (d - b) * (alpha - a) / (c - a), Fraction(1))

    def _tangent(self, alpha: Fraction, point: tuple[Fraction, Fraction, Fraction]) -> Decimal:
        bound = Fraction(self.bound)
        a, b, tau = point
        return certified(lambda: ball(b - bound) - ball(tau).exp() * ball(alpha - (a - bound))).lower


def _exact(parts: list[float]) -> Fraction:
    return sum(map(Fraction, parts), Fraction(0))
