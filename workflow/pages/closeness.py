"""The page of rule theory: the Gaussian limit against the number of cells, the pairs against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition
from workflow.design.closeness import OWN, PAPER_ORDER, Family
from workflow.numbers import ten_to
from workflow.pages.drawing import (
    BLUE,
    GREEN,
    INK,
    VERMILLION,
    Style,
    canvas,
    inline_svg,
    list_axis,
    powers_of_ten,
)
from workflow.pages.findings import Spread
from workflow.pages.template import base64_text, environment
from workflow.results.closeness import ClosenessRow

_STYLES: tuple[Style, ...] = (
    {"color": BLUE, "marker": "o"},
    {"color": VERMILLION, "marker": "s"},
    {"color": GREEN, "marker": "D"},
)
_CORRECTED: Style = {"linewidth": 1, "linestyle": (0, (2, 2)), "markersize": 5, "markerfacecolor": "white"}
_SAME = -16  # differences below this power of ten are those of equal pairs, or of rounding


def build_theory_page(
    allocation: Allocation,
    families: Sequence[Family],
    rows: Sequence[ClosenessRow],
    tables: Sequence[Path],
    out: Path,
) -> None:
    """Write the page (HTML, self-contained) with the `tables` inside it; same input, same bytes."""
    first = allocation.patterns[0]
    cells = pair_composition(allocation, first, first).size
    by_delta = {row.delta: [same for same in rows if same.delta == row.delta] for row in rows}
    pairs = by_delta[rows[0].delta]
    farthest = max(pairs, key=lambda row: row.curve_difference_upper)
    page = environment().get_template("theory.html.j2")
    text = page.render(
        allocation=allocation,
        families=families,
        own=next(
            (family.gaps[0] for family in families if family.name == OWN and family.gaps[0].cells == cells),
            None,
        ),
        paper_order=float(PAPER_ORDER),
        pairs=pairs,
        eps={delta: Spread.of(row.eps_difference for row in here) for delta, here in by_delta.items()},
        farthest=farthest,
        median=Spread.of(row.curve_difference_upper for row in pairs).median,
        plots={"gaps": _gap_plot(families), "pairs": _pair_plot(pairs)},
        files={path.name: base64_text(path) for path in tables},
    )
    out.write_text(text, encoding="utf-8")


def _gap_plot(families: Sequence[Family]) -> Markup:
    with canvas(7.2, 4.6) as figure:
        axes = figure.add_subplot(xscale="log", yscale="log")
        for family, style in zip(families, _STYLES, strict=False):
            cells = [gap.cells for gap in family.gaps]
            gaps = [float(gap.gap.value) for gap in family.gaps]
            rest = [float(gap.corrected.upper) for gap in family.gaps]
            axes.plot(cells, gaps, **style, linewidth=1.8, markersize=6, label=family.name)
            axes.plot(cells, rest, **style, **_CORRECTED)
        _reference_line(axes, families[0])
        axes.set(xlabel="m: number of cells (equal total ρ)", ylabel="largest distance from the limit")
        powers_of_ten(axes.xaxis, axes.yaxis)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.legend(loc="lower left")
    title = "Distance between exact curves and their Gaussian limit, by number of cells"
    return inline_svg(figure, "gaps", title)


def _reference_line(axes: Axes, family: Family) -> None:
    """The slope of the paper's bound through the family's first point; its constant means nothing."""
    cells = np.array([gap.cells for gap in family.gaps], dtype=float)
    line = float(family.gaps[0].gap.value) * (cells / cells[0]) ** float(PAPER_ORDER)
    axes.plot(cells, line, color=INK, linewidth=1.2, linestyle=(0, (1, 2)))
    look: Style = {"xytext": (0, 14), "ha": "right", "fontsize": 8}
    axes.annotate("slope −3/2, proven", (cells[-1], line[-1]), textcoords="offset points", **look)


def _pair_plot(pairs: Sequence[ClosenessRow]) -> Markup:
    """How many pairs differ from the first by how much, by decade."""
    counts = Counter(_decade(pair.curve_difference_upper) for pair in pairs)
    decades = range(min(counts), max(counts) + 1)
    with canvas(5.2, 0.9 + 0.3 * len(decades)) as figure:
        axes = figure.add_subplot()
        bars = axes.barh(range(len(decades)), [counts[decade] for decade in decades], 0.8, color=BLUE)
        axes.bar_label(bars, padding=4)
        axes.margins(x=0.12)
        list_axis(axes, [_words(decade) for decade in decades], "pairs")
    return inline_svg(figure, "pairs", "Number of pairs by their distance from the first pair")


def _decade(distance: Decimal) -> int:
    return max(distance.adjusted(), _SAME) if distance else _SAME


def _words(decade: int) -> str:
    return f"below {ten_to(_SAME + 1)}" if decade == _SAME else f"{ten_to(decade)} to {ten_to(decade + 1)}"
