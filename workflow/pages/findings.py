"""What the results say: the worst pair, the gain, the spread over pairs and levels, at each delta."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import log

from workflow.results.tables import ReductionRow, ReportError, SummaryRow

# The delta for which the Census Bureau publishes its eps.
HEADLINE_DELTA = Fraction(1, 10**10)


@dataclass(frozen=True, slots=True)
class DeltaFindings:
    """The results at one delta. Of equal pairs the first in the allocation's order is named."""

    delta: Fraction
    worst: SummaryRow
    best: SummaryRow
    pairs: Sequence[ReductionRow]
    levels: Sequence[ReductionRow]

    @property
    def pair_range(self) -> tuple[ReductionRow, ReductionRow]:
        """The pairs with the least and the largest reduction."""
        return _range(self.pairs)

    @property
    def level_range(self) -> tuple[ReductionRow, ReductionRow]:
        """The levels with the least and the largest reduction."""
        return _range(self.levels)


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest, middle and largest value over the pairs (the middle one is a value that occurs)."""

    minimum: Fraction | Decimal | int
    median: Fraction | Decimal | int
    maximum: Fraction | Decimal | int

    def values(self) -> tuple[Fraction | Decimal | int, ...]:
        """The three, rising."""
        return self.minimum, self.median, self.maximum

    @classmethod
    def of(cls, values: Iterable) -> Spread:
        """The spread of values, at least one; of an even number of them the upper middle one is taken."""
        ordered = sorted(values)
        return cls(ordered[0], ordered[len(ordered) // 2], ordered[-1])


def find(summary: Sequence[SummaryRow], reductions: Sequence[ReductionRow]) -> list[DeltaFindings]:
    """One entry per delta of `summary`, largest delta first.

    Raises ReportError when `reductions` lacks the pairs or the levels at one of the deltas.
    """
    result = []
    for delta in sorted({row.delta for row in summary}, reverse=True):
        rows = [row for row in summary if row.delta == delta]
        pairs = [row for row in reductions if row.delta == delta and row.kind == "pair"]
        levels = [row for row in reductions if row.delta == delta and row.kind == "level"]
        if not pairs or not levels:
            raise ReportError(f"reductions.csv: no {'levels' if pairs else 'pairs'} at delta {delta}")
        result.append(DeltaFindings(delta, max(rows, key=_eps), min(rows, key=_eps), pairs, levels))
    return result


def headline(findings: Sequence[DeltaFindings]) -> DeltaFindings:
    """The entry for delta 1e-10, or the one whose delta is nearest to it in magnitude."""
    return min(findings, key=lambda entry: abs(_log(entry.delta) - _log(HEADLINE_DELTA)))


def few(findings: Sequence[DeltaFindings], most: int = 5) -> list[DeltaFindings]:
    """At most `most` entries for a plot: the headline's and others, evenly from the first to the last."""
    if len(findings) <= most:
        return list(findings)
    chosen = {round(i * (len(findings) - 1) / (most - 2)) for i in range(most - 1)}
    chosen.add(list(findings).index(headline(findings)))
    return [findings[i] for i in sorted(chosen)]


def _eps(row: SummaryRow) -> Decimal:
    return row.eps


def _reduction(row: ReductionRow) -> Decimal:
    return row.reduction


def _range(rows: Sequence[ReductionRow]) -> tuple[ReductionRow, ReductionRow]:
    return min(rows, key=_reduction), max(rows, key=_reduction)


def _log(delta: Fraction) -> float:
    return log(delta.numerator) - log(delta.denominator)
