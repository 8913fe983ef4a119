"""From the kernels' doubles and triples to certified decimals."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from kernels.intervals.interval import DOWN, NEAREST, ONE, UP, ZERO, Certified, from_fraction
from kernels.numerics.relative.tilt import Tails

#: Decimal.exp rounds its argument's last digit; 60 digits leave far more than this for any exponent in use.
_EXP_SLACK = Decimal("1e-45")
#: Far below, exponentials are no decimals; this one is.
_LOWEST_POWER, _LOWEST = -(10**18), Decimal((0, (1,), -4 * 10**17))  # ln 10 > 2.3


@lru_cache(maxsize=1024)
def exponential(power: Fraction) -> Certified:
    """exp of an exact rational."""
    if power < _LOWEST_POWER:
        return Certified(ZERO.value, ZERO.value, _LOWEST)
    exact = from_fraction(power)
    value = NEAREST.exp(exact.value)
    slack = UP.add(_EXP_SLACK, UP.multiply(2, exact.width))
    return Certified(
        value, DOWN.multiply(value, DOWN.subtract(1, slack)), UP.multiply(value, UP.add(1, slack))
    )


def complement(number: Certified) -> Certified:
    """1 - number."""
    return Certified(
        NEAREST.subtract(1, number.value), DOWN.subtract(1, number.upper), UP.subtract(1, number.lower)
    )


def product(a: Certified, b: Certified) -> Certified:
    """a * b."""
    if a.lower >= 0 and b.lower >= 0:
        lower, upper = DOWN.multiply(a.lower, b.lower), UP.multiply(a.upper, b.upper)
        return Certified(NEAREST.multiply(a.value, b.value), lower, upper)
    corners = [(x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    lower = min(DOWN.multiply(x, y) for x, y in corners)
    upper = max(UP.multiply(x, y) for x, y in corners)
    return Certified(min(max(NEAREST.multiply(a.value, b.value), lower), upper), lower, upper)


def quotient(a: Certified, b: Certified) -> Certified:
    """a / b, for b above 0. Raises ValueError when b is not certainly that."""
    if b.lower <= 0:
        raise ValueError(f"{b} may be 0")
    corners = [(x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    lower = min(DOWN.divide(x, y) for x, y in corners)
    upper = max(UP.divide(x, y) for x, y in corners)
    return Certified(min(max(NEAREST.divide(a.value, b.value), lower), upper), lower, upper)


def total(a: Certified, b: Certified) -> Certified:
    """a + b."""
    return Certified(NEAREST.add(a.value, b.value), DOWN.add(a.lower, b.lower), UP.add(a.upper, b.upper))


def difference(a: Certified, b: Certified) -> Certified:
    """a - b."""
    return Certified(
        NEAREST.subtract(a.value, b.value), DOWN.subtract(a.lower, b.upper), UP.subtract(a.upper, b.lower)
    )


def from_triple(triple: Sequence[float], bound: float) -> Certified:
    """An unevaluated sum of doubles with an absolute error bound."""
    exact = sum((Fraction(part) for part in map(float, triple)), Fraction(0))
    value = from_fraction(exact)
    error = Decimal(bound)
    return Certified(value.value, DOWN.subtract(value.lower, error), UP.add(value.upper, error))


def from_tails(tails: Tails, row: int, which: int) -> Certified:
    """Q (0), P (1) or delta (2) of one row of tilted sums, clipped to [0, 1]."""
    power = Fraction(tails.exponent[row], tails.exponent_denominator) + Fraction(float(tails.log_norm[row]))
    if which == 1:
        power -= Fraction(tails.t[row], tails.t_denominator)
    mantissa, error = Decimal(float(tails.mantissa[row, which])), Decimal(float(tails.error[row, which]))
    if not error.is_finite() or not mantissa.is_finite():
        return Certified(Decimal("0.5"), Decimal(0), Decimal(1))
    parts = Certified(
        max(mantissa, Decimal(0)),
        max(DOWN.subtract(mantissa, error), Decimal(0)),
        max(UP.add(mantissa, error), Decimal(0)),
    )
    number = product(parts, exponential(power))
    if tails.middle[row] and which != 1:
        number = complement(number)
    return number.clipped(Decimal(0), ONE.value)
