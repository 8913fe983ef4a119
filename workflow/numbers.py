"""How pages print numbers: rounded to the safe side, exact rationals as decimals where these end."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from kernels.intervals.text import down, exact_decimal, nearest, ratio, up

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
    return _scientific(Decimal(up(Decimal(bound), digits)), digits)


def scientific_down(value: Decimal, digits: int = 2) -> str:
    """A number with `digits` significant digits, never above it: 3.1 × 10⁻³⁶."""
    return _scientific(Decimal(down(value, digits)), digits)


def delta_text(delta: Fraction) -> str:
    """A delta as readers expect it: 10⁻¹⁰, 2.5 × 10⁻⁷ where the decimal ends, else the fraction."""
    decimal = exact_decimal(delta)
    if decimal is None or delta == 0:
        return ratio(delta)
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
    decimal = exact_decimal(value)
    if decimal is not None and len(decimal.as_tuple().digits) <= 12:
        return f"{decimal:f}"
    size = Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"≈ {size:f}"


def share_text(fraction: Fraction) -> str:
    """An exact share as a percentage: 5 %, 0.5 %."""
    return size_text(100 * fraction) + "\u00a0%"


def integer_text(value: int) -> str:
    """A whole number with grouped digits, or its size in powers of ten from 10⁹ on."""
    return f"{value:,}" if abs(value) < 10**9 else _scientific(Decimal(nearest(Decimal(value), 3)), 3)


def _scientific(value: Decimal, digits: int) -> str:
    exponent = value.adjusted()
    return "0" if value == 0 else _times(f"{value.scaleb(-exponent, _WIDE):.{digits - 1}f}", exponent)


def _times(mantissa: str, exponent: int) -> str:
    return f"{mantissa}\u00a0×\u00a0{ten_to(exponent)}"
