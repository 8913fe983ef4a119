"""Plots of single figures: eps under three accountings, variance reductions, lattice nodes and survivors."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from workflow.numbers import delta_text, percent_down, round_down, round_up, share_text, ten_to
from workflow.pages.attack import Attack
from workflow.pages.drawing import (
    BLUE,
    CKS20,
    EXACT,
    GREEN,
    INK,
    MUTED,
    SKY,
    ZCDP,
    Style,
    canvas,
    inline_svg,
    plain_axis,
)
from workflow.pages.findings import DeltaFindings, headline
from workflow.results.tables import SummaryRow
from workflow.words import how_many

_ALL_LEVELS = "All levels at once"
_DELTA_COLOURS = (GREEN, BLUE, INK, SKY, MUTED)


def eps_plot(findings: Sequence[DeltaFindings], zcdp: str) -> Markup:
    """The worst pair's eps at every delta: exact, CKS20, and by the conversion of the name `zcdp`."""
    with canvas(5.2, 0.85 + 0.72 * len(findings)) as figure:
        draw_eps(figure.add_subplot(), findings, zcdp)
    return inline_svg(figure, "eps", "Exact epsilon against the two zCDP bounds, at every delta")


def draw_eps(axes: Axes, findings: Sequence[DeltaFindings], zcdp: str) -> None:
    """Dumbbells from the exact eps (left) to that by zCDP (right), one line per delta."""
    for position, entry in enumerate(findings):
        exact, cks20, loose = entry.worst.eps, entry.worst.eps_cks20, entry.worst.eps_zcdp
        axes.plot([float(exact), float(loose)], [position] * 2, color=MUTED, linewidth=1.2, zorder=1)
        _dot(axes, exact, position, "o", EXACT, "exact")
        _dot(axes, cks20, position, "D", CKS20, "tight zCDP (CKS20)")
        _dot(axes, loose, position, "s", ZCDP, zcdp)
        beside: Style = {"textcoords": "offset points", "va": "center"}
        left, right = (float(exact), position), (float(loose), position)
        axes.annotate(round_up(exact, 2), left, xytext=(-8, 0), ha="right", fontweight="bold", **beside)
        axes.annotate(round_down(loose, 2), right, xytext=(8, 0), ha="left", **beside)
    axes.set_yticks(range(len(findings)), [f"δ = {delta_text(entry.delta)}" for entry in findings])
    axes.set_ylim(len(findings) - 0.4, -0.6)
    axes.margins(x=0.24)
    axes.set_xlabel("ε guaranteed by each way of accounting (smaller is better)")
    plain_axis(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3, handletextpad=0.2, columnspacing=1.2)


def _dot(axes: Axes, eps: Decimal, position: int, marker: str, style: Style, name: str) -> None:
    label = name if position == 0 else None
    axes.plot(float(eps), position, marker, color=style["color"], markersize=8, label=label)


def attack_plot(attack: Attack, zcdp: str) -> Markup:
    """Least false-negative rate of any test at each false-positive rate: by the bounds, and exact."""
    with canvas(5.2, 0.85 + 0.72 * len(attack.findings)) as figure:
        axes = figure.add_subplot()
        for position, entry in enumerate(attack.findings):
            exact, least = entry.miss.miss_rate, entry.miss_zcdp
            axes.plot([float(least), float(exact)], [position] * 2, color=MUTED, linewidth=1.2, zorder=1)
            _dot(axes, least, position, "s", ZCDP, zcdp)
            _dot(axes, entry.miss_cks20, position, "D", CKS20, "tight zCDP (CKS20)")
            _dot(axes, exact, position, "o", EXACT, "exact")
            beside: Style = {"textcoords": "offset points", "va": "center", "xytext": (8, 0), "ha": "left"}
            axes.annotate(percent_down(exact, 1), (float(exact), position), fontweight="bold", **beside)
        labels = [f"{share_text(entry.alpha)} false positives" for entry in attack.findings]
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlim(left=-0.005)
        axes.margins(x=0.2)
        axes.set_xlabel("false-negative rate of the best possible attack (more is better)")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}\u00a0%"))
        plain_axis(axes)
        axes.legend(
            loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3, handletextpad=0.2, columnspacing=1.2
        )
    title = "False-negative rate of the best attack, exact and by the two zCDP bounds"
    return inline_svg(figure, "attack", title)


def levels_plot(levels: Sequence[str], findings: Sequence[DeltaFindings]) -> Markup:
    """Variance reduction of each level alone and of all levels at once, at every delta."""
    with canvas(5.2, 0.9 + (0.19 * len(findings) + 0.16) * (len(levels) + 1)) as figure:
        draw_levels(figure.add_subplot(), levels, findings)
    return inline_svg(figure, "levels", "Possible reduction of noise variance by geographic level")


def draw_levels(axes: Axes, levels: Sequence[str], findings: Sequence[DeltaFindings]) -> None:
    """Grouped horizontal bars, root on top, the joint figure of the worst pair last."""
    names = [*levels, _ALL_LEVELS]
    height = 0.8 / len(findings)
    for series, entry in enumerate(findings):
        by_level = {row.name: row.reduction for row in entry.levels}
        values = [by_level[name] for name in levels] + [entry.pair_range[0].reduction]
        offsets = np.arange(len(names)) + (series - (len(findings) - 1) / 2) * height
        colour = BLUE if len(findings) == 1 else _DELTA_COLOURS[series % len(_DELTA_COLOURS)]
        shares = [float(value) for value in values]
        axes.barh(offsets, shares, height * 0.88, color=colour, label=f"δ = {delta_text(entry.delta)}")
        for offset, share, value in zip(offsets, shares, values, strict=True):
            axes.annotate(
                percent_down(value, 1),
                (share, offset),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
            )
    axes.axhline(len(levels) - 0.5, color=MUTED, linewidth=0.8)
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.margins(x=0.1)
    axes.set_xlabel("noise variance that the same guarantee does not need")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f}\u00a0%"))
    plain_axis(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, handlelength=1, columnspacing=1.2)


def sieve_plot(rows: Sequence[SummaryRow]) -> Markup:
    """Nodes of the trapezoidal rule against those that survive the sieve, one point per pair."""
    nodes = np.array([float(row.nodes) for row in rows])
    survivors = np.array([float(row.survivors) for row in rows])
    with canvas(5.2, 3.4) as figure:
        axes = figure.add_subplot(xscale="log", yscale="log")
        axes.plot(nodes, survivors, "o", color=BLUE, alpha=0.35, markersize=4, markeredgewidth=0)
        axes.set(xlabel="N: nodes of the exact sum", ylabel="nodes that survive the sieve")
        power = FuncFormatter(lambda value, _: ten_to(round(np.log10(value))))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(power)
            axis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    return inline_svg(figure, "sieve", "Lattice nodes and surviving nodes of every pair")


def headline_picture(
    title: str, levels: Sequence[str], findings: Sequence[DeltaFindings], zcdp: str
) -> Figure:
    """The result in one picture: eps at every delta, and the variance reduction at the main one."""
    main = headline(findings)
    with canvas(10, 3.9) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        draw_eps(left, findings, zcdp)
        draw_levels(right, levels, [main])
        right.get_legend().remove()
        left.set_title(
            f"Privacy loss ε, worst of {how_many(len(main.pairs), 'pairs')}", pad=26, fontweight="bold"
        )
        saving = f"Noise variance not needed at δ = {delta_text(main.delta)}"
        right.set_title(saving, pad=26, fontweight="bold")
        figure.suptitle(title, fontsize=12)
    return figure
