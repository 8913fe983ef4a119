"""Tables and progress bars on a terminal, by rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from workflow.words import printable


def table_lines(titles: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> list[str]:
    """The lines of a table, as wide as its figures need; the first `words` columns stand on the left."""
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
    return [line.rstrip() for line in captured.get().splitlines()]


@contextmanager
def bar(message: str) -> Iterator[Callable[[int, int], None]]:
    """Show `message`, the seconds gone by and, once told how many are done of how many, a bar."""
    clock = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*clock, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(message, total=None)

        def advance(done: int, total: int) -> None:
            if total > 1:
                shown.columns = (*clock[:2], BarColumn(), MofNCompleteColumn(), clock[2])
                shown.update(task, completed=done, total=total)

        yield advance
