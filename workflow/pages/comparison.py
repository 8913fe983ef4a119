"""A comparison of allocations as a picture, and as a page that opens offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workflow.allocation.production import is_production, zcdp_name
from workflow.design.compare import Compared
from workflow.numbers import delta_text, round_up
from workflow.pages.drawing import (
    canvas,
    dumbbell,
    grouped_bars,
    inline_svg,
    legend_above,
    list_axis,
    text_beside,
    write_figure,
)
from workflow.pages.template import environment

#: Titles and cells of one table.
Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def write_comparison(compared: Sequence[Compared], tables: Sequence[Table], heading: str, path: Path) -> None:
    """Write the comparison to a .html, .png or .svg file; tables are those that the page shows."""
    zcdp = zcdp_name(all(is_production(result.allocation) for result in compared))
    figure = _figure(compared, zcdp)
    if path.suffix != ".html":
        write_figure(figure, path)
        return
    page = environment().get_template("compare.html.j2")
    names = ", ".join(result.allocation.name for result in compared)
    plot = inline_svg(figure, "compare", "Exact epsilon, and rho of every level, of each allocation")
    path.write_text(
        page.render(heading=heading, names=names, plot=plot, tables=tables, zcdp=zcdp), encoding="utf-8"
    )


def _figure(compared: Sequence[Compared], zcdp: str) -> Figure:
    deltas = len(compared[0].figures)
    levels = list(dict.fromkeys(level for result in compared for level in result.allocation.levels))
    rows = max(len(compared) * deltas * 0.5, len(levels) * (0.2 * len(compared) + 0.15))
    with canvas(11, 1.4 + rows) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        _draw_eps(left, compared, zcdp)
        _draw_levels(right, compared, levels)
    return figure


def _draw_eps(axes: Axes, compared: Sequence[Compared], zcdp: str) -> None:
    """Exact eps, CKS20 and that by the looser conversion, one row per allocation and delta."""
    names: list[str] = []
    for result in compared:
        for figures in result.figures:
            exact = (figures.eps or figures.eps_proxy).upper
            dumbbell(axes, len(names), exact, figures.eps_cks20.upper, figures.eps_zcdp.lower, zcdp)
            text_beside(axes, round_up(exact, 2), (float(exact), len(names)), -8)
            names.append(f"{result.allocation.name}\nδ = {delta_text(figures.delta)}")
    axes.margins(x=0.2)
    list_axis(axes, names, "ε (smaller is better)")
    legend_above(axes, handletextpad=0.2)


def _draw_levels(axes: Axes, compared: Sequence[Compared], levels: Sequence[str]) -> None:
    """rho of every level, by allocation."""
    series = []
    for allocation in (result.allocation for result in compared):
        rho = [allocation.level_rho(level) if level in allocation.rho else 0 for level in levels]
        series.append((allocation.name, [float(share) for share in rho]))
    grouped_bars(axes, levels, series)
    list_axis(axes, [level.replace("_", " ") for level in levels], "ρ of the level (more is less noise)")
    legend_above(axes)
