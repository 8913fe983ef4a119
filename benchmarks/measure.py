"""What the measurements share: the composition measured, CPU seconds by turns, and tables."""

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


def first_pair() -> Composition:
    """[M_0, M_0] of the DHC, persons, US: 160 cells with 12 distinct rhos."""
    allocation = load_allocation(ALLOCATION)
    return pair_composition(allocation, *pairs(allocation)[0])


def sample(allocation: str, size: int) -> list[Composition]:
    """Compositions of so many pairs, evenly spaced over the list (all, if it has fewer)."""
    loaded = load_allocation(allocation)
    every = pairs(loaded)
    size = min(size, len(every))
    return [pair_composition(loaded, *every[i * len(every) // size]) for i in range(size)]


def sample_options(description: str | None) -> argparse.Namespace:
    """The command line of a program that measures a sample of pairs."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--allocation", default=ALLOCATION)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--write", type=Path, help="document that takes the tables, between its marks")
    return parser.parse_args()


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    gc.collect()
    start = time.process_time()
    call()
    return time.process_time() - start


def by_turns(calls: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Seconds that every call returns, each called once per turn, so that a change of the machine's load
    meets all of them."""
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


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], document: Path | None) -> None:
    """Print a table; with a document, put it there as Markdown too, in place of what stands between its
    marks."""
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
