"""The greatest value of a concave function from enclosures of its values and slopes at a few places.

Between two places the function lies under the line through the left one with a slope that is no less than its
own there, and under the line through the right one with a slope that is no greater. Such slopes are those of
the function itself, or of chords: one that ends at the left place from the left, one that begins at the right
place to the right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kernels.intervals.interval import DOWN, NEAREST, UP, ZERO, Interval


@dataclass(frozen=True, slots=True)
class Known:
    """The value at a place, and a slope of the function there: neither above the one on its left nor below
    the one on its right."""

    place: Interval
    value: Interval
    slope: Interval


@dataclass(frozen=True, slots=True)
class Peak:
    """No value of a stretch is above `bound`; the two lines that show it meet at `place`."""

    bound: Decimal
    place: Decimal


def peak_between(known: Sequence[Known], left: int, straight: bool) -> Peak:
    """Over the stretch from known[left] to its right neighbour; straight: the function is linear there."""
    a, b = known[left], known[left + 1]
    if straight:
        end = max(a, b, key=lambda end: end.value.upper)
        return Peak(end.value.upper, end.place.value)
    rise = _rise(known[:left], a)
    if rise <= 0:
        return Peak(a.value.upper, a.place.value)
    fall = _fall(b, known[left + 2 :])
    if fall <= 0:
        return Peak(b.value.upper, b.place.value)
    width = UP.subtract(b.place.upper, a.place.lower)
    step = UP.subtract(b.value.upper, a.value.upper)
    meet = UP.divide(UP.add(step, UP.multiply(fall, width)), UP.add(rise, fall))
    meet = min(max(meet, ZERO.value), width)  # the lines may change over anywhere; this is where it is best
    bound = max(
        UP.add(a.value.upper, UP.multiply(rise, meet)),
        UP.add(b.value.upper, UP.multiply(fall, UP.subtract(width, meet))),
    )
    return Peak(bound, NEAREST.add(a.place.value, meet))


def peak_beyond(known: Sequence[Known], intercept: Interval, fall: Interval) -> Peak:
    """Over everything right of the last place, where the function is at most intercept - fall * place."""
    last = known[-1]
    rise = _rise(known[:-1], last)
    if rise <= 0:
        return Peak(last.value.upper, last.place.value)
    gap = UP.subtract(intercept.upper, last.value.upper)
    meet = UP.divide(UP.add(gap, UP.multiply(rise, last.place.value)), UP.add(rise, fall.value))
    meet = max(meet, last.place.upper)
    bound = max(
        UP.add(last.value.upper, UP.multiply(rise, UP.subtract(meet, last.place.lower))),
        UP.subtract(intercept.upper, DOWN.multiply(fall.lower, meet)),
    )
    return Peak(bound, meet)


def _rise(before: Iterable[Known], here: Known) -> Decimal:
    """An upper bound on the slope to the right of a place."""
    rise = here.slope.upper
    for other in before if rise > 0 else ():
        run = here.place - other.place
        if run.lower > 0:
            rise = min(rise, ((here.value - other.value) / run).upper)
    return rise


def _fall(here: Known, after: Iterable[Known]) -> Decimal:
    """An upper bound on how steeply the function falls towards the left of a place, its slope there taken
    negative."""
    slope = here.slope.lower
    for other in after if slope < 0 else ():
        run = other.place - here.place
        if run.lower > 0:
            slope = max(slope, ((other.value - here.value) / run).lower)
    return UP.minus(slope)
