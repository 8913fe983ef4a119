"""A comparison of allocations as a picture, and as a page that opens offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workflow.allocation.production import is_production, zcdp_name
from workflow.design.compare import Compared
from workflow.numbers import delta_text, round_up
from workflow.pages.drawing import (
    BLUE,
    CKS20,
    EXACT,
    GREEN,
    INK,
    MUTED,
    SKY,
    canvas,
    inline_svg,
    plain_axis,
    write_figure,
    zcdp_line,
)
from workflow.pages.template import environment

_COLOURS = (SKY, GREEN, INK, BLUE, MUTED)  # not those of the bounds
_HATCHES = ("", "///", "...", "xxx", "+++")

#: Titles and cells of one table.
Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def write_comparison(compared: Sequence[Compared], tables: Sequence[Table], heading: str, path: Path) -> None:
    """Write the comparison to a .html, .png or .svg file; tables are those that the page shows."""
    zcdp = zcdp_name(all(is_production(one.allocation) for one in compared))
    figure = _figure(compared, zcdp)
    if path.suffix != ".html":
        write_figure(figure, path)
        return
    page = environment().get_template("compare.html.j2")
    names = ", ".join(one.allocation.name for one in compared)
    plot = inline_svg(figure, "compare", "Exact epsilon, and rho of every level, of each allocation")
    path.write_text(
        page.render(heading=heading, names=names, plot=plot, tables=tables, zcdp=zcdp), encoding="utf-8"
    )


def _figure(compared: Sequence[Compared], zcdp: str) -> Figure:
    deltas = len(compared[0].figures)
    levels = list(dict.fromkeys(level for one in compared for level in one.allocation.levels))
    rows = max(len(compared) * deltas * 0.5, len(levels) * (0.2 * len(compared) + 0.15))
    with canvas(11, 1.4 + rows) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        _draw_eps(left, compared, zcdp)
        _draw_levels(right, compared, levels)
    return figure


def _draw_eps(axes: Axes, compared: Sequence[Compared], zcdp: str) -> None:
    """Exact eps, CKS20 and that by the looser conversion, one line per allocation and delta."""
    lines = [(one, figures) for one in compared for figures in one.figures]
    for place, (_, figures) in enumerate(lines):
        exact = figures.eps or figures.eps_proxy
        numbers = (exact.upper, figures.eps_cks20.upper, figures.eps_zcdp.lower)
        axes.plot([float(numbers[0]), float(numbers[2])], [place] * 2, color=MUTED, linewidth=1.2, zorder=1)
        for number, marker, style in zip(numbers, "oDs", (EXACT, CKS20, zcdp_line(zcdp)), strict=True):
            label = style["label"] if place == 0 else None
            axes.plot(float(number), place, marker, color=style["color"], markersize=7, label=label)
        axes.annotate(
            round_up(numbers[0], 2),
            (float(numbers[0]), place),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
        )
    names = [f"{one.allocation.name}\nδ = {delta_text(figures.delta)}" for one, figures in lines]
    axes.set_yticks(range(len(lines)), names)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.margins(x=0.2)
    axes.set_xlabel("ε (smaller is better)")
    plain_axis(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, handletextpad=0.2, columnspacing=1.0)


def _draw_levels(axes: Axes, compared: Sequence[Compared], levels: Sequence[str]) -> None:
    """rho of every level, grouped; an allocation's colour goes with a hatch of its own."""
    height = 0.8 / len(compared)
    for series, one in enumerate(compared):
        rho = [
            float(one.allocation.level_rho(level)) if level in one.allocation.rho else 0.0 for level in levels
        ]
        offsets = np.arange(len(levels)) + (series - (len(compared) - 1) / 2) * height
        axes.barh(
            offsets,
            rho,
            height * 0.9,
            color=_COLOURS[series % len(_COLOURS)],
            hatch=_HATCHES[series // len(_COLOURS) % len(_HATCHES)],
            edgecolor="white",
            label=one.allocation.name,
        )
    axes.set_yticks(range(len(levels)), [level.replace("_", " ") for level in levels])
    axes.set_ylim(len(levels) - 0.45, -0.55)
    axes.set_xlabel("ρ of the level (more is less noise)")
    plain_axis(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, columnspacing=1.0)
