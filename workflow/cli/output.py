"""How every command answers: one JSON document with `--json`, else a table rounded to the safe side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import down, plain, short, up
from workflow.cli.figures import certified_fields, given_fields

if TYPE_CHECKING:
    from kernels.intervals.interval import Interval

TABLE_DIGITS = 10
PERCENT_DIGITS = 6
REST_DIGITS = 4
NEAR = Decimal("1e-6")

RELATIONS = {
    "bounded": "bounded (one record replaced by another)",
    "unbounded": "unbounded (one record added or removed)",
}

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document: decimal strings with their bounds."
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an answer: its JSON key, its heading in the table, and how the table shows a value."""

    key: str
    title: str
    show: Callable[[Any], str]


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
    near = 0 < rest.lower < NEAR
    return f"1 - {plain(Decimal(down(rest.lower, REST_DIGITS)))}" if near else at_most(number)


def percent_at_least(number: Interval) -> str:
    """The lower bound of a fraction as a percentage, rounded down."""
    return f"{plain(Decimal(down(number.lower, PERCENT_DIGITS)).scaleb(2))} %"


def given(number: Fraction) -> str:
    """A number as it was asked for."""
    return short(number)


def emit_rows(
    fields: Mapping[str, Any],
    heading: Sequence[str],
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    notes: Sequence[str] = (),
) -> None:
    """Answer with rows of Fractions (given) and Interval numbers (computed), keyed as the columns are."""
    if as_json:
        emit_json({**fields, "rows": [row_fields(row) for row in rows]})
        return
    cells = [[column.show(row[column.key]) for column in columns] for row in rows]
    emit_table(heading, [column.title for column in columns], cells, notes=notes)


def emit_json(document: Mapping[str, Any]) -> None:
    """Print the one JSON document of a command."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


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
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from workflow.words import printable

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for position, title in enumerate(titles):
        table.add_column(
            Text(printable(title)), justify="left" if position < words else "right", no_wrap=True
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(highlight=False, soft_wrap=True)
    needed = console.measure(table, options=console.options.update(width=10_000)).maximum
    console.width = max(console.width, needed)
    with console.capture() as captured:
        console.print(table)
    body = [line.rstrip() for line in captured.get().splitlines()]
    lines = [*map(printable, heading), "", *body]
    click.echo("\n".join([*lines, "", *map(printable, notes)] if notes else lines))


def relation(neighbours: str) -> str:
    """The neighbour relation in words."""
    return f"Neighbours: {RELATIONS.get(neighbours, neighbours)}."


def row_fields(row: Mapping[str, Any]) -> dict[str, str]:
    """JSON fields of a row: of a Fraction, the number given; of a Interval, its value and bounds."""
    fields: dict[str, str] = {}
    for key, value in row.items():
        fields |= given_fields(key, value) if isinstance(value, Fraction) else certified_fields(key, value)
    return fields
