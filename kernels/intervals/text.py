"""Numbers as text: rounded to the safe side, or exact as a reader would write them."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from kernels.intervals.interval import context, from_fraction

PLAIN_SMALL, PLAIN_DIGITS = -4, 50  # numbers from 10^-4 to 10^50 are printed without an exponent
SHORT_TEXT = 24  # characters that a column of a table has for a number


def down(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, never above the number."""
    return str(context(ROUND_FLOOR, digits).plus(number))


def up(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, never below the number."""
    return str(context(ROUND_CEILING, digits).plus(number))


def nearest(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, rounded to nearest."""
    return str(context(ROUND_HALF_EVEN, digits).plus(number))


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


def exact_decimal(number: Fraction) -> Decimal | None:
    """The decimal of a rational, or None where that does not end within 60 digits."""
    known = from_fraction(number)
    return known.value if known.width == 0 else None


def short(number: Fraction) -> str:
    """The number for a table: its exact decimal where that is short, else `p/q`."""
    decimal = exact_decimal(number)
    text = None if decimal is None else plain(decimal)
    return ratio(number) if text is None or len(text) > SHORT_TEXT else text
