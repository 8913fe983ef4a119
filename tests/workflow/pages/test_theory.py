"""Stage theory: its tables, its page, and the distances between pairs."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name, pairs
from kernels.accounting.closeness.families import homogeneous
from kernels.accounting.closeness.gaussian_gap import gaussian_gap
from tests.paths import TINY
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation
from workflow.design.closeness import Family, closeness_rows
from workflow.pages.closeness import build_theory_page
from workflow.results.closeness import ClosenessRow, TheoryRow
from workflow.results.curves import open_results, pair_path
from workflow.results.tables import csv_text


@pytest.fixture
def tiny(tmp_path: Path) -> Allocation:
    allocation = load_allocation(TINY)
    write_results(tmp_path, allocation)
    return allocation


def rows_of(allocation: Allocation, folder: Path) -> list[ClosenessRow]:
    names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
    with open_results(folder / "curves.h5") as results:
        return list(closeness_rows(results, names))


def test_the_page_holds_both_tables_and_escapes_what_it_is_given(tiny: Allocation, tmp_path: Path) -> None:
    hostile = dataclasses.replace(tiny, title="<script>alert(1)</script>")
    rows, tables = rows_of(tiny, tmp_path), (tmp_path / "theory.csv", tmp_path / "closeness.csv")
    gaps = [gaussian_gap(homogeneous(Fraction(2), cells)) for cells in (4, 8)]
    families = [Family(f"<b>{name}</b>", gaps) for name in ("one", "two", "three")]
    tables[0].write_text(csv_text(TheoryRow, (row for family in families for row in family.rows())))
    tables[1].write_text(csv_text(ClosenessRow, rows))
    pages = []
    for name in ("one.html", "two.html"):
        build_theory_page(hostile, families, rows, tables, tmp_path / name)
        pages.append((tmp_path / name).read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "<script" not in pages[0]
    assert "http:" not in pages[0]
    assert "https:" not in pages[0]
    assert 'download="theory.csv"' in pages[0]
    assert [row.order is None for row in TheoryRow.read(tables[0])] == 3 * [True, False]
    assert all(row.gap_lower <= row.gap == row.gap_upper for row in TheoryRow.read(tables[0]))


def test_differences_hold_what_was_stored(tiny: Allocation, tmp_path: Path) -> None:
    rows = [row for row in rows_of(tiny, tmp_path) if row.delta == tiny.deltas[0]]
    with open_results(tmp_path / "curves.h5") as results:
        reference = results.read(pair_path(*pairs(tiny)[0]))
        for row, pair in zip(rows, pairs(tiny), strict=True):
            distance = np.abs(results.read(pair_path(*pair)).delta - reference.delta).max()
            assert row.curve_difference_lower <= Decimal(float(distance)) <= row.curve_difference_upper
    assert rows[0].curve_difference_upper == 0
