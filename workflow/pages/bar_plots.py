"""Plots of single figures: eps under three accountings, variance reductions, lattice nodes and survivors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workflow.numbers import delta_text, percent_down, round_down, round_up, share_text
from workflow.pages.attack import Attack
from workflow.pages.drawing import (
    BLUE,
    MUTED,
    canvas,
    dumbbell,
    grouped_bars,
    inline_svg,
    legend_above,
    list_axis,
    percentages,
    powers_of_ten,
    text_beside,
)
from workflow.pages.findings import DeltaFindings, headline
from workflow.results.tables import SummaryRow
from workflow.words import how_many


def eps_plot(findings: Sequence[DeltaFindings], zcdp: str) -> Markup:
    """The worst pair's eps at every delta: exact, CKS20, and by the conversion of the name `zcdp`."""
    with canvas(5.2, 0.85 + 0.72 * len(findings)) as figure:
        _draw_eps(figure.add_subplot(), findings, zcdp)
    return inline_svg(figure, "eps", "Exact epsilon against the two zCDP bounds, at every delta")


def _draw_eps(axes: Axes, findings: Sequence[DeltaFindings], zcdp: str) -> None:
    for row, entry in enumerate(findings):
        exact, loose = entry.worst.eps, entry.worst.eps_zcdp
        dumbbell(axes, row, exact, entry.worst.eps_cks20, loose, zcdp)
        text_beside(axes, round_up(exact, 2), (float(exact), row), -8, fontweight="bold")
        text_beside(axes, round_down(loose, 2), (float(loose), row), 8)
    axes.margins(x=0.24)
    names = [f"δ = {delta_text(entry.delta)}" for entry in findings]
    list_axis(axes, names, "ε guaranteed by each way of accounting (smaller is better)")
    legend_above(axes, handletextpad=0.2)


def attack_plot(attack: Attack, zcdp: str) -> Markup:
    """Least false-negative rate of any test at each false-positive rate: by the bounds, and exact."""
    with canvas(5.2, 0.85 + 0.72 * len(attack.findings)) as figure:
        axes = figure.add_subplot()
        for row, entry in enumerate(attack.findings):
            exact = entry.miss.miss_rate
            dumbbell(axes, row, exact, entry.miss_cks20, entry.miss_zcdp, zcdp)
            text_beside(axes, percent_down(exact, 1), (float(exact), row), 8, fontweight="bold")
        axes.set_xlim(left=-0.005)
        axes.margins(x=0.2)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
        percentages(axes.xaxis)
        names = [f"{share_text(entry.alpha)} false positives" for entry in attack.findings]
        list_axis(axes, names, "false-negative rate of the best possible attack (more is better)")
        legend_above(axes, handletextpad=0.2)
    title = "False-negative rate of the best attack, exact and by the two zCDP bounds"
    return inline_svg(figure, "attack", title)


def levels_plot(levels: Sequence[str], findings: Sequence[DeltaFindings]) -> Markup:
    """Variance reduction of each level alone and of all levels at once, at every delta."""
    with canvas(5.2, 0.9 + (0.19 * len(findings) + 0.16) * (len(levels) + 1)) as figure:
        axes = figure.add_subplot()
        _draw_levels(axes, levels, findings)
        legend_above(axes, handlelength=1)
    return inline_svg(figure, "levels", "Possible reduction of noise variance by geographic level")


def _draw_levels(axes: Axes, levels: Sequence[str], findings: Sequence[DeltaFindings]) -> None:
    """Bars by level, the root on top; last, all levels at once in the worst pair."""
    shares = []
    for entry in findings:
        by_level = {row.name: row.reduction for row in entry.levels}
        shares.append([by_level[level] for level in levels] + [entry.pair_range[0].reduction])
    series = [
        (f"δ = {delta_text(entry.delta)}", [float(share) for share in values])
        for entry, values in zip(findings, shares, strict=True)
    ]
    groups = [*(level.replace("_", " ") for level in levels), "All levels at once"]
    for bars, values in zip(grouped_bars(axes, groups, series), shares, strict=True):
        axes.bar_label(bars, [percent_down(share, 1) for share in values], padding=3, fontsize=7.5)
    axes.axhline(len(levels) - 0.5, color=MUTED, linewidth=0.8)
    axes.margins(x=0.1)
    percentages(axes.xaxis)
    list_axis(axes, groups, "noise variance that could be removed")


def sieve_plot(rows: Sequence[SummaryRow]) -> Markup:
    """Nodes of the trapezoidal rule against those that survive the sieve, one point per pair."""
    nodes, survivors = np.array([(float(row.nodes), float(row.survivors)) for row in rows]).T
    with canvas(5.2, 3.4) as figure:
        axes = figure.add_subplot(xscale="log", yscale="log")
        axes.plot(nodes, survivors, "o", color=BLUE, alpha=0.35, markersize=4, markeredgewidth=0)
        axes.set(xlabel="N: nodes of the exact sum", ylabel="nodes that survive the sieve")
        powers_of_ten(axes.xaxis, axes.yaxis)
    return inline_svg(figure, "sieve", "Lattice nodes and surviving nodes of every pair")


def headline_picture(
    title: str, levels: Sequence[str], findings: Sequence[DeltaFindings], zcdp: str
) -> Figure:
    """The result in one picture: eps at every delta, and the variance reduction at the main one."""
    main = headline(findings)
    with canvas(10, 3.9) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
        _draw_eps(left, findings, zcdp)
        _draw_levels(right, levels, [main])
        pairs = how_many(len(main.pairs), "pairs")
        left.set_title(f"Privacy loss ε, worst of {pairs}", pad=26, fontweight="bold")
        saving = f"Noise variance that could be removed at δ = {delta_text(main.delta)}"
        right.set_title(saving, pad=26, fontweight="bold")
        figure.suptitle(title, fontsize=12)
    return figure
