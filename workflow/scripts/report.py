"""Rule report: the self-contained report.html of one allocation's results."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.allocation.read import load_allocation
from workflow.files import atomic_path
from workflow.pages.page import build_report
from workflow.script import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocation", required=True, help="name or path of the allocation file")
    parser.add_argument("--results", required=True, type=Path, help="folder with the tables and curves.h5")
    parser.add_argument("--out", required=True, type=Path, help="report.html")
    options = parser.parse_args()

    allocation = load_allocation(options.allocation)
    with atomic_path(options.out) as temporary:
        build_report(options.results, allocation, temporary)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    run(main)
