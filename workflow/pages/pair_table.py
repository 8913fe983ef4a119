"""The table of all pairs at one delta: eps, variance reduction, what an attacker can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workflow.results.attack import AttackRow
from workflow.results.tables import ReductionRow, SummaryRow

MOST_PAIRS = 2500  # a longer table would double the page's size; summary.csv holds all pairs


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair: its rows of the three tables, the attack's at the lowest false-positive rate."""

    summary: SummaryRow
    reduction: ReductionRow
    attack: AttackRow


def pair_table(
    rows: Sequence[SummaryRow], reductions: Sequence[ReductionRow], attacks: Sequence[AttackRow]
) -> list[PairRow]:
    """The pairs that all three tables hold, in the order of summary.csv."""
    lowest = min(row.alpha for row in attacks)
    reduced = {(row.first, row.second): row for row in reductions}
    attacked = {row.pair: row for row in attacks if row.alpha == lowest}
    return [
        PairRow(row, reduced[row.pair], attacked[row.pair])
        for row in rows
        if row.pair in reduced and row.pair in attacked
    ]
