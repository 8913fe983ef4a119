"""A number with a guaranteed enclosure, and how it is printed to the safe side."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

_DIGITS = 60


def _context(rounding: str, digits: int = _DIGITS) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


NEAREST, DOWN, UP = (_context(rounding) for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING))


@dataclass(frozen=True, slots=True)
class Certified:
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

    def clipped(self, least: Decimal, most: Decimal) -> "Certified":
        """The same number, known to lie in [least, most]."""
        lower, upper = (min(max(bound, least), most) for bound in (self.lower, self.upper))
        return Certified(min(max(self.value, lower), upper), lower, upper)

    def meet(self, other: "Certified") -> "Certified":
        """Enclosure by both; the value of the narrower one. ValueError when they contradict each other."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        if lower > upper:
            raise ValueError(f"contradictory enclosures {self} and {other}")
        best = self if self.width <= other.width else other
        return Certified(min(max(best.value, lower), upper), lower, upper)


ZERO = Certified(Decimal(0), Decimal(0), Decimal(0))
ONE = Certified(Decimal(1), Decimal(1), Decimal(1))
INFINITE = Certified(Decimal("Infinity"), Decimal("Infinity"), Decimal("Infinity"))


def enclose(operation: Callable[[Context], Decimal]) -> Certified:
    """Certified result of one correctly rounded Decimal operation, given as a function of the context."""
    return Certified(operation(NEAREST), operation(DOWN), operation(UP))


def from_fraction(number: Fraction | int) -> Certified:
    """Enclosure of an exact rational, to 60 digits."""
    exact = Fraction(number)
    numerator, denominator = Decimal(exact.numerator), Decimal(exact.denominator)
    return enclose(lambda context: context.divide(numerator, denominator))


def from_floats(value: float, lower: float, upper: float) -> Certified:
    """Enclosure given by three floats, taken exactly."""
    return Certified(Decimal(value), Decimal(lower), Decimal(upper))


def down(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, never above the number."""
    return str(_context(ROUND_FLOOR, digits).plus(number))


def up(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, never below the number."""
    return str(_context(ROUND_CEILING, digits).plus(number))


def nearest(number: Decimal, digits: int) -> str:
    """Text with the given number of significant digits, rounded to nearest."""
    return str(_context(ROUND_HALF_EVEN, digits).plus(number))
