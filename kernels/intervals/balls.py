"""Closed formulas with guaranteed enclosures, by Arb ball arithmetic at whatever precision they need."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from flint import arb, ctx, fmpq

from kernels.intervals.interval import Interval

DIGITS = 40
_WANTED_BITS = 136  # a little more than DIGITS decimal digits
_MAX_BITS = 1 << 15
_LEAST_EXPONENT = -(10**17)  # Decimal ends a little below


def ball(number: Fraction | int) -> arb:
    """Ball around an exact rational, at the current precision."""
    return arb(fmpq(number.numerator, number.denominator))


def certified(formula: Callable[[], arb | None]) -> Interval:
    """Enclosure of `formula()` to about 40 digits, at a precision that is doubled until it is that narrow.

    The formula may return None to say that the precision is too low to tell. Where 2^15 bits do not give 40
    digits, far below 10^-10^17 for instance, the enclosure is a wider one.

    Raises ArithmeticError when there is no enclosure at all.
    """
    enclosure: arb | None = None
    bits = 192
    while bits <= _MAX_BITS:
        with ctx.workprec(bits):
            result = formula()
            if result is not None and result.is_finite():
                enclosure = result
                if result.is_zero() or result.rel_accuracy_bits() >= _WANTED_BITS:
                    break
        bits *= 2
    if enclosure is None:
        raise ArithmeticError(f"no enclosure with {_MAX_BITS} bits")
    return to_decimals(enclosure)


def softplus(x: arb) -> arb:
    """log(1 + e^x) without overflow."""
    return x + (-x).exp().log1p() if x.mid() > 0 else x.exp().log1p()


def bisected(increasing: Callable[[arb], arb], low: arb, high: arb, steps: int) -> arb | None:
    """Ball that holds the root of a continuous increasing function between two points around it.

    Each step halves the bracket and is proven; it ends early where the function's balls no longer show the
    sign. Returns None when they do not even show increasing(low) < 0 < increasing(high).
    """
    low, high = low.mid(), high.mid()
    if not (increasing(low) < 0 and increasing(high) > 0):
        return None
    for _ in range(steps):
        middle = ((low + high) / 2).mid()
        value = increasing(middle)
        if value < 0:
            low = middle
        elif value > 0:
            high = middle
        else:
            break
    return low.union(high)


def value_over(place: arb, function: Callable[[arb], arb], slope: Callable[[arb], arb]) -> arb:
    """Ball that holds function(x) for every x in `place`, by the mean value theorem."""
    middle = place.mid()
    return function(middle) + slope(place) * (place - middle)


def to_decimals(number: arb) -> Interval:
    """The same ball in decimals, to about 40 digits."""
    middle, radius, exponent = (int(part) for part in number.mid_rad_10exp(DIGITS))
    if exponent < _LEAST_EXPONENT:
        tiny = Decimal((0, (1,), _LEAST_EXPONENT))
        return Interval(Decimal(0), Decimal(0) if middle >= radius else -tiny, tiny)
    value, lower, upper = (_scaled(part, exponent) for part in (middle, middle - radius, middle + radius))
    return Interval(value, lower, upper)


def _scaled(integer: int, exponent: int) -> Decimal:
    digits = tuple(int(digit) for digit in str(abs(integer)))
    return Decimal((int(integer < 0), digits, exponent))
