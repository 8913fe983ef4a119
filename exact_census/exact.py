"""Exact numbers in, numbers with guaranteed bounds out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernels.errors import Refused as Refused
from kernels.intervals.interval import Interval as Interval
from workflow.errors import ConfigError as InputError
from workflow.errors import PlainError
from workflow.input.rational import parse_rational
from workflow.words import shorten

#: A number, taken exactly: text is `1/3`, `0.1` or `1e-10`, and a float is the double that it is.
Number = str | int | float | Fraction | Decimal
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bounded:
    """Computed numbers with guaranteed bounds, in the shape in which they were asked for.

    value, lower, upper: float64 arrays of that shape, or scalars, with lower <= true value <= upper; the
    bounds are rounded outward. intervals: the same before rounding, as Decimals of about 40 digits or more,
    in a flat tuple; their exponents reach far below the least float.
    """

    value: Any
    lower: Any
    upper: Any
    intervals: tuple[Interval, ...] = field(repr=False)

    @classmethod
    def of(cls, intervals: Iterable[Interval], shape: tuple[int, ...]) -> Self:
        """The numbers of a computation, put into a shape."""
        every = tuple(intervals)
        table = np.array([number.floats() for number in every], dtype=np.float64).reshape(-1, 3)
        value, lower, upper = (table[:, column].reshape(shape)[()] for column in range(3))
        return cls(value, lower, upper, every)


@contextmanager
def checking() -> Iterator[None]:
    """Raises InputError in place of what the block raises, which only looks at what was given."""
    try:
        yield
    except (ValueError, PlainError) as error:
        raise InputError(str(error)) from None


def exact(number: Number, name: str, least: int | None = None, most: int | None = None) -> Fraction:
    """The rational that a number stands for, within limits. Raises InputError, one line that begins with the
    name."""
    if isinstance(number, np.generic):
        number = number.item()
    shown = f"{name} = {shorten(repr(number), quote='')}"
    if not isinstance(number, str | int | float | Fraction | Decimal) or isinstance(number, bool):
        raise InputError(f"{shown}: must be a number, or text such as '1/3', '0.1' or '1e-10'")
    if isinstance(number, float) and not isfinite(number):
        raise InputError(f"{shown}: must be finite")
    try:
        found = parse_rational(str(number)) if isinstance(number, str | Decimal) else Fraction(number)
    except ValueError as error:
        raise InputError(f"{shown}: {error}") from None
    if (least is not None and found < least) or (most is not None and found > most):
        raise InputError(f"{shown}: must be at least {least}" + ("" if most is None else f", at most {most}"))
    return found


def written(number: Number, name: str) -> Fraction:
    """The same of a number that will be written down: not of a float with a fraction, which would be a binary
    one in place of the decimal that is meant."""
    found = exact(number, name)
    if isinstance(number, float) and not number.is_integer():
        raise InputError(
            f"{name} = {number}: a float is not exact; write what is meant as text, such as '{number}'"
        )
    return found


def inside(number: Fraction, name: str) -> Fraction:
    """A number that must lie strictly between 0 and 1. Raises InputError."""
    if not 0 < number < 1:
        raise InputError(f"{name} = {number}: must be above 0 and below 1")
    return number


def exact_array(
    numbers: Any, name: str, least: int | None = None, most: int | None = None
) -> tuple[list[Fraction], tuple[int, ...]]:
    """Numbers, one or an array of any shape, as a flat list of rationals, and their shape."""
    array = np.asarray(numbers, dtype=object)
    return [exact(number, name, least, most) for number in array.ravel().tolist()], array.shape
