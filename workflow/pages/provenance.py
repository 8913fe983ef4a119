"""Where the numbers come from: source, settings, versions, digest, cost."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from workflow.allocation.production import is_production
from workflow.files import read_json, whole
from workflow.numbers import delta_text, integer_text
from workflow.results.curves import CurveFile
from workflow.results.tables import ReportError
from workflow.words import printable

# What the method's paper reports for one pair of DHC persons (arXiv 2606.29835).
PAPER_CPU_HOURS_PER_PAIR = 0.5


def provenance(results: CurveFile, stats: Iterable[Path], allocation: Allocation) -> list[tuple[str, str]]:
    """Name and text of every entry, from curves.h5 and the shards' `stats` files (JSON)."""
    header = results.header()
    settings = header.settings
    deltas = ", ".join(delta_text(delta) for delta in settings.deltas)
    versions = ", ".join(f"{package} {version}" for package, version in sorted(header.created_by.items()))
    return [
        ("Allocation", allocation.name),
        ("Source of the allocation", allocation.source),
        ("Settings", f"δ = {deltas}; {settings.thresholds} thresholds; {settings.eps_points} values of ε"),
        ("Kernels", header.kernel_version),
        ("Written by", versions),
        ("Content digest of curves.h5", results.digest),
        ("Cost of the curves", cost_text(results, stats, is_production(allocation))),
    ]


def cost_text(results: CurveFile, stats: Iterable[Path], production: bool) -> str:
    """CPU time spent on the curves and, of a production run, the paper's for as many pairs.

    The time of whole processes, from their start, is known where the shards' `stats` files cover everything
    that `results` holds; else the time inside the kernels is told. A computation shared by several pairs
    counts once.
    """
    kernel_seconds = {row["key"]: row["cpu_seconds"] for row in results.index()}
    pairs, levels = sum(1 for _ in results.pairs()), sum(1 for _ in results.levels())
    inside = sum(kernel_seconds.values())
    whole = _stage_seconds(stats, len(kernel_seconds))
    subject = f"the curves of {integer_text(pairs)} pairs and {levels} levels"
    if whole is None:
        text = f"{inside:.1f} CPU seconds in the kernels for {subject}"
    else:
        text = f"{whole:.1f} CPU seconds for {subject}, start-up included ({inside:.1f} in the kernels)"
    seconds = whole or inside
    if seconds and production:
        ratio = integer_text(int(pairs * PAPER_CPU_HOURS_PER_PAIR * 3600 / seconds))
        text += f"; the paper reports half a CPU-hour per pair, {ratio} times as much for as many pairs"
    return text


def _stage_seconds(stats: Iterable[Path], computations: int) -> float | None:
    runs = [_run(path) for path in stats]
    if sum(computed for computed, _ in runs) != computations:
        return None
    return sum(seconds for _, seconds in runs)


def _run(path: Path) -> tuple[int, float]:
    """How much a shard computed, and its CPU seconds. Raises ReportError."""
    try:
        run = read_json(path)
        computed, seconds = whole(run["computed"]), float(run["cpu_seconds"])
        if not 0.0 <= seconds < inf:
            raise ValueError(f"{seconds} CPU seconds")
    except (OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        what = printable(f"{type(error).__name__}: {error}")
        raise ReportError(f"{path}: not the statistics of a shard: {what}") from error
    return computed, seconds
