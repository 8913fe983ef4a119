"""Numbers as text: exact decimals where they exist, guaranteed intervals rounded outward."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from kernels.intervals.interval import Interval, from_fraction
from kernels.intervals.text import down, nearest, plain, ratio, up

WIDTH_DIGITS = 3  # digits printed of the width of a guaranteed interval
BOUND_DIGITS = 10  # least digits of its two ends


def given_fields(name: str, number: Fraction) -> dict[str, str]:
    """JSON fields of a number that was given: its decimal, and `<name>_exact` (p/q) where that is rounded."""
    known = from_fraction(number)
    fields = {name: plain(known.value)}
    return fields if known.width == 0 else {**fields, f"{name}_exact": ratio(number)}


def exact_fields(name: str, number: Fraction | int) -> dict[str, str]:
    """JSON fields of a computed number that is known exactly; a rational also as p/q in `<name>_exact`."""
    fields = certified_fields(name, from_fraction(number))
    return fields if isinstance(number, int) else {**fields, f"{name}_exact": ratio(number)}


def certified_fields(name: str, number: Interval) -> dict[str, str]:
    """JSON fields of a computed number: `<name>`, and its interval, `<name>_lower` and `<name>_upper`."""
    value, lower, upper = interval(number)
    return {name: value, f"{name}_lower": lower, f"{name}_upper": upper}


def bound_fields(name: str, bound: float) -> dict[str, str]:
    """JSON fields of an upper bound of something that is not negative: the bound is printed rounded up."""
    text = plain(Decimal(up(Decimal(bound), WIDTH_DIGITS)))
    return {name: text, f"{name}_lower": "0", f"{name}_upper": text}


def interval(number: Interval) -> tuple[str, str, str]:
    """Value, lower, upper as text with lower <= value <= upper, the bounds rounded outward.

    Digits end WIDTH_DIGITS into the interval's width, so that what is known is printed and no more; bounds
    have BOUND_DIGITS at least, so that rounding never widens an interval noticeably.
    """
    if number.width == 0 or not number.width.is_finite():
        return plain(number.value), plain(number.lower), plain(number.upper)
    last = number.width.adjusted() + 1 - WIDTH_DIGITS

    def digits(part: Decimal, least: int = BOUND_DIGITS) -> int:
        return max(least, part.adjusted() - last + 1)

    lower = Decimal(down(number.lower, digits(number.lower)))
    upper = Decimal(up(number.upper, digits(number.upper)))
    value = Decimal(nearest(number.value, digits(number.value, 1)))
    return plain(min(max(value, lower), upper)), plain(lower), plain(upper)
