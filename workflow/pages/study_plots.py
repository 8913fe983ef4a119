"""Plots of the study: errors against eps and v, the optimal mixture, the regime map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from kernels.uldp.closed_forms import randomised_response_from, single_size_until
from kernels.uldp.domain import Domain
from kernels.uldp.saddle import REGIMES
from workflow.pages.drawing import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    SKY,
    VERMILLION,
    Style,
    canvas,
    inline_svg,
    legend_above,
)
from workflow.pages.study_findings import Estimate, MapRow, Point

#: Colour, marker and dashes of each mechanism.
STYLES: dict[str, Style] = {
    "uBD": {"color": BLUE, "marker": "o", "linestyle": "-", "linewidth": 2.2, "zorder": 4},
    "uSS": {"color": SKY, "marker": "s", "linestyle": (0, (6, 2))},
    "uRR": {"color": ORANGE, "marker": "^", "linestyle": (0, (6, 1.5, 1.5, 1.5))},
    "uHR": {"color": GREEN, "marker": "D", "linestyle": (0, (3, 1.5))},
    "uOUE": {"color": VERMILLION, "marker": "v", "linestyle": (0, (1, 1))},
    "uOLH": {"color": MUTED, "marker": "P", "linestyle": (0, (4, 1.5, 1, 1.5, 1, 1.5))},
}
REGIME_FILLS = dict(zip(REGIMES, ("#f9d0b5", "#cfe3f0", "#4a98c9"), strict=True))
_SIZE_COLOURS = (ORANGE, BLUE, SKY, GREEN, VERMILLION)


def ratio_plot(points: Sequence[Point], along: str, name: str) -> Markup:
    """Simulated error in units of M* against eps or the number of sensitive symbols, with 95 % intervals."""
    with canvas(5.2, 3.9) as figure:
        axes = figure.add_subplot(yscale="log")
        places = [float(getattr(point.at, along)) for point in points]
        axes.axhline(1.0, color=INK, linewidth=1.2)
        axes.annotate("M*", (places[-1], 1.0), xytext=(4, -9), textcoords="offset points", fontsize=9)
        for mechanism in points[0].surveys:
            _error_bars(axes, places, [point.ratio(mechanism) for point in points], mechanism)
        axes.set(xlabel=_axis_name(along), ylabel="n · MSE, in units of M*")
        axes.xaxis.set_major_locator(MaxNLocator(integer=along == "sensitive"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 10 else ""))
        axes.tick_params(axis="y", which="minor", labelsize=7.5)
        legend_above(axes, handlelength=3.4)
    return inline_svg(figure, name, f"Error of every mechanism in units of the limit against {along}")


def _error_bars(
    axes: Axes, places: Sequence[float], estimates: Sequence[Estimate], mechanism: str, **style: Any
) -> None:
    means, widths = zip(*((estimate.value, estimate.half_width) for estimate in estimates), strict=True)
    look = STYLES[mechanism] | style
    axes.errorbar(places, means, widths, label=mechanism, markersize=4.5, capsize=2, **look)


def error_plot(points: Sequence[Point], name: str) -> Markup:
    """Simulated error and M* themselves against eps, both axes logarithmic."""
    with canvas(5.2, 3.9) as figure:
        axes = figure.add_subplot(xscale="log", yscale="log")
        places = [float(point.at.eps) for point in points]
        for mechanism in points[0].surveys:
            style = {"linestyle": "none"} if mechanism == "uBD" else {}  # M* is drawn there
            _error_bars(axes, places, [point.simulated(mechanism) for point in points], mechanism, **style)
        axes.plot(
            places, [point.at.m_star for point in points], color=INK, linewidth=1.2, label="M*", zorder=3
        )
        axes.set(xlabel=_axis_name("eps"), ylabel="n · MSE")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.legend(loc="upper right", ncols=2, handlelength=3)
    return inline_svg(figure, name, "Error of every mechanism and the limit against eps")


def mixture_plot(row: MapRow) -> Markup:
    """t* against eps, stacked, and alpha*, for one number of sensitive symbols."""
    eps, shares = row.arrays["eps"], row.arrays["shares"]
    shown = min(shares.shape[1], len(_SIZE_COLOURS) - 1)
    layers = [shares[:, k] for k in range(shown)] + [shares[:, shown:].sum(axis=1)]
    labels = [f"k = {k + 1}" for k in range(shown)] + [f"k > {shown}"]
    used = [i for i, layer in enumerate(layers) if layer.any()]
    with canvas(5.2, 3.9) as figure:
        axes = figure.add_subplot()
        axes.stackplot(
            eps,
            [layers[i] for i in used],
            labels=[labels[i] for i in used],
            colors=[_SIZE_COLOURS[i] for i in used],
            alpha=0.75,
            linewidth=0,
        )
        axes.plot(eps, row.arrays["alpha_star"], color=INK, linewidth=1.8, linestyle=(0, (5, 2)), label="α*")
        axes.set(xlim=(eps[0], eps[-1]), ylim=(0, 1), xlabel=_axis_name("eps"), ylabel="t*ₖ, and α*")
        legend_above(axes, ncols=len(used) + 1, handlelength=1.8)
    return inline_svg(figure, "mixture", "Optimal mixture of block sizes against eps")


def regime_plot(rows: Sequence[MapRow]) -> Markup:
    """Which mechanism is optimal, by number of sensitive symbols and eps, with the proven borders."""
    eps = rows[0].arrays["eps"]
    regimes = np.stack([row.arrays["regime"] for row in rows])
    sensitive = np.array([row.sensitive for row in rows])
    with canvas(5.2, 4.4) as figure:
        axes = figure.add_subplot()
        axes.pcolormesh(
            eps,
            sensitive,
            regimes,
            cmap=ListedColormap([REGIME_FILLS[name] for name in REGIMES]),
            vmin=-0.5,
            vmax=len(REGIMES) - 0.5,
            shading="nearest",
            rasterized=True,
        )
        _borders(axes, rows)
        axes.set(
            xlim=(eps[0], eps[-1]),
            ylim=(sensitive[0] - 0.5, sensitive[-1] + 0.5),
            xlabel=_axis_name("eps"),
            ylabel=f"sensitive symbols v, of w = {rows[0].symbols}",
        )
        axes.grid(visible=False)
    return inline_svg(figure, "regimes", "Map of the optimal mechanism over eps and sensitive symbols")


def _borders(axes: Axes, rows: Sequence[MapRow]) -> None:
    domains = [Domain(row.symbols, row.sensitive) for row in rows if row.sensitive < row.symbols]
    for border, style in ((single_size_until, (0, (5, 2))), (randomised_response_from, "-")):
        places = [(np.log(border(domain)), domain.sensitive) for domain in domains if border(domain) > 1]
        axes.plot(*zip(*places, strict=True), color=INK, linewidth=1.1, linestyle=style)


def _axis_name(along: str) -> str:
    return "ε" if along == "eps" else "number of sensitive symbols v"
