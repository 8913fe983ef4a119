"""Roots of increasing or decreasing functions by secant steps inside a bracket; always ends."""

from collections.abc import Callable

_MOST_STEPS = 80


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, guess: float, slope: float, tolerance: float
) -> float:
    """The x in [low, high] at which a monotone function changes sign, to a relative tolerance.

    slope: rough derivative at the guess, whose sign says whether the function rises. A step that leaves the
    bracket or shrinks too slowly is replaced by bisection, so at most about 80 evaluations are made.
    """
    rising = slope > 0.0
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
