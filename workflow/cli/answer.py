"""How every command answers: one JSON document with `--json`, else a table rounded to the safe side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import click

from kernels.intervals.interval import Interval, from_fraction
from kernels.intervals.text import down, nearest, plain, ratio, short, up
from workflow.words import printable

WIDTH_DIGITS = 3  # digits printed of the width of an interval; more say nothing about the number
BOUND_DIGITS = 10  # least digits of its two ends, so that rounding never widens it noticeably
TABLE_DIGITS = 10
PERCENT_DIGITS = 6
REST_DIGITS = 4
NEAR = Decimal("1e-6")  # nearer to 1 than that, a probability is shown as 1 minus the rest

RELATIONS = {
    "bounded": "bounded (one record replaced by another)",
    "unbounded": "unbounded (one record added or removed)",
}


# Fields of the JSON document


def given_fields(name: str, number: Fraction) -> dict[str, str]:
    """JSON fields of a number that was given: its decimal, and `<name>_exact` (p/q) where that is rounded."""
    known = from_fraction(number)
    fields = {name: plain(known.value)}
    return fields if known.width == 0 else {**fields, f"{name}_exact": ratio(number)}


def exact_fields(name: str, number: Fraction | int) -> dict[str, str]:
    """JSON fields of a computed number that is known exactly; a rational also as p/q in `<name>_exact`."""
    fields = interval_fields(name, from_fraction(number))
    return fields if isinstance(number, int) else {**fields, f"{name}_exact": ratio(number)}


def interval_fields(name: str, number: Interval) -> dict[str, str]:
    """JSON fields of a computed number: `<name>`, and its interval, `<name>_lower` and `<name>_upper`."""
    value, lower, upper = interval_text(number)
    return {name: value, f"{name}_lower": lower, f"{name}_upper": upper}


def bound_fields(name: str, bound: float) -> dict[str, str]:
    """JSON fields of an upper bound of something that is not negative: the bound is printed rounded up."""
    text = plain(Decimal(up(Decimal(bound), WIDTH_DIGITS)))
    return {name: text, f"{name}_lower": "0", f"{name}_upper": text}


def row_fields(row: Mapping[str, Any]) -> dict[str, str]:
    """JSON fields of a row: of a Fraction, the number given; of an Interval, its value and bounds."""
    fields: dict[str, str] = {}
    for key, value in row.items():
        fields |= given_fields(key, value) if isinstance(value, Fraction) else interval_fields(key, value)
    return fields


def interval_text(number: Interval) -> tuple[str, str, str]:
    """Value, lower, upper as text with lower <= value <= upper, the bounds rounded outward.

    Digits end WIDTH_DIGITS into the interval's width; bounds have BOUND_DIGITS at least.
    """
    if number.width == 0 or not number.width.is_finite():
        return plain(number.value), plain(number.lower), plain(number.upper)
    last = number.width.adjusted() + 1 - WIDTH_DIGITS

    def digits(part: Decimal, least: int = BOUND_DIGITS) -> int:
        return max(least, part.adjusted() - last + 1)

    lower = Decimal(down(number.lower, digits(number.lower)))
    upper = Decimal(up(number.upper, digits(number.upper)))
    value = Decimal(nearest(number.value, digits(number.value, 1)))
    return plain(min(max(value, lower), upper)), plain(lower), plain(upper)


# Cells of a table

given = short  # a number as it was asked for


def at_most(number: Interval, digits: int = TABLE_DIGITS) -> str:
    """The upper bound, rounded up: for figures that are worse when larger, such as eps and delta."""
    return plain(Decimal(up(number.upper, digits))) if number.upper.is_finite() else "infinite"


def at_least(number: Interval, digits: int = TABLE_DIGITS) -> str:
    """The lower bound, rounded down: for figures that are worse when smaller, such as beta."""
    return plain(Decimal(down(number.lower, digits))) if number.lower.is_finite() else "infinite"


def probability_at_most(number: Interval, rest: Interval | None = None) -> str:
    """The upper bound of a probability, rounded up: `1 - 2.391e-11` near 1, and 1 only where it is that.

    rest: 1 - number where it is known to more digits than that difference has.
    """
    rest = rest or 1 - number
    return f"1 - {at_least(rest, REST_DIGITS)}" if 0 < rest.lower < NEAR else at_most(number)


def percent_at_least(number: Interval) -> str:
    """The lower bound of a fraction as a percentage, rounded down."""
    return f"{plain(Decimal(down(number.lower, PERCENT_DIGITS)).scaleb(2))} %"


def relation(neighbours: str) -> str:
    """The neighbour relation in words."""
    return f"Neighbours: {RELATIONS.get(neighbours, neighbours)}."


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an answer: its JSON key, its heading in the table, and how the table shows a value."""

    key: str
    title: str
    show: Callable[[Any], str]


# Answers


def emit_rows(
    fields: Mapping[str, Any],
    heading: Sequence[str],
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    notes: Sequence[str] = (),
) -> None:
    """Answer with rows of Fractions (given) and Intervals (computed), keyed as the columns are."""
    if as_json:
        emit_json({**fields, "rows": [row_fields(row) for row in rows]})
    else:
        emit_columns(heading, columns, rows, notes=notes)


def emit_json(document: Mapping[str, Any]) -> None:
    """Print the one JSON document of a command."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def emit_columns(
    heading: Sequence[str],
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    notes: Sequence[str] = (),
) -> None:
    """Print a table of rows that are keyed as the columns are."""
    cells = [[column.show(row[column.key]) for column in columns] for row in rows]
    emit_table(heading, [column.title for column in columns], cells, notes=notes)


def emit_table(
    heading: Sequence[str],
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    notes: Sequence[str] = (),
    words: int = 0,
) -> None:
    """Print heading, a table as wide as its figures need, and notes; the first `words` columns hold words.

    What does not print, such as a line break in a file's name, is written out.
    """
    from workflow.cli.layout import table_lines  # rich takes 0.1 s to load, for which --json does not wait

    lines = [*map(printable, heading), "", *table_lines(titles, rows, words)]
    click.echo("\n".join([*lines, "", *map(printable, notes)] if notes else lines))
