"""Tables: written with safe rounding, read by the same columns, refused in one line when damaged."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from tests.refused import refused
from workflow.results.tables import ReductionRow, ReportError, csv_text

ROW = ReductionRow(
    kind="level",
    name="state, or\nequivalent",
    first="",
    second="",
    delta=Fraction(1, 10**400),
    eps_zcdp=Decimal("2.00000000000000001"),
    reduction=Decimal("0.99999999999999999"),
    reduction_lower=Decimal("0.99999999999999999"),
    reduction_upper=Decimal("0.99999999999999999"),
    scale=Decimal("Infinity"),
)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "reductions.csv"
    path.write_text(csv_text(ReductionRow, [ROW]))
    (row,) = ReductionRow.read(path)
    assert (row.name, row.delta, row.scale) == (ROW.name, ROW.delta, ROW.scale)
    assert row.reduction == row.reduction_lower == Decimal("0.999999999999999")
    assert row.reduction_upper == 1
    assert row.eps_zcdp == Decimal("2.00000000000001")
    assert csv_text(ReductionRow, [row]) == path.read_text()


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("scale", "other", "column scale is missing"),
        ("level,", "level,,,,,,,,,,,", "is not a number"),
        ("1e-400", "1/0", "line 3: delta: '1/0'"),
        ("2.00", "NaN", "eps_zcdp"),
        ("2.00", "1e999999999", "eps_zcdp"),
        ("Infinity", "\0", "damaged"),
        ("Infinity", "", "scale: ''"),
    ],
)
def test_a_damaged_table_is_one_line(tmp_path: Path, old: str, new: str, word: str) -> None:
    path = tmp_path / "reductions.csv"
    path.write_text(csv_text(ReductionRow, [ROW]).replace(old, new, 1))
    line = refused(ReductionRow.read, path, error=ReportError)
    assert line.startswith(str(path))
    assert word in line


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reductions.csv"
    path.write_text(csv_text(ReductionRow, []))
    with pytest.raises(ReportError, match="holds no rows"):
        ReductionRow.read(path)
