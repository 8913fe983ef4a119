"""How numbers are printed: rounded to the safe side, exact rationals as decimals where they end."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_WIDE = Context(prec=60)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_up(value: Decimal, places: int) -> str:
    """`value` with `places` decimals, never below it (a guarantee must not look better than it is)."""
    return _round(value, places, ROUND_CEILING)


def round_down(value: Decimal, places: int) -> str:
    """`value` with `places` decimals, never above it (a gain must not look larger than it is)."""
    return _round(value, places, ROUND_FLOOR)


def percent_down(fraction: Decimal, places: int) -> str:
    """A fraction as a percentage with `places` decimals, never above it: 15.1 %."""
    return _round(fraction.scaleb(2, _WIDE), places, ROUND_FLOOR) + "\u00a0%"


def percent_up(fraction: Decimal, places: int) -> str:
    """A fraction as a percentage with `places` decimals, never below it: 15.2 %."""
    return _round(fraction.scaleb(2, _WIDE), places, ROUND_CEILING) + "\u00a0%"


def _round(value: Decimal, places: int, rounding: str) -> str:
    if value.is_infinite():
        return "∞"
    wide = _WIDE if value.adjusted() < 40 else Context(prec=value.adjusted() + 60)
    return f"{value.quantize(Decimal(1).scaleb(-places), rounding, wide):f}"


def ten_to(exponent: int) -> str:
    """The power of ten with raised digits: 10⁻¹⁰."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def scientific_up(bound: Decimal | float, digits: int = 2) -> str:
    """A bound with `digits` significant digits, never below it: 3.1 × 10⁻³⁶."""
    value = Decimal(bound)
    if value == 0:
        return "0"
    rounded = Context(prec=digits, rounding=ROUND_CEILING).plus(value)
    return _times(_mantissa(rounded, digits), rounded.adjusted())


def scientific_down(value: Decimal, digits: int = 2) -> str:
    """A number with `digits` significant digits, never above it: 3.1 × 10⁻³⁶."""
    if value == 0:
        return "0"
    rounded = Context(prec=digits, rounding=ROUND_FLOOR).plus(value)
    return _times(_mantissa(rounded, digits), rounded.adjusted())


def _mantissa(value: Decimal, digits: int) -> str:
    return f"{value.scaleb(-value.adjusted(), _WIDE):.{digits - 1}f}"


def delta_text(delta: Fraction) -> str:
    """A delta as readers expect it: 10⁻¹⁰, 2.5 × 10⁻⁷ where the decimal ends, else the fraction."""
    decimal = terminating(delta)
    if decimal is None or delta == 0:
        return str(delta)
    digits = decimal.normalize(_WIDE)
    exponent = digits.adjusted()
    if -4 < exponent < 4 and digits != Decimal(1).scaleb(exponent):
        return f"{digits:f}"
    mantissa = digits.scaleb(-exponent, _WIDE)
    return ten_to(exponent) if mantissa == 1 else _times(f"{mantissa:f}", exponent)


def rational_text(value: Fraction) -> str:
    """An exact rational: as a decimal where that ends within 12 digits, else as a fraction with its size."""
    size = size_text(value)
    return f"{value} {size}" if size.startswith("≈") else size


def size_text(value: Fraction) -> str:
    """The decimal of a rational where it ends within 12 digits, else ≈ and six digits of it."""
    decimal = terminating(value)
    if decimal is not None and len(decimal.as_tuple().digits) <= 12:
        return f"{decimal:f}"
    size = Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"≈ {size:f}"


def terminating(value: Fraction) -> Decimal | None:
    """The exact decimal of a rational, or None where the decimal does not end."""
    denominator = value.denominator
    places = 0
    while denominator > 1 and 10**places % denominator:
        places += 1
        if places > denominator.bit_length():
            return None
    return Decimal(value.numerator * (10**places // denominator)).scaleb(-places, Context(prec=10_000))


def share_text(fraction: Fraction) -> str:
    """An exact share as a percentage: 5 %, 0.5 %."""
    return size_text(100 * fraction) + "\u00a0%"


def integer_text(value: int) -> str:
    """A whole number with grouped digits, or its size in powers of ten from 10⁹ on."""
    if abs(value) < 10**9:
        return f"{value:,}"
    decimal = Context(prec=3).create_decimal(value)
    return _times(_mantissa(decimal, 3), decimal.adjusted())


def _times(mantissa: str, exponent: int) -> str:
    return f"{mantissa}\u00a0×\u00a0{ten_to(exponent)}"
