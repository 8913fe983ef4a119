"""Closed formulas with guaranteed enclosures, by Arb ball arithmetic at whatever precision they need."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from flint import arb, ctx, fmpq

from kernels.accounting.certified import Certified

DIGITS = 40
_WANTED_BITS = 136  # a little more than DIGITS decimal digits
_MAX_BITS = 1 << 15
_LEAST_EXPONENT = -(10**17)  # Decimal ends a little below


def ball(number: Fraction | int) -> arb:
    """Ball around an exact rational, at the current precision."""
    return arb(fmpq(number.numerator, number.denominator))


def certified(formula: Callable[[], arb | None]) -> Certified:
    """Enclosure of `formula()` to about 40 digits, at a precision that is doubled until it is that narrow.

    The formula may return None to say that the precision is too low to tell.

    Raises ArithmeticError when 2^15 bits do not suffice.
    """
    bits = 192
    while bits <= _MAX_BITS:
        with ctx.workprec(bits):
            result = formula()
            if (
                result is not None
                and result.is_finite()
                and (result.is_zero() or result.rel_accuracy_bits() >= _WANTED_BITS)
            ):
                return _to_decimals(result)
        bits *= 2
    raise ArithmeticError(f"no enclosure to {DIGITS} digits with {_MAX_BITS} bits")


def softplus(x: arb) -> arb:
    """log(1 + e^x) without overflow."""
    return x + (-x).exp().log1p() if x.mid() > 0 else x.exp().log1p()


def bracket_root(increasing: Callable[[arb], arb]) -> tuple[arb, arb]:
    """Exact points low < high with increasing(low) < 0 < increasing(high), both proven.

    They are as close as half the working precision, or as the function's balls, allow. The function must be
    continuous and increasing over the reals, from below 0 to above 0.
    """
    low, high = arb(-1), arb(1)
    while not increasing(low) < 0:
        low *= 2
    while not increasing(high) > 0:
        high *= 2
    for _ in range(ctx.prec // 2 + int(float((high - low).log()) / 0.693)):
        middle = ((low + high) / 2).mid()
        value = increasing(middle)
        if value < 0:
            low = middle
        elif value > 0:
            high = middle
        else:
            break
    return low, high


def value_between(low: arb, high: arb, function: Callable[[arb], arb], slope: Callable[[arb], arb]) -> arb:
    """Ball that holds function(x) for every x in [low, high], by the mean value theorem."""
    whole = low.union(high)
    middle = whole.mid()
    return function(middle) + slope(whole) * (whole - middle)


def _to_decimals(number: arb) -> Certified:
    middle, radius, exponent = (int(part) for part in number.mid_rad_10exp(DIGITS))
    if exponent < _LEAST_EXPONENT and middle > radius:
        return Certified(Decimal(0), Decimal(0), Decimal((0, (1,), _LEAST_EXPONENT)))
    value, lower, upper = (_scaled(part, exponent) for part in (middle, middle - radius, middle + radius))
    return Certified(value, lower, upper)


def _scaled(integer: int, exponent: int) -> Decimal:
    digits = tuple(int(digit) for digit in str(abs(integer)))
    return Decimal((int(integer < 0), digits, exponent))
