"""The heat map of all pairs: eps against that of the first pair, in classes of one decade per colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

import numpy as np
from markupsafe import Markup
from matplotlib.colors import ListedColormap

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name
from workflow.numbers import ten_to
from workflow.pages.drawing import Style, canvas, inline_svg, titled
from workflow.results.tables import SummaryRow

# From far below (blue) through white to far above (vermillion), both ends from the set of Okabe and Ito.
_BELOW = ("#004a75", "#0072B2", "#4a98c9", "#86bcde", "#bcdcee", "#e3f0f8")
_ABOVE = ("#fdebdf", "#f9d0b5", "#f2ac7e", "#e68446", "#D55E00", "#8f3d00")
COLOURS = (*_BELOW, "#ffffff", *_ABOVE)
ONLY_BOUNDED = "#b9bfc6"
MOST_MECHANISMS = 128  # above that, squares would be smaller than a pixel
_SQUARE, _LEAST, _LABELS = 0.16, 3.0, 1.2  # inches: one square, all of few squares, the labels beside them


@dataclass(frozen=True, slots=True)
class Scale:
    """Colour classes: no colour while |difference| < 10^bottom, then one decade per colour."""

    bottom: int

    @classmethod
    def fitting(cls, largest: Decimal, uncertainty: Decimal) -> Scale:
        """The scale whose strongest colour is the decade of the largest difference, unless that would give
        colours to differences that are not larger than `uncertainty`."""
        wanted = [ceil(largest.log10()) - len(_ABOVE)] if largest > 0 else []
        certain = [ceil(uncertainty.log10())] if uncertainty > 0 else []
        return cls(max(wanted + certain, default=-len(_ABOVE)))

    def colour(self, difference: Decimal) -> int:
        """Class of a difference: 0 for none, from 1 up for a rise and from -1 down for a fall."""
        if abs(difference) < Decimal(1).scaleb(self.bottom):
            return 0
        decade = min(difference.adjusted() - self.bottom + 1, len(_ABOVE))
        return decade if difference > 0 else -decade

    def meaning(self, colour: int) -> str:
        """The differences that a class stands for: +10⁻⁸ to +10⁻⁷."""
        if colour == 0:
            return f"within ±{ten_to(self.bottom)}"
        low, high = (ten_to(self.bottom + abs(colour) - 1 + decade) for decade in (0, 1))
        sign = "+" if colour > 0 else "−"
        return f"{sign}{low} to {sign}{high}"


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The map, and what its caption says.

    legend: each colour that occurs, what it means, how many pairs have it. least, most and uncertainty are
    over the pairs whose eps is exact.
    """

    plot: Markup
    legend: Sequence[tuple[str, str, int]]
    levels: Sequence[str]
    reference: SummaryRow
    least: SummaryRow
    most: SummaryRow
    uncertainty: Decimal


def heat_map(rows: Sequence[SummaryRow], allocation: Allocation) -> HeatMap | None:
    """The map over the rows of one delta, relative to the first pair whose eps is exact.

    None when no eps is exact, or with so many mechanisms that nothing could be seen.
    """
    exact = [row for row in rows if not row.is_only_bounded]
    if not exact or len(allocation.patterns) > MOST_MECHANISMS:
        return None
    reference = exact[0]
    uncertainty = max(row.eps_upper - row.eps_lower for row in exact)
    # Each eps is at most that far from the true one, a difference of two at most twice as far.
    scale = Scale.fitting(max(abs(row.eps - reference.eps) for row in exact), 2 * uncertainty)
    counts = Counter(scale.colour(row.eps - reference.eps) for row in exact)
    legend = [
        (COLOURS[colour + len(_BELOW)], scale.meaning(colour), counts[colour]) for colour in sorted(counts)
    ]
    if len(exact) < len(rows):
        legend.append((ONLY_BOUNDED, "only an upper bound is known", len(rows) - len(exact)))
    return HeatMap(
        plot=_drawn(rows, allocation, reference, scale),
        legend=legend,
        levels=allocation.absorbing_levels,
        reference=reference,
        least=min(exact, key=lambda row: row.eps),
        most=max(exact, key=lambda row: row.eps),
        uncertainty=uncertainty,
    )


def _drawn(rows: Sequence[SummaryRow], allocation: Allocation, reference: SummaryRow, scale: Scale) -> Markup:
    """A square per pair, titled with its eps; beside each mechanism a dot per level, filled if bypassed."""
    patterns, by_pair = allocation.patterns, {frozenset(row.pair): row for row in rows}
    squares = [by_pair[frozenset((first, second))] for first in patterns for second in patterns]
    classes = [np.nan if row.is_only_bounded else scale.colour(row.eps - reference.eps) for row in squares]
    names = [mechanism_name(allocation, pattern) for pattern in patterns]
    dots = [pattern.replace("0", "○").replace("1", "●") for pattern in patterns]
    labels = [f"{dot} {name}" for dot, name in zip(dots, names, strict=True)]
    side = _LABELS + max(_LEAST, _SQUARE * len(patterns))
    with canvas(side, side) as figure:
        axes = figure.add_subplot(aspect="equal")
        colours = ListedColormap(COLOURS).with_extremes(bad=ONLY_BOUNDED)
        grid = np.ma.masked_invalid(np.reshape(classes, (len(patterns), len(patterns))))
        limits: Style = {"vmin": -len(_BELOW) - 0.5, "vmax": len(_ABOVE) + 0.5}
        axes.pcolormesh(
            grid, cmap=colours, **limits, edgecolors="face", linewidth=0.2, gid="squares", clip_on=False
        )
        middles = np.arange(len(patterns)) + 0.5
        axes.set_xticks(middles, labels, rotation=90, fontsize=6.5)
        axes.set_yticks(middles, labels, fontsize=6.5)
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        axes.invert_yaxis()
        axes.grid(visible=False)
    title = f"Heat map of exact epsilon over all pairs of {len(patterns)} mechanisms"
    return titled(
        inline_svg(figure, "heat-map", title), "heat-map-squares", [_title(row, reference) for row in squares]
    )


def _title(row: SummaryRow, reference: SummaryRow) -> str:
    if row.is_only_bounded:
        return f"{row.label}: ε ≤ {row.eps}"
    return f"{row.label}: ε = {row.eps} ({row.eps - reference.eps:+.2e})"
