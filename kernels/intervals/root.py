"""Roots of a monotone ln delta: a search that always ends, and an interval that certainly holds the root."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LOG_UNIT = 2.0**-50  # rounding of a logarithm, relative to the largest number in it
_MOST_STEPS = 80  # 20 of them bisections at least, the others secant steps
_MOST_NEWTON_STEPS = 8  # squares the error each time; a search that needs more has not settled
_FINEST = 1e-12  # relative width at which an edge of certainty is not pursued further


@dataclass(frozen=True, slots=True)
class LogDelta:
    """ln delta at one point: value, bound on its absolute error, derivative in eps."""

    value: float
    error: float
    slope: float


#: ln delta at several points.
Evaluation = Callable[[Sequence[float]], Sequence[LogDelta]]


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, guess: float, slope: float, tolerance: float
) -> float:
    """The x in [low, high] at which a monotone function changes sign, to a relative tolerance.

    slope: rough derivative at the guess, whose sign says whether the function rises. A step that leaves the
    bracket or shrinks too slowly is replaced by bisection, so at most about 80 evaluations are made.
    """
    rising = slope > 0.0
    if slope == 0.0:  # of a delta that is flat to the last digit
        slope = -1.0
    x = min(max(guess, low), high)
    value = function(x)
    for step in range(_MOST_STEPS):
        if value == 0.0:
            return x
        if (value > 0.0) == rising:
            high = x
        else:
            low = x
        after = x - value / slope
        if not low < after < high or (step % 4 == 3):
            after = 0.5 * (low + high)
        if abs(after - x) <= tolerance * abs(x) or high - low <= tolerance * abs(high):
            return after
        moved = function(after)
        if moved != value:
            slope = (moved - value) / (after - x)
        x, value = after, moved
        if slope == 0.0 or (slope > 0.0) != rising:
            slope = 1.0 if rising else -1.0
    return x


@dataclass(frozen=True, slots=True)
class _Search:
    """Ways to the root of certified_root, whose arguments the fields are."""

    at: Evaluation
    target: float
    start: float
    first_slope: float | None
    limits: tuple[float, float]
    halvings: int

    @property
    def margin(self) -> float:
        """How far beyond its error ln delta must lie to be certainly above or below the target."""
        return LOG_UNIT * (abs(self.target) + 1.0)

    def sides(self, xs: Sequence[float]) -> list[int]:
        """-1: certainly not right of the root, 1: certainly not left of it, 0: not known."""
        sides = []
        for point in self.at(xs):
            above = point.value - point.error - self.margin >= self.target
            below = point.value + point.error + self.margin <= self.target
            sides.append(0 if above == below else -1 if above == (self.first_slope is None) else 1)
        return sides

    def _edge(self, sure: float, doubtful: float, side: int) -> float:
        """The point closest to the doubtful one that certainly lies on the side of the sure one."""
        for _ in range(self.halvings):
            if abs(sure - doubtful) <= _FINEST * abs(doubtful):
                break
            middle = 0.5 * (sure + doubtful)
            if self.sides([middle])[0] == side:
                sure = middle
            else:
                doubtful = middle
        return sure

    def polished(self) -> tuple[float, float] | None:
        """The root and how far from it the sides should be certain; None when the steps do not settle."""
        root, before, last = self.start, None, math.inf
        slope = 0.0 if self.first_slope is None else self.first_slope
        for _ in range(_MOST_NEWTON_STEPS):
            here = self.at([root])[0]
            if self.first_slope is None:
                slope = here.slope
            elif before is not None and root != before[0]:
                slope = (here.value - before[1]) / (root - before[0])
            step = (self.target - here.value) / slope if slope else math.inf
            if not math.isfinite(here.error) or not math.isfinite(step):
                return None
            before = root, here.value
            root = min(max(root + step, self.limits[0]), self.limits[1])
            width = max(1.2 * (here.error + self.margin) / abs(slope), 4.0 * math.ulp(root))
            # The next error is about the square of this step (Newton) or its product with the last (secant).
            if abs(step) * min(abs(step) if self.first_slope is None else abs(last), 1.0) <= 0.1 * width:
                return root, width
            last = step
        return None

    def bracketed(self) -> tuple[float, float] | None:
        """As polished, by a bracket around the root: slower, but kinks do not disturb it."""
        low, high = self.limits
        high = min(high, 4.0 * self.start) if self.start > low else high
        slope = -1.0 if self.first_slope is None else self.first_slope
        root = bracketed_root(
            lambda x: self.at([x])[0].value - self.target, low, high, self.start, slope, 2.0**-51
        )
        nearby = root * (1.0 + 2.0**-26)
        if nearby == root:  # the limit 0, where delta is all but 1 on a wide stretch
            return None
        here, there = self.at([root, nearby])
        slope = (there.value - here.value) / (nearby - root)
        if slope == 0.0 or not math.isfinite(slope) or not math.isfinite(here.error):
            return None
        return root, max(2.0 * (here.error + self.margin) / abs(slope), 4.0 * math.ulp(root))

    def bisected(self) -> tuple[float, float, float]:
        """The root, a lower and an upper bound, by halving alone."""
        low, high = self.limits
        if math.isinf(high):
            high = 2.0 * self.start
            while self.sides([high])[0] <= 0:
                high *= 2.0
                if math.isinf(high):
                    break
        for _ in range(self.halvings):
            middle = 0.5 * (low + high) if math.isfinite(high) else self.start
            if not low < middle < high or high - low <= _FINEST * abs(high):
                break
            side = self.sides([middle])[0]
            if side == 0:
                return middle, self._edge(low, middle, -1), self._edge(high, middle, 1)
            low, high = (middle, high) if side < 0 else (low, middle)
        return min(max(0.5 * (low + high), low), high) if math.isfinite(high) else low, low, high


def certified_root(
    at: Evaluation,
    target: float,
    start: float,
    first_slope: float | None,
    limits: tuple[float, float],
    halvings: int,
) -> tuple[float, float, float]:
    """The x with ln delta(x) = target, and a lower and an upper bound of it.

    Newton or secant steps from the start, then an interval at whose ends ln delta is certainly on either side
    of the target; bisection where that fails. first_slope: derivative at the start for secant steps,
    positive; None where ln delta falls in x and at() gives its derivative. limits: bounds of the root by
    theorem; the upper one may be infinite where the start is above 0. halvings: most steps of the bisection.
    """
    search = _Search(at, target, start, first_slope, limits, halvings)
    for attempt in (search.polished, search.bracketed):
        found = attempt()
        if found is None:
            continue
        root, width = found
        for _ in range(3):
            low, high = max(root - width, limits[0]), min(root + width, limits[1])
            left, right = search.sides([low, high])
            if (left < 0 or low == limits[0]) and (right > 0 or high == limits[1]):
                return root, low, high
            width *= 8.0
    return search.bisected()
