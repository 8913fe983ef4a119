"""Rule theory: distances from the Gaussian limit and between the pairs, as tables and as a page."""

from __future__ import annotations

from pathlib import Path

from kernels.accounting.census.mechanism import mechanism_name
from workflow.allocation.read import load_allocation
from workflow.design.closeness import PAPER_ORDER, closeness_rows, families
from workflow.files import atomic_path, write_text
from workflow.pages.closeness import build_theory_page
from workflow.results.closeness import ClosenessRow, TheoryRow
from workflow.results.curves import open_results
from workflow.results.tables import csv_text
from workflow.script import options, run


def main() -> None:
    asked = options(__doc__, allocation=str, curves=Path, theory=Path, closeness=Path, out=Path)
    allocation = load_allocation(asked.allocation)
    names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
    with open_results(asked.curves) as results:
        pairs = list(closeness_rows(results, names))
    found = families(allocation)
    write_text(asked.theory, csv_text(TheoryRow, (row for family in found for row in family.rows())))
    write_text(asked.closeness, csv_text(ClosenessRow, pairs))
    with atomic_path(asked.out) as temporary:
        build_theory_page(allocation, found, pairs, (asked.theory, asked.closeness), temporary)
    for family in found:
        order = "not known" if family.order is None else f"{family.order:.3f}"
        print(f"{family.name}: order {order}; proven: {float(PAPER_ORDER)}")


if __name__ == "__main__":
    run(main)
