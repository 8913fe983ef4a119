"""The result tables. One dataclass a table: its fields are the columns, with their order and rounding.

Figures are rounded to the safe side when a table is written. docs/results.md says what every column means.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, get_type_hints

from kernels.accounting.bounds import gaussian, zcdp
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pairs
from kernels.intervals.text import down, nearest, up
from workflow.errors import PlainError
from workflow.results.curves import StoredResult

DIGITS = 15  # significant; the intervals are relatively 1e-12 wide or less
LOOSE = Decimal("1e-6")  # an eps known less closely is called an upper bound: pages print up to 6 decimals
_FURTHEST = 10_000  # decades that a number may lie away from 1; arithmetic with larger exponents takes hours


class ReportError(PlainError):
    """One line that says which result is missing or unusable."""


class Column(NamedTuple):
    """How a value of one column becomes text, and text a value. `read` raises ValueError and the like."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]


def rounded(rounding: Callable[[Decimal, int], str], digits: int = DIGITS) -> Column:
    """The column of decimals that are written with so many significant digits."""
    return Column(partial(_written, rounding, digits), _decimal)


def _written(rounding: Callable[[Decimal, int], str], digits: int, number: Decimal) -> str:
    return rounding(number, digits)


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if number.is_nan() or abs(number.adjusted()) > _FURTHEST:
        raise ValueError(text)
    return number


def exact_text(number: Fraction) -> str:
    """A rational exactly: 1e-10 for a power of ten, else p/q or an integer."""
    denominator = str(number.denominator)
    if number.numerator == 1 and len(denominator) > 1 and denominator.rstrip("0") == "1":
        return f"1e-{len(denominator) - 1}"
    return str(number)


Text = Annotated[str, Column(str, str)]
Whole = Annotated[int, Column(str, int)]
Rational = Annotated[Fraction, Column(str, Fraction)]
Power = Annotated[Fraction, Column(exact_text, Fraction)]
Up = Annotated[Decimal, rounded(up)]
Down = Annotated[Decimal, rounded(down)]
Nearest = Annotated[Decimal, rounded(nearest)]


def csv_text(row_type: type[Row], rows: Iterable[Row]) -> str:
    """A table as CSV with a header line."""
    return dicts_as_csv(row_type.columns(), (row.texts() for row in rows))


def dicts_as_csv(names: Iterable[str], rows: Iterable[dict[str, str]]) -> str:
    """Rows of text as CSV with a header line."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. Every field is annotated with its Column."""

    @classmethod
    @cache
    def columns(cls) -> dict[str, Column]:
        """The columns by name, in their order."""
        hints = get_type_hints(cls, include_extras=True)
        return {field.name: hints[field.name].__metadata__[0] for field in fields(cls)}

    def texts(self) -> dict[str, str]:
        """The row as it is written."""
        return {name: column.write(getattr(self, name)) for name, column in self.columns().items()}

    @classmethod
    def read(cls, path: Path) -> list[Self]:
        """The rows of a CSV file. Raises ReportError when it is missing, damaged, empty or lacks a column."""
        try:
            with path.open(encoding="utf-8", newline="") as file:
                table = csv.DictReader(file)
                missing = [name for name in cls.columns() if name not in (table.fieldnames or ())]
                if missing:
                    raise ReportError(f"{path}: column {missing[0]} is missing")
                rows = [cls._parsed(f"{path}: line {table.line_num}", record) for record in table]
        except OSError as error:
            raise ReportError(f"{path}: {error.strerror}") from error
        except (UnicodeDecodeError, csv.Error) as error:
            raise ReportError(f"{path}: damaged: {error}") from error
        if not rows:
            raise ReportError(f"{path}: holds no rows")
        return rows

    @classmethod
    def _parsed(cls, place: str, record: dict[Any, Any]) -> Self:
        values = {}
        for name, column in cls.columns().items():
            try:
                values[name] = column.read(record[name])
            except (ValueError, TypeError, ZeroDivisionError, InvalidOperation) as error:
                raise ReportError(f"{place}: {name}: {record[name]!r} is not a number") from error
        return cls(**values)


@dataclass(frozen=True, slots=True)
class RowOfPair(Row):
    """The columns that name a pair: its bypass patterns, and its mechanisms as M00, M01, ..."""

    first: Text
    second: Text
    first_name: Text
    second_name: Text

    @property
    def pair(self) -> tuple[str, str]:
        """Both bypass patterns."""
        return self.first, self.second

    @property
    def label(self) -> str:
        """The pair by its mechanisms' names, such as [M00, M07]."""
        return f"[{self.first_name}, {self.second_name}]"


@dataclass(frozen=True, slots=True)
class SummaryRow(RowOfPair):
    """A row of summary.csv: one pair at one delta."""

    total_rho: Rational
    delta: Power
    eps: Up
    eps_lower: Down
    eps_upper: Up
    eps_zcdp: Up
    eps_cks20: Up
    eps_gaussian_not_a_bound: Nearest
    lattice: Rational
    nodes: Whole
    survivors: Whole
    absolute_bound: Annotated[Decimal, rounded(up, 3)]

    @classmethod
    def rows_of(cls, result: StoredResult, names: dict[str, str]) -> Iterator[Self]:
        """The rows of one pair, one per delta. `names` maps bypass patterns to M00, M01, ..."""
        first, second, plan = result.identity.first, result.identity.second, result.summary
        for delta, (_, lower, upper) in zip(result.deltas, result.epsilon.tolist(), strict=True):
            yield cls(
                first=first,
                second=second,
                first_name=names[first],
                second_name=names[second],
                total_rho=plan.total_rho,
                delta=delta,
                eps=Decimal(upper),
                eps_lower=Decimal(lower),
                eps_upper=Decimal(upper),
                eps_zcdp=_eps_zcdp(plan.total_rho / 2, delta),
                eps_cks20=_eps_cks20(plan.total_rho / 2, delta),
                eps_gaussian_not_a_bound=_eps_gaussian(plan.total_rho / 2, delta),
                lattice=plan.lattice,
                nodes=plan.nodes,
                survivors=plan.survivors,
                absolute_bound=Decimal(result.absolute_bound),
            )

    @property
    def is_only_bounded(self) -> bool:
        """Whether the guaranteed interval of eps is too wide for `eps` to be called exact."""
        return self.eps_upper - self.eps_lower > LOOSE


@dataclass(frozen=True, slots=True)
class ReductionRow(Row):
    """A row of reductions.csv: one pair or one level at one delta."""

    kind: Text  # pair or level
    name: Text
    first: Text
    second: Text
    delta: Power
    eps_zcdp: Up
    reduction: Down
    reduction_lower: Down
    reduction_upper: Up
    scale: Down

    @classmethod
    def rows_of(cls, result: StoredResult, names: dict[str, str]) -> Iterator[Self]:
        """The rows of one pair or level, one per delta. `names` maps bypass patterns to M00, M01, ..."""
        kind, first, second = result.identity.kind, result.identity.first, result.identity.second
        name = f"{names[first]},{names[second]}" if kind == "pair" else first
        figures = zip(result.deltas, result.reduction.tolist(), result.scale.tolist(), strict=True)
        for delta, (_, lower, upper), (_, scale, _) in figures:
            yield cls(
                kind=kind,
                name=name,
                first=first if kind == "pair" else "",
                second=second,
                delta=delta,
                eps_zcdp=_eps_zcdp(result.total_rho / 2, delta),
                reduction=Decimal(lower),
                reduction_lower=Decimal(lower),
                reduction_upper=Decimal(upper),
                scale=Decimal(scale),
            )


@cache
def _eps_zcdp(rho: Fraction, delta: Fraction) -> Decimal:
    return zcdp.epsilon(rho, delta).upper


@cache
def _eps_cks20(rho: Fraction, delta: Fraction) -> Decimal:
    return zcdp.epsilon_cks20(rho, delta).upper


@cache
def _eps_gaussian(rho: Fraction, delta: Fraction) -> Decimal:
    return gaussian.epsilon(rho, delta).value


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
    for name, deltas in (
        ("summary.csv", {row.delta for row in summary}),
        ("reductions.csv", {row.delta for row in reductions}),
    ):
        if deltas != set(allocation.deltas):
            raise ReportError(f"{folder / name}: not the deltas of {allocation.name}")
