"""The heat map of all pairs: eps against that of the first pair, in classes of one decade per colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name
from workflow.numbers import ten_to
from workflow.results.tables import SummaryRow

# From far below to far above (blue to vermillion, both from the Okabe-Ito set, through white).
BELOW = ("#e3f0f8", "#bcdcee", "#86bcde", "#4a98c9", "#0072B2", "#004a75")
ABOVE = ("#fdebdf", "#f9d0b5", "#f2ac7e", "#e68446", "#D55E00", "#8f3d00")
SAME = "#ffffff"
ONLY_BOUNDED = "#b9bfc6"
MOST_MECHANISMS = 128  # above that, squares would be smaller than a pixel


@dataclass(frozen=True, slots=True)
class Scale:
    """Colour classes: no colour while |difference| < 10^bottom, then one decade per colour."""

    bottom: int

    @classmethod
    def fitting(cls, largest: Decimal, uncertainty: Decimal) -> Scale:
        """The scale whose strongest colour is the decade of the largest difference, unless that would give
        colours to differences that are not larger than `uncertainty`."""
        wanted = [ceil(largest.log10()) - len(ABOVE)] if largest > 0 else []
        certain = [ceil(uncertainty.log10())] if uncertainty > 0 else []
        return cls(max(wanted + certain, default=-len(ABOVE)))

    def colour(self, difference: Decimal) -> int:
        """Class of a difference: 0 for none, from 1 up for a rise and from -1 down for a fall."""
        if abs(difference) < Decimal(1).scaleb(self.bottom):
            return 0
        decade = min(difference.adjusted() - self.bottom + 1, len(ABOVE))
        return decade if difference > 0 else -decade

    def meaning(self, colour: int) -> str:
        """The differences that a class stands for: +10⁻⁸ to +10⁻⁷."""
        if colour == 0:
            return f"within ±{ten_to(self.bottom)}"
        sign = "+" if colour > 0 else "−"
        low, high = ten_to(self.bottom + abs(colour) - 1), ten_to(self.bottom + abs(colour))
        return f"{sign}{low} to {sign}{high}"


def fill(colour: int) -> str:
    """The colour of a class."""
    if colour == 0:
        return SAME
    return ABOVE[colour - 1] if colour > 0 else BELOW[-colour - 1]


@dataclass(frozen=True, slots=True)
class Square:
    """One square: its place, colour, and what is said when it is pointed at."""

    row: int
    column: int
    fill: str
    title: str


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour that occurs, what it means, and how many pairs have it."""

    fill: str
    text: str
    pairs: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """What the template draws and the caption says.

    `least`, `most` and `uncertainty` are over the pairs whose eps is exact.
    """

    patterns: Sequence[str]
    names: Sequence[str]
    levels: Sequence[str]
    squares: Sequence[Square]
    legend: Sequence[LegendEntry]
    reference: SummaryRow
    least: SummaryRow
    most: SummaryRow
    uncertainty: Decimal


def heat_map(rows: Sequence[SummaryRow], allocation: Allocation) -> HeatMap | None:
    """The map over the rows of one delta, relative to the first pair whose eps is exact.

    None when no eps is exact, or with so many mechanisms that nothing could be seen.
    """
    exact = [row for row in rows if not row.is_only_bounded]
    patterns = allocation.patterns
    if not exact or len(patterns) > MOST_MECHANISMS:
        return None
    reference = exact[0]
    uncertainty = max(row.eps_upper - row.eps_lower for row in exact)
    # Each eps is at most that far from the true one, a difference of two at most twice as far.
    scale = Scale.fitting(max(abs(row.eps - reference.eps) for row in exact), 2 * uncertainty)
    table = {row.pair: row for row in rows} | {(row.second, row.first): row for row in rows}
    return HeatMap(
        patterns=patterns,
        names=[mechanism_name(allocation, pattern) for pattern in patterns],
        levels=allocation.absorbing_levels,
        squares=list(_squares(patterns, table, reference, scale)),
        legend=_legend(exact, reference, scale, len(rows) - len(exact)),
        reference=reference,
        least=min(exact, key=lambda row: row.eps),
        most=max(exact, key=lambda row: row.eps),
        uncertainty=uncertainty,
    )


def _legend(
    exact: Sequence[SummaryRow], reference: SummaryRow, scale: Scale, only_bounded: int
) -> list[LegendEntry]:
    counts = Counter(scale.colour(row.eps - reference.eps) for row in exact)
    entries = [LegendEntry(fill(colour), scale.meaning(colour), counts[colour]) for colour in sorted(counts)]
    if only_bounded:
        entries.append(LegendEntry(ONLY_BOUNDED, "only an upper bound is known", only_bounded))
    return entries


def _squares(
    patterns: Sequence[str],
    table: Mapping[tuple[str, str], SummaryRow],
    reference: SummaryRow,
    scale: Scale,
) -> list[Square]:
    squares = []
    for i, first in enumerate(patterns):
        for j, second in enumerate(patterns):
            row = table[first, second]
            difference = row.eps - reference.eps
            if row.is_only_bounded:
                squares.append(Square(i, j, ONLY_BOUNDED, f"{row.label}: ε ≤ {row.eps}"))
            else:
                title = f"{row.label}: ε = {row.eps} ({difference:+.2e})"
                squares.append(Square(i, j, fill(scale.colour(difference)), title))
    return squares
