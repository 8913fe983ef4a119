"""Rule theory: distances from the Gaussian limit and between the pairs, as tables and as a page."""

from __future__ import annotations

import argparse
from pathlib import Path

from kernels.accounting.census.mechanism import mechanism_name
from workflow.allocation.read import load_allocation
from workflow.design.closeness import PAPER_ORDER, closeness_rows, families
from workflow.files import atomic_path, write_text
from workflow.pages.closeness import build_theory_page
from workflow.results.closeness import ClosenessRow, TheoryRow
from workflow.results.curves import open_results
from workflow.results.tables import csv_text
from workflow.script import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocation", required=True, help="name or path of the allocation file")
    parser.add_argument("--curves", required=True, type=Path, help="merged result file")
    parser.add_argument("--theory", required=True, type=Path, help="theory.csv to write")
    parser.add_argument("--closeness", required=True, type=Path, help="closeness.csv to write")
    parser.add_argument("--out", required=True, type=Path, help="theory.html to write")
    options = parser.parse_args()

    allocation = load_allocation(options.allocation)
    names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
    with open_results(options.curves) as results:
        pairs = list(closeness_rows(results, names))
    found = families(allocation)
    write_text(options.theory, csv_text(TheoryRow, (row for family in found for row in family.rows())))
    write_text(options.closeness, csv_text(ClosenessRow, pairs))
    with atomic_path(options.out) as temporary:
        build_theory_page(allocation, found, pairs, (options.theory, options.closeness), temporary)
    for family in found:
        order = "not known" if family.order is None else f"{family.order:.3f}"
        print(f"{family.name}: order {order}; proven: {float(PAPER_ORDER)}")


if __name__ == "__main__":
    run(main)
