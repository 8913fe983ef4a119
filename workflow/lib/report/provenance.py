"""Where the numbers come from: source, versions, settings, digest, cost."""

from __future__ import annotations

from pathlib import Path

from kernels.accounting.allocation import Allocation


def provenance(results_dir: Path, results, allocation: Allocation, pair_count: int) -> list[tuple[str, str]]:
    return [("Allocation source", allocation.source)]
