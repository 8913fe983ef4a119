"""Numbers as text: exact decimals where they exist, guaranteed intervals rounded outward."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

from kernels.accounting.certified.number import Certified, down, from_fraction, nearest, up

WIDTH_DIGITS = 3  # digits printed of the width of a guaranteed interval
BOUND_DIGITS = 10  # least digits of its two ends
PLAIN_SMALL, PLAIN_DIGITS = -4, 50  # numbers from 10^-4 to 10^50 are printed without an exponent
SHORT_TEXT = 24


def plain(number: Decimal) -> str:
    """A Decimal as text: `Infinity`, or its digits without zeros at the end; far from 1 with `e`."""
    if not number.is_finite():
        return str(number)
    if number == 0:
        return "0"
    number = number.normalize(Context(prec=len(number.as_tuple().digits), Emax=MAX_EMAX, Emin=MIN_EMIN))
    if PLAIN_SMALL <= number.adjusted() < PLAIN_DIGITS:
        return format(number, "f")
    return format(number, "e").replace("e+", "e")


def ratio(number: Fraction) -> str:
    """A rational as `p/q`, or `p` where it is whole; of any length."""
    numerator, denominator = plain_integer(number.numerator), plain_integer(number.denominator)
    return numerator if denominator == "1" else f"{numerator}/{denominator}"


def plain_integer(number: int) -> str:
    """All digits of a whole number of any length (str() refuses numbers of more than 4,300 digits)."""
    return str(Decimal(number))


def short(number: Fraction) -> str:
    """The number for a table: its exact decimal where that is short, else `p/q`."""
    known = from_fraction(number)
    text = plain(known.value)
    return text if known.width == 0 and len(text) <= SHORT_TEXT else ratio(number)


def given_fields(name: str, number: Fraction) -> dict[str, str]:
    """JSON fields of a number that was given: its decimal, and `<name>_exact` (p/q) where that is rounded."""
    known = from_fraction(number)
    fields = {name: plain(known.value)}
    return fields if known.width == 0 else {**fields, f"{name}_exact": ratio(number)}


def exact_fields(name: str, number: Fraction | int) -> dict[str, str]:
    """JSON fields of a computed number that is known exactly; a rational also as p/q in `<name>_exact`."""
    fields = certified_fields(name, from_fraction(number))
    return fields if isinstance(number, int) else {**fields, f"{name}_exact": ratio(number)}


def certified_fields(name: str, number: Certified) -> dict[str, str]:
    """JSON fields of a computed number: `<name>`, and its interval, `<name>_lower` and `<name>_upper`."""
    value, lower, upper = interval(number)
    return {name: value, f"{name}_lower": lower, f"{name}_upper": upper}


def bound_fields(name: str, bound: float) -> dict[str, str]:
    """JSON fields of an upper bound of something that is not negative: the bound is printed rounded up."""
    text = plain(Decimal(up(Decimal(bound), WIDTH_DIGITS)))
    return {name: text, f"{name}_lower": "0", f"{name}_upper": text}


def interval(number: Certified) -> tuple[str, str, str]:
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
