"""A distribution from a table of counts, or from a file with a row per person."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from workflow.errors import ConfigError
from workflow.input.csv_rows import csv_rows
from workflow.input.rational import parse_count, parse_rational, shown
from workflow.study.schema import MOST_SYMBOLS
from workflow.words import listing, printable, shorten, suggestion

BLANK = "blank"
_MOST_COUNT = 10**12


@dataclass(frozen=True, slots=True)
class Counts:
    """Persons by symbol, sensitive symbols first, each kind in the file's order. Labels: the columns'
    values."""

    labels: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    sensitive: int

    @property
    def distribution(self) -> tuple[Fraction, ...]:
        """Shares of all persons."""
        total = sum(self.counts)
        return tuple(Fraction(each, total) for each in self.counts)


def read_counts(
    path: Path,
    columns: Sequence[str],
    count: str | None,
    bands: Mapping[str, Sequence[Fraction]],
    sensitive: Sequence[Mapping[str, Sequence[str]]],
) -> Counts:
    """Read a CSV file with a header; the arguments are those of a study file's table.

    Raises ConfigError: the file or a column is missing, a count is not a whole number, a value of a banded
    column is not a number or below its first band (blank ones are a value of their own), a condition for
    sensitive symbols fits none, there are no persons, or fewer than 2 or more than MOST_SYMBOLS symbols.
    """
    groups = [_grouping(bands.get(column)) for column in columns]
    persons: Counter[tuple[str, ...]] = Counter()
    for line, values in csv_rows(path, [*columns, *([count] if count else [])]):
        where = f"{printable(str(path))}:{line}"
        cells = values[: len(columns)]
        label = tuple(_value(where, *each) for each in zip(columns, groups, cells, strict=True))
        persons[label] += _count(where, count, values[-1]) if count else 1
        if len(persons) > MOST_SYMBOLS:
            found = f"more than {MOST_SYMBOLS} combinations of {', '.join(columns)}"
            raise ConfigError(f"{where}: {found}; choose fewer columns or wider bands")
    return _counts(path, columns, persons, sensitive)


def _counts(
    path: Path,
    columns: Sequence[str],
    persons: Mapping[tuple[str, ...], int],
    sensitive: Sequence[Mapping[str, Sequence[str]]],
) -> Counts:
    name = printable(str(path))
    if len(persons) < 2 or not any(persons.values()):
        found = f"{len(persons)} different symbols and {sum(persons.values())} persons"
        raise ConfigError(f"{name}: holds {found}; at least 2 symbols and 1 person are needed")
    chosen: set[tuple[str, ...]] = set()
    for condition in sensitive:
        places = {columns.index(column): values for column, values in condition.items()}
        for place, values in places.items():
            known = list(dict.fromkeys(label[place] for label in persons))
            for value in values:
                if value not in known:
                    hint = suggestion(value, known)
                    raise ConfigError(
                        f"{name}: no {columns[place]} is {shorten(value)}, which is to be sensitive; {hint}"
                        f"there are {listing(known)}"
                    )
        fitting = {label for label in persons if all(label[i] in values for i, values in places.items())}
        if not fitting:
            raise ConfigError(f"{name}: no row fits the condition for sensitive values {dict(condition)}")
        chosen |= fitting
    labels = sorted(persons, key=lambda label: label not in chosen)  # stable: else in the file's order
    return Counts(tuple(labels), tuple(persons[label] for label in labels), len(chosen))


def _grouping(edges: Sequence[Fraction] | None) -> Callable[[str], str]:
    if edges is None:
        return lambda text: text or BLANK
    names = [_band(low, high) for low, high in pairwise(edges)]
    names.append(f"{shown(edges[-1])}+")

    def group(text: str) -> str:
        if not text:
            return BLANK
        place = bisect_right(edges, parse_rational(text))
        if place == 0:
            raise ValueError(f"is below the first band, which begins at {edges[0]}")
        return names[place - 1]

    return group


def _band(low: Fraction, high: Fraction) -> str:
    """18-24 for whole numbers from 18 to below 25, else "1/2 to below 3"."""
    if low.denominator == high.denominator == 1:
        return str(low) if high - low == 1 else f"{low}-{high - 1}"
    return f"{shown(low)} to below {shown(high)}"


def _value(where: str, column: str, group: Callable[[str], str], text: str) -> str:
    try:
        return group(text)
    except ValueError as error:
        raise ConfigError(f"{where}: {column} = {shorten(text)}: {error}") from None


def _count(where: str, column: str, text: str) -> int:
    try:
        return parse_count(text, 0, _MOST_COUNT)
    except ValueError as error:
        raise ConfigError(f"{where}: {column} = {shorten(text)}: {error}") from None
