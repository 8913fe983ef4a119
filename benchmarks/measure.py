"""What the measurements share: their command line, the compositions, CPU seconds by turns, and tables."""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from kernels.accounting.census.mechanism import pair_composition, pairs
from kernels.accounting.composition import Composition
from workflow.allocation.read import load_allocation

ALLOCATION = "dhc_persons_us"


def command_line(description: str | None, *given: str) -> argparse.ArgumentParser:
    """The parser of one measurement, with the options it names: allocation, repeats, tasks, write."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if "allocation" in given:
        parser.add_argument("--allocation", default=ALLOCATION)
    if "repeats" in given:
        parser.add_argument("--repeats", type=int, default=5)
    if "tasks" in given:
        parser.add_argument("--tasks", type=int, default=len(os.sched_getaffinity(0)), help="MPI ranks")
    if "write" in given:
        parser.add_argument("--write", type=Path, help="document that takes the tables, between its marks")
    return parser


def first_pair() -> Composition:
    """[M_0, M_0] of the DHC, persons, US: 160 cells with 12 distinct rhos."""
    allocation = load_allocation(ALLOCATION)
    return pair_composition(allocation, *pairs(allocation)[0])


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    gc.collect()
    start = time.process_time()
    call()
    return time.process_time() - start


def by_turns(calls: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Seconds that every call returns.

    Each is called once per turn, so that a change of the machine's load meets all of them.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds[name].append(call())
    return seconds


def ratios(slow: Sequence[float], fast: Sequence[float]) -> str:
    """Median, least and greatest ratio of two measurements in the same turn."""
    each = sorted(one / other for one, other in zip(slow, fast, strict=True))
    return f"{statistics.median(each):,.3g} ({each[0]:,.3g} to {each[-1]:,.3g})"


def spread(seconds: Sequence[float]) -> str:
    """Median of a measurement, with a unit."""
    median = statistics.median(seconds)
    return f"{1000 * median:,.3g} ms" if median < 1.0 else f"{median:,.3g} s"


def show(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], document: Path | None = None
) -> None:
    """Print a table; with a document, write it there as Markdown too, between the table's marks."""
    table = Table(*header, title=f"{title} (load {os.getloadavg()[0]:.1f})")
    for row in rows:
        table.add_row(*row)
    Console(width=160).print(table)
    if document is None:
        return
    lines = [f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows)]
    text = document.read_text()
    opening, closing = f"<!-- {title} -->\n", f"<!-- end of {title} -->"
    if text.count(opening) != 1 or text.count(closing) != 1:
        raise SystemExit(f"{document}: no place for the table, marked by {opening.strip()} and {closing}")
    before, rest = text.split(opening)
    document.write_text(before + opening + "\n".join(lines) + "\n" + closing + rest.split(closing)[1])
