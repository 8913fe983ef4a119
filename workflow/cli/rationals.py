"""Options that take exact numbers: `0.1` is 1/10 and `1e-10` is itself; nothing passes through a float."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import click

from workflow.input.rational import parse_rational

SHOWN = 40


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers an option allows, in words and as limits; `open` leaves the limits themselves out."""

    words: str
    least: Fraction | None = None
    most: Fraction | None = None
    open: bool = False

    def holds(self, number: Fraction) -> bool:
        """Whether `number` is allowed."""
        if self.open and number in (self.least, self.most):
            return False
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)


ANY_REAL = Range("any real number, negative ones too")
PROBABILITY = Range("0 to 1", Fraction(0), Fraction(1))
INSIDE_UNIT = Range("above 0 and below 1", Fraction(0), Fraction(1), open=True)
POSITIVE = Range("above 0", Fraction(0), open=True)


class Rational(click.ParamType):
    """A click type: one exact number within a range."""

    name = "number"

    def __init__(self, allowed: Range) -> None:
        self.allowed = allowed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The Fraction that `value` stands for; one line naming it and what is allowed if there is none."""
        return value if isinstance(value, Fraction) else self._read(value, param, ctx)

    def _read(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        text = text.strip()
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "..."
        try:
            number = parse_rational(text)
        except ValueError as error:
            self.fail(f"'{shown}': {error}; allowed: {self.allowed.words}.", param, ctx)
        if not self.allowed.holds(number):
            self.fail(f"'{shown}' is out of range; allowed: {self.allowed.words}.", param, ctx)
        return number


class RationalList(Rational):
    """A click type: exact numbers within a range, separated by commas, in the order given."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The tuple of Fractions that the entries of `value` stand for."""
        if isinstance(value, tuple):
            return value
        return tuple(self._read(entry, param, ctx) for entry in value.split(","))


def list_option(name: str, allowed: Range, values: str, example: str) -> Callable[[Callable[..., Any]], Any]:
    """The option `name` LIST that must be given: what it takes in words, and an example of it."""
    return click.option(
        name,
        type=RationalList(allowed),
        metavar="LIST",
        required=True,
        help=f"{values}, separated by commas, read exactly: {example}.",
    )
