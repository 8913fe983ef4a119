"""Rule report: the self-contained report.html of one allocation's results."""

from __future__ import annotations

from pathlib import Path

from workflow.allocation.read import load_allocation
from workflow.files import atomic_path
from workflow.pages.page import build_report
from workflow.script import options, run


def main() -> None:
    asked = options(__doc__, allocation=str, results=Path, out=Path)
    allocation = load_allocation(asked.allocation)
    with atomic_path(asked.out) as temporary:
        build_report(asked.results, allocation, temporary)
    print(f"{asked.out}: {asked.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    run(main)
