"""Where the numbers come from: source, settings, versions, digest, cost."""

from __future__ import annotations

from kernels.accounting.allocation import Allocation
from workflow.lib.store import Results

from .numbers import delta_text, integer_text

# What the method's paper reports for one pair of DHC persons (arXiv 2606.29835).
PAPER_CPU_HOURS_PER_PAIR = 0.5


def provenance(results: Results, allocation: Allocation) -> list[tuple[str, str]]:
    """Name and text of every entry, from the header and the index of curves.h5."""
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
        ("Cost of the curves", cost_text(results)),
    ]


def cost_text(results: Results) -> str:
    """CPU time spent on the results (shared computations counted once), and the paper's beside it."""
    pairs = sum(1 for _ in results.pairs())
    seconds = sum({row["key"]: row["cpu_seconds"] for row in results.index()}.values())
    levels = sum(1 for _ in results.levels())
    text = f"{seconds:.1f} CPU seconds for {integer_text(pairs)} pairs and {levels} levels"
    if seconds > 0:
        paper = pairs * PAPER_CPU_HOURS_PER_PAIR
        ratio = integer_text(int(paper * 3600 / seconds))
        text += f"; the paper reports half a CPU-hour per pair, {ratio} times as much for as many pairs"
    return text
