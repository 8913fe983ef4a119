"""One value of the trade-off function, from a few points of the privacy profile.

f(alpha) is the greatest value over x > 0 of G(x) = 1 - delta(ln x) - x alpha, as every eps gives a line of
slope -e^eps under f. G is concave, its slope is P(T > ln x) - alpha, and it is linear between neighbouring
lattice points of T. So its greatest value at the places that were asked for is a lower bound on f(alpha), and
peak.py gives an upper one. Both hold whichever places these are: the search only makes them close.
"""

import math
from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kernels.accounting.profile_point import PROMISED, Profile, ProfilePoint
from kernels.accounting.tradeoff.normal import mills, quantile
from kernels.accounting.tradeoff.peak import Known, Peak, peak_between, peak_beyond
from kernels.intervals.interval import NEAREST, ONE, UP, ZERO, Interval, exponential, from_fraction

_MOST_STEPS, _MANY_STEPS = 60, 10
# In widths of the best value: stop below the first gap; accept the second one when progress stalls, that is
# after so many steps that did not halve it.
_SHARP, _FAIR, _SLOWEST = Decimal(2), Decimal(8), 6
_TINY = Decimal("1e-36")  # a gap that is enough after many steps, or where it is small relatively, too
_COARSE = 1e-4  # spacing over standard deviation from which neighbours are asked for at once
_LINEAR = 1e-4  # relative difference of tails up to which it tells the distance


def type_two_error(profile: Profile, spacing: Fraction, total_rho: Fraction, alpha: Fraction) -> Interval:
    """f(alpha) for a composition with lattice spacing h and total rho R; profile: its privacy profile at eps
    >= 0."""
    if alpha in (0, 1):
        return ONE if alpha == 0 else ZERO
    return _Search(profile, spacing, total_rho, alpha).answer()


@dataclass(frozen=True, slots=True)
class _Place:
    """G at the lattice point S = position; score: by how many standard deviations that is too far right, from
    P(T > t), roughly."""

    position: int
    known: Known
    score: float


class _Search:
    """Places where G is known, from the left to the right."""

    def __init__(self, profile: Profile, spacing: Fraction, total_rho: Fraction, alpha: Fraction) -> None:
        self._profile, self._h, self._half = profile, spacing, total_rho / 2
        self._alpha, self._miss = from_fraction(alpha), from_fraction(1 - alpha)
        self._side = 1 if alpha <= Fraction(1, 2) else -1
        self._tail = (self._alpha if self._side > 0 else self._miss).value
        self._log_tail = float(NEAREST.ln(self._tail))
        self._z = quantile(self._log_tail)
        self._spread = math.sqrt(total_rho)
        # P(|S| h >= x) <= 2 exp(-x^2 / 2R): the peak lies within x of 0.
        bits = max(number.bit_length() for number in (alpha.denominator, (1 - alpha).denominator))
        self._reach = math.ceil((math.isqrt(math.ceil(2 * total_rho * (bits + 2))) + 1) / spacing) + 1
        self._places: list[_Place] = []

    def answer(self) -> Interval:
        """The interval, as narrow as the profile allows or as far as the search comes."""
        first = self._position(Fraction(self._side * self._z * self._spread) - self._half)
        beside = 1 if float(self._h) > _COARSE * self._spread else 0
        self._ask(range(first - beside, first + beside + 1))
        slow, least = 0, Decimal("Infinity")
        for step in range(_MOST_STEPS):
            stretch, peak = self._peak()
            gap = UP.subtract(peak.bound, self._best().known.value.lower)
            slow = slow + 1 if UP.multiply(2, gap) > least else 0
            least = min(gap, least)
            position = None if self._enough(gap, step, slow) else self._next(stretch, peak, step, slow)
            if position is None:
                break
            self._ask([position])
        upper = max(self._peak()[1].bound, ZERO.value)
        best = self._best().known.value
        lower = max(best.lower, ZERO.value)
        return Interval(min(max(best.value, lower), upper), lower, upper).clipped(
            ZERO.value, self._miss.upper
        )

    def _enough(self, gap: Decimal, step: int, slow: int) -> bool:
        best = self._best().known.value
        if gap <= _TINY and (step >= _MANY_STEPS or gap <= UP.multiply(PROMISED, best.lower)):
            return True
        enough = _FAIR if slow >= _SLOWEST else _SHARP
        return best.lower > 0 and gap <= UP.multiply(enough, best.width)

    def _eps(self, position: int) -> Fraction:
        return position * self._h - self._half

    def _position(self, eps: Fraction) -> int:
        """The last lattice point up to eps, of those that matter."""
        position = math.floor((eps + self._half) / self._h)
        return min(max(position, -self._reach), self._reach)

    def _ask(self, positions: Iterable[int]) -> None:
        eps = {position: self._eps(position) for position in positions}
        nearest = sorted(eps, key=lambda position: abs(eps[position]))
        points = self._profile([abs(eps[position]) for position in nearest])
        for position, point in zip(nearest, points, strict=True):
            known = self._line(eps[position], point)
            place = _Place(position, known, self._score(known.slope))
            insort(self._places, place, key=lambda place: place.position)

    def _line(self, eps: Fraction, point: ProfilePoint) -> Known:
        """G and its slope at e^eps from the profile at |eps|, as T under Q is -T under P: P(T >= -eps) = 1 -
        Q(T > eps), and delta(-eps) = 1 - e^-eps (1 - delta(eps))."""
        x = exponential(eps)
        if eps >= 0:
            value = 1 - point.delta - x * self._alpha
            return Known(x, value, point.alpha - self._alpha)
        value = x * (self._miss - point.delta)
        return Known(x, value, self._miss - point.power)

    def _score(self, slope: Interval) -> float:
        ratio = self._side * float(NEAREST.divide(slope.value, self._tail))
        if abs(ratio) < _LINEAR:
            return -self._side * ratio * mills(self._z)
        log_tail = min(self._log_tail + math.log(max(1.0 + ratio, 1e-300)), -1e-300)
        return self._side * (quantile(log_tail) - self._z)

    def _best(self) -> _Place:
        return max(self._places, key=lambda place: place.known.value.lower)

    def _peak(self) -> tuple[int, Peak]:
        """The stretch where G may be greatest, by the number of places left of it, and what it is at most."""
        left_end = Known(ZERO, ZERO, self._miss)  # delta = 1 at x = 0
        known = [left_end, *(place.known for place in self._places)]
        last = len(known) - 1
        peaks = [peak_between(known, left, left > 0 and self._are_neighbours(left)) for left in range(last)]
        peaks.append(peak_beyond(known, ONE, self._alpha))
        return max(enumerate(peaks), key=lambda numbered: numbered[1].bound)

    def _are_neighbours(self, place: int) -> bool:
        return self._places[place].position == self._places[place - 1].position + 1

    def _next(self, stretch: int, peak: Peak, step: int, slow: int) -> int | None:
        """Where to ask next within the stretch: by turns where P(T > t) = alpha is expected and where the
        bound peaks, or well away from the ends where that hardly helps; None if nothing new lies there."""
        left = self._places[stretch - 1].position if stretch else None
        right = self._places[stretch].position if stretch < len(self._places) else None
        low = -self._reach if left is None else left + 1
        high = self._reach if right is None else right - 1
        if low > high:
            return None
        root, nearest = self._root()
        if left is not None and right is not None:
            if step % 2:
                return min(max(self._position(Fraction(NEAREST.ln(peak.place))), low), high)
            if slow and self._are_sides(stretch):
                return (low + high) // 2
            margin = min(self._margin(), (high - low) // 2)
            return min(max(self._position(root), low + margin), high - margin)
        away = self._margin()
        if slow:
            away = max(away, math.floor(Fraction(self._spread * 2.0 ** (slow - _SLOWEST)) / self._h))
        position = self._position(2 * root - nearest if step % 2 else root)
        return max(min(position, high - away), low) if left is None else min(max(position, low + away), high)

    def _are_sides(self, stretch: int) -> bool:
        """Whether alpha is certainly passed within the stretch."""
        left, right = self._places[stretch - 1].known, self._places[stretch].known
        return left.slope.lower > 0 > right.slope.upper

    def _root(self) -> tuple[Fraction, Fraction]:
        """eps where the score is 0 by the two places nearest to that, and the nearest one's eps."""
        near = sorted(self._places, key=lambda place: abs(place.score))
        first = self._eps(near[0].position)
        slope = 1.0 / self._spread
        for other in near[1:]:
            secant = (other.score - near[0].score) / float(self._eps(other.position) - first)
            if 0.25 * slope < secant < 4.0 * slope:
                slope = secant
                break
        return first - Fraction(near[0].score / slope), first

    def _margin(self) -> int:
        """Within so many lattice points of its peak, a smooth G differs by no more than it is uncertain."""
        best = self._best()
        log_bend = self._log_tail - math.log(mills(self._z) * self._spread) + float(self._eps(best.position))
        log_width = float(NEAREST.ln(best.known.value.width)) if best.known.value.width else -math.inf
        near = math.exp(min(0.5 * (log_width - log_bend), 0.0)) * self._spread
        return math.floor(Fraction(near) / self._h)
