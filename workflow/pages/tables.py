"""The result tables, read back exactly as the pipeline wrote them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pairs
from workflow.errors import PlainError

Row = TypeVar("Row")

# An eps whose guaranteed interval is wider than this is printed as an upper bound, not as an exact value.
LOOSE = Decimal("1e-6")
_FURTHEST = 10_000  # decades that a number may lie away from 1


class ReportError(PlainError):
    """One line that says which result is missing or unusable."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One pair at one delta (a row of summary.csv). eps figures are rounded up."""

    first: str
    second: str
    first_name: str
    second_name: str
    total_rho: Fraction
    delta: Fraction
    eps: Decimal
    eps_lower: Decimal
    eps_upper: Decimal
    eps_zcdp: Decimal
    eps_cks20: Decimal
    eps_gaussian_not_a_bound: Decimal
    lattice: Fraction
    nodes: int
    survivors: int
    absolute_bound: Decimal

    @property
    def pair(self) -> tuple[str, str]:
        """Both bypass patterns."""
        return self.first, self.second

    @property
    def is_only_bounded(self) -> bool:
        """Whether the guaranteed interval of eps is too wide for `eps` to be called exact."""
        return self.eps_upper - self.eps_lower > LOOSE

    @property
    def label(self) -> str:
        """The pair by its mechanisms' names, such as [M00, M07]."""
        return f"[{self.first_name}, {self.second_name}]"


@dataclass(frozen=True, slots=True)
class ReductionRow:
    """One pair or one level at one delta (a row of reductions.csv). Reductions are rounded down."""

    kind: str
    name: str
    first: str
    second: str
    delta: Fraction
    eps_zcdp: Decimal
    reduction: Decimal
    reduction_lower: Decimal
    reduction_upper: Decimal
    scale: Decimal


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One pair at one false-positive rate (a row of attack.csv). False-negative rates are rounded down."""

    first: str
    second: str
    first_name: str
    second_name: str
    alpha: Fraction
    miss_rate: Decimal
    odds_factor: Decimal
    advantage: Decimal

    @property
    def pair(self) -> tuple[str, str]:
        """Both bypass patterns."""
        return self.first, self.second

    @property
    def label(self) -> str:
        """The pair by its mechanisms' names, such as [M00, M07]."""
        return f"[{self.first_name}, {self.second_name}]"


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if number.is_nan() or abs(number.adjusted()) > _FURTHEST:
        raise ValueError(text)
    return number


_READERS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "Fraction": Fraction,
    "Decimal": _decimal,
}


def read_summary(path: Path) -> list[SummaryRow]:
    """The rows of summary.csv. Raises ReportError when the file is missing, empty or lacks a column."""
    return _read(path, SummaryRow)


def read_reductions(path: Path) -> list[ReductionRow]:
    """The rows of reductions.csv. Raises ReportError when the file is missing, empty or lacks a column."""
    return _read(path, ReductionRow)


def read_attack(path: Path) -> list[AttackRow]:
    """The rows of attack.csv. Raises ReportError when the file is missing, empty or lacks a column."""
    return _read(path, AttackRow)


def check_complete(
    folder: Path, allocation: Allocation, summary: Sequence[SummaryRow], reductions: Sequence[ReductionRow]
) -> None:
    """Raises ReportError when the tables are not of this allocation: of all its pairs, levels and deltas."""
    every = set(pairs(allocation))
    for delta in allocation.deltas:
        here = [row for row in summary if row.delta == delta]
        levels = {row.name for row in reductions if row.delta == delta and row.kind == "level"}
        both = {(row.first, row.second) for row in reductions if row.delta == delta and row.kind == "pair"}
        for name, found, expected in (
            ("summary.csv", {row.pair for row in here}, every),
            ("reductions.csv", both, every),
            ("reductions.csv", levels, set(allocation.levels)),
            ("summary.csv", {row.total_rho for row in here}, {2 * allocation.total_rho}),
        ):
            if found != expected:
                raise ReportError(f"{folder / name}: not the results of {allocation.name} at delta {delta}")
    for name, rows in (("summary.csv", summary), ("reductions.csv", reductions)):
        if {row.delta for row in rows} != set(allocation.deltas):
            raise ReportError(f"{folder / name}: not the deltas of {allocation.name}")


def _read(path: Path, row_type: type[Row]) -> list[Row]:
    readers = {field.name: _READERS[str(field.type)] for field in fields(row_type)}  # type: ignore[arg-type]
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            missing = [name for name in readers if name not in (table.fieldnames or ())]
            if missing:
                raise ReportError(f"{path}: column {missing[0]} is missing")
            rows = [_row(path, table.line_num, row_type, readers, record) for record in table]
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReportError(f"{path}: damaged: {error}") from error
    if not rows:
        raise ReportError(f"{path}: holds no rows")
    return rows


def _row(
    path: Path,
    line: int,
    row_type: type[Row],
    readers: dict[str, Callable[[str], Any]],
    record: dict[str | Any, str | Any],
) -> Row:
    values = {}
    for name, read in readers.items():
        try:
            values[name] = read(record[name])
        except (ValueError, TypeError, ZeroDivisionError, InvalidOperation) as error:
            raise ReportError(f"{path}: line {line}: {name}: {record[name]!r} is not a number") from error
    return row_type(**values)
