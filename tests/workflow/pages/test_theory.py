"""Stage theory: its tables, its page, and the distances between pairs."""

from __future__ import annotations

import csv
import dataclasses
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name, pair_composition, pairs
from kernels.accounting.closeness.families import homogeneous
from kernels.accounting.closeness.gaussian_gap import gaussian_gap
from tests.paths import TINY
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation
from workflow.pages.closeness import build_theory_page
from workflow.results import closeness as theory
from workflow.results.curves import open_results, pair_path
from workflow.results.tables import csv_text


def small_families() -> list[theory.Family]:
    gaps = [gaussian_gap(homogeneous(Fraction(2), cells)) for cells in (4, 8)]
    return [theory.Family(f"<b>{name}</b>", gaps) for name in ("one", "two", "three")]


def names(allocation: Allocation) -> dict[str, str]:
    return {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}


def test_the_page_holds_both_tables_and_escapes_what_it_is_given(tmp_path: Path) -> None:
    tiny = dataclasses.replace(load_allocation(TINY), title="<script>alert(1)</script>")
    write_results(tmp_path, tiny)
    with open_results(tmp_path / "curves.h5") as results:
        found = theory.closeness(results, names(tiny))
    families, tables = small_families(), (tmp_path / "theory.csv", tmp_path / "closeness.csv")
    tables[0].write_text(csv_text(theory.THEORY, theory.theory_rows(families)), encoding="utf-8")
    tables[1].write_text(
        csv_text(theory.CLOSENESS, theory.closeness_rows(found, tiny.deltas)), encoding="utf-8"
    )
    pages = []
    for name in ("one.html", "two.html"):
        build_theory_page(tiny, families, found, tiny.deltas, tables, tmp_path / name)
        pages.append((tmp_path / name).read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "<script" not in pages[0]
    assert "http" not in pages[0]
    assert 'download="theory.csv"' in pages[0]
    rows = list(csv.DictReader(tables[0].read_text(encoding="utf-8").splitlines()))
    assert all(Decimal(row["gap_lower"]) <= Decimal(row["gap"]) == Decimal(row["gap_upper"]) for row in rows)


def test_differences_hold_what_was_stored(tmp_path: Path) -> None:
    tiny = load_allocation(TINY)
    write_results(tmp_path, tiny)
    with open_results(tmp_path / "curves.h5") as results:
        found = theory.closeness(results, names(tiny))
        reference = results.read(pair_path(*pairs(tiny)[0]))
        for row, pair in zip(found, pairs(tiny), strict=True):
            distance = np.abs(results.read(pair_path(*pair)).delta - reference.delta).max()
            assert row.at_least <= Decimal(float(distance)) <= row.at_most
    same = pair_composition(tiny, *pairs(tiny)[0])
    assert found[0].at_most == 0
    assert same.total_rho == 2 * tiny.total_rho
