"""Intervals: a number with guaranteed bounds, and arithmetic that keeps them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Self

_DIGITS = 60


def context(rounding: str, digits: int = _DIGITS) -> Context:
    """Decimal arithmetic with the given number of significant digits and the widest exponents there are."""
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


NEAREST, DOWN, UP = (context(rounding) for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING))

#: Decimal.exp rounds its argument's last digit; 60 digits leave far more than this for any exponent in use.
_EXP_SLACK = Decimal("1e-45")
#: Far below, exponentials are no decimals; this one is.
_LOWEST_POWER, _LOWEST = -(10**18), Decimal((0, (1,), -4 * 10**17))  # ln 10 > 2.3


@dataclass(frozen=True, slots=True)
class Interval:
    """lower <= true value <= upper, with value between them; Decimals, so that any exponent fits."""

    value: Decimal
    lower: Decimal
    upper: Decimal

    def __post_init__(self) -> None:
        if not self.lower <= self.value <= self.upper:
            raise ValueError(f"not an enclosure: {self.lower} <= {self.value} <= {self.upper}")

    @property
    def width(self) -> Decimal:
        """Upper minus lower bound, rounded up."""
        return UP.subtract(self.upper, self.lower) if self.lower != self.upper else Decimal(0)

    def floats(self) -> tuple[float, float, float]:
        """Value, lower and upper bound as doubles, the bounds rounded outward."""
        value, lower, upper = float(self.value), float(self.lower), float(self.upper)
        lower = math.nextafter(lower, -math.inf) if lower > self.lower else lower
        upper = math.nextafter(upper, math.inf) if upper < self.upper else upper
        return value, lower, upper

    def clipped(self, least: Decimal = Decimal(0), most: Decimal = Decimal(1)) -> "Interval":
        """The same number, known to lie in [least, most]; by default a probability."""
        lower, upper = (min(max(bound, least), most) for bound in (self.lower, self.upper))
        return Interval(min(max(self.value, lower), upper), lower, upper)

    def meet(self, other: "Interval") -> "Interval":
        """Enclosure by both; the value of the narrower one. ValueError when they contradict each other."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if lower > upper:
            raise ValueError(f"contradictory enclosures {self} and {other}")
        best = self if self.width <= other.width else other
        return Interval(min(max(best.value, lower), upper), lower, upper)

    def __add__(self, other: Self) -> Self:
        """Enclosure of the sum."""
        return type(self)(
            NEAREST.add(self.value, other.value),
            DOWN.add(self.lower, other.lower),
            UP.add(self.upper, other.upper),
        )

    def __sub__(self, other: Self) -> Self:
        """Enclosure of the difference."""
        return type(self)(
            NEAREST.subtract(self.value, other.value),
            DOWN.subtract(self.lower, other.upper),
            UP.subtract(self.upper, other.lower),
        )

    def __rsub__(self, number: int) -> Self:
        """Enclosure of a whole number minus this one, as in 1 - delta."""
        exact = Decimal(number)
        return type(self)(exact, exact, exact) - self

    def __mul__(self, other: Self) -> Self:
        """Enclosure of the product."""
        value = NEAREST.multiply(self.value, other.value)
        if self.lower >= 0 and other.lower >= 0:
            return type(self)(
                value, DOWN.multiply(self.lower, other.lower), UP.multiply(self.upper, other.upper)
            )
        corners = [(x, y) for x in (self.lower, self.upper) for y in (other.lower, other.upper)]
        lower = min(DOWN.multiply(x, y) for x, y in corners)
        upper = max(UP.multiply(x, y) for x, y in corners)
        return type(self)(min(max(value, lower), upper), lower, upper)

    def __truediv__(self, other: Self) -> Self:
        """Enclosure of the quotient by a number above 0. Raises ValueError when it is not certainly that."""
        if other.lower <= 0:
            raise ValueError(f"{other} may be 0")
        corners = [(x, y) for x in (self.lower, self.upper) for y in (other.lower, other.upper)]
        lower = min(DOWN.divide(x, y) for x, y in corners)
        upper = max(UP.divide(x, y) for x, y in corners)
        return type(self)(min(max(NEAREST.divide(self.value, other.value), lower), upper), lower, upper)


ZERO = Interval(Decimal(0), Decimal(0), Decimal(0))
ONE = Interval(Decimal(1), Decimal(1), Decimal(1))
INFINITE = Interval(Decimal("Infinity"), Decimal("Infinity"), Decimal("Infinity"))


def enclose(operation: Callable[[Context], Decimal]) -> Interval:
    """Enclosure of one correctly rounded Decimal operation, given as a function of the context."""
    return Interval(operation(NEAREST), operation(DOWN), operation(UP))


def from_fraction(number: Fraction | int) -> Interval:
    """Enclosure of an exact rational, to 60 digits."""
    exact = Fraction(number)
    numerator, denominator = Decimal(exact.numerator), Decimal(exact.denominator)
    return enclose(lambda rounded: rounded.divide(numerator, denominator))


def from_floats(value: float, lower: float, upper: float) -> Interval:
    """Enclosure given by three floats, taken exactly."""
    return Interval(Decimal(value), Decimal(lower), Decimal(upper))


def from_triple(triple: Sequence[float], bound: float) -> Interval:
    """An unevaluated sum of doubles with an absolute error bound."""
    exact = sum((Fraction(part) for part in map(float, triple)), Fraction(0))
    value = from_fraction(exact)
    error = Decimal(bound)
    return Interval(value.value, DOWN.subtract(value.lower, error), UP.add(value.upper, error))


@lru_cache(maxsize=1024)
def exponential(power: Fraction) -> Interval:
    """exp of an exact rational."""
    if power < _LOWEST_POWER:
        return Interval(ZERO.value, ZERO.value, _LOWEST)
    exact = from_fraction(power)
    value = NEAREST.exp(exact.value)
    slack = UP.add(_EXP_SLACK, UP.multiply(2, exact.width))
    return Interval(
        value, DOWN.multiply(value, DOWN.subtract(1, slack)), UP.multiply(value, UP.add(1, slack))
    )
