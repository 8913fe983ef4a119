"""Exact comparisons of a certified result with a reference enclosure, at the promised tolerances."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Protocol

from flint import arb

from .balls import enclosure, precision
from .cells import Enclosure

ABSOLUTE = Fraction(1, 10**35)
RELATIVE = Fraction(1, 10**12)
DEEPEST = Fraction(1, 10**300)


class Bounds(Protocol):
    """A value with its lower and upper bound, as Decimals."""

    @property
    def value(self) -> Decimal: ...

    @property
    def lower(self) -> Decimal: ...

    @property
    def upper(self) -> Decimal: ...


def size(value: Fraction) -> str:
    """Two digits, for messages about numbers that a double may not hold."""
    return f"{Decimal(value.numerator) / value.denominator:.1e}"


def assert_encloses(result: Bounds, truth: Enclosure | Bounds) -> None:
    """The bounds do not exclude the true value, and they hold the value they come with."""
    lower, value, upper = Fraction(result.lower), Fraction(result.value), Fraction(result.upper)
    assert lower <= value <= upper, "the value is outside its own bounds"
    low, high = Fraction(truth.lower), Fraction(truth.upper)
    assert lower <= high, f"lower bound is above the truth by {size(lower - high)}"
    assert low <= upper, f"upper bound is below the truth by {size(low - upper)}"


def assert_within(result: Bounds, truth: Enclosure, tolerance: Fraction) -> None:
    """Value within the tolerance, bounds no wider than twice it, truth not excluded, reference sharp."""
    assert truth.width <= tolerance / 8, f"the reference is too wide: {size(truth.width)}"
    assert_encloses(result, truth)
    error = max(truth.upper - Fraction(result.value), Fraction(result.value) - truth.lower)
    assert error <= tolerance, f"error {size(error)} above {size(tolerance)}"
    width = Fraction(result.upper) - Fraction(result.lower)
    assert width <= 2 * tolerance, f"bounds {size(width)} apart, allowed {size(2 * tolerance)}"


def assert_absolute(result: Bounds, truth: Enclosure) -> None:
    """Absolute error at most 1e-35."""
    assert_within(result, truth, ABSOLUTE)


def assert_relative(result: Bounds, truth: Enclosure, tolerance: Fraction = RELATIVE) -> None:
    """Relative error at most 1e-12, or as told; 100 times that beyond 1e-300, where logs are promised."""
    relative = tolerance if truth.lower > DEEPEST else 100 * tolerance
    assert_within(result, truth, relative * truth.lower)


def assert_tail(result: Bounds, truth: Enclosure, tolerance: Fraction = RELATIVE) -> None:
    """A tail probability: 1e-35 absolutely and, where that is more, 1e-12 relatively, or as told."""
    assert_within(result, truth, min(ABSOLUTE, tolerance * truth.lower))


def assert_relative_ball(result: Bounds, truth: arb) -> None:
    """As assert_relative, by way of quotients, for exponents too large for exact fractions."""
    with precision(300):
        lower, value, upper = (
            enclosure(arb(str(bound)) / truth) for bound in (result.lower, result.value, result.upper)
        )
    assert max(lower.width, value.width, upper.width) <= RELATIVE / 100
    assert lower.lower <= 1 <= upper.upper
    assert abs(value.middle - 1) <= RELATIVE
    assert upper.middle - lower.middle <= 2 * RELATIVE
