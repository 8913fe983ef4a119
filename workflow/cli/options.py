"""Options that several commands share, and how they read words and exact numbers.

`0.1` is 1/10 and `1e-10` is itself; nothing passes through a float.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from workflow.errors import ConfigError
from workflow.files import check_free
from workflow.input.rational import parse_rational
from workflow.words import shorten, suggestion

Decorator = Callable[[Callable[..., Any]], Any]
SHOWN = 40  # characters of a number that a message repeats


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


class Words(click.Choice[str]):
    """A click type: one of a few words; of a misspelt one the message says what may have been meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word. Fails with one line that names the value and what is allowed."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            choices = [str(choice) for choice in self.choices]
            hint = suggestion(str(value), choices)
            self.fail(f"{shorten(str(value))}: {hint}allowed: {', '.join(choices)}.", param, ctx)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document: decimal strings with their bounds."
)
force_option = click.option("--force", is_flag=True, help="Overwrite the file if there is one.")


def jobs_option(words: str = "Processes") -> Decorator:
    """The option --jobs N."""
    return click.option(
        "--jobs", type=click.IntRange(1, 4096), metavar="N", help=f"{words}; default: one per core."
    )


def output_option(metavar: str, help: str, **more: Any) -> Decorator:
    """The option --output FILE."""
    return click.option("--output", type=click.Path(path_type=Path), metavar=metavar, help=help, **more)


def list_option(name: str, allowed: Range, values: str, example: str) -> Decorator:
    """The option `name` LIST that must be given: what it takes in words, and an example of it."""
    return click.option(
        name,
        type=RationalList(allowed),
        metavar="LIST",
        required=True,
        help=f"{values}, separated by commas, read exactly: {example}.",
    )


def optional_list(name: str, allowed: Range, help: str, *default: Fraction) -> Decorator:
    """The option `name` LIST that need not be given; without a default it is None then."""
    return click.option(name, type=RationalList(allowed), metavar="LIST", default=default or None, help=help)


def check_output(path: Path | None, force: bool, option: str = "--output") -> None:
    """Raise ConfigError when a file that an option names exists and may not be overwritten."""
    try:
        if path is not None:
            check_free(path, force)
    except ConfigError as error:
        raise ConfigError(f"{option}: {error}.") from None
