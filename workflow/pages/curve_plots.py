"""Plots of one pair's curves against the bounds: trade-off function, power, privacy profile."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log10
from typing import Literal

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from kernels.accounting.bounds import gaussian, zcdp
from workflow.numbers import delta_text, round_down, round_up, ten_to
from workflow.pages.drawing import (
    CKS20,
    EXACT,
    GAUSSIAN,
    INK,
    ZCDP,
    Style,
    canvas,
    inline_svg,
    powers_of_ten,
    zcdp_line,
)
from workflow.pages.findings import DeltaFindings
from workflow.results.curves import StoredResult

Corner = Literal["upper right", "lower right", "lower left"]

_ALPHA = "α: false-positive rate of an attacker's test"
_POINTS = 240  # per bound and figure: smooth at twice the printed size
_SMALLEST_POWER = 1e-6  # where the plot for small alpha ends
_SMALLEST_ALPHA = 1e-33  # known to within 1e-35, so to 1 % there


def tradeoff_plot(curve: StoredResult, label: str, name: str) -> Markup:
    """f on equal axes, from the origin to a few times its fixed point f(a) = a.

    `name` is that of the looser zCDP conversion, here and below.
    """
    rho, loose = curve.total_rho / 2, zcdp_line(name)
    alpha, beta = curve.alpha.sum(axis=1), curve.beta.sum(axis=1)
    fixed_point = float(np.max(np.minimum(alpha, beta)))
    limit = min(1.0, ceil(40 * fixed_point) / 10)
    grid = np.linspace(0.0, limit, _POINTS)
    with canvas(5.2, 4.1) as figure:
        axes = figure.add_subplot(aspect="equal")
        axes.plot(grid, zcdp.tradeoff(rho, grid, "census"), **loose)
        axes.plot(grid, zcdp.tradeoff(rho, grid, "cks20"), **CKS20)
        axes.plot(np.r_[alpha, 0.0], np.r_[beta, 1.0], **EXACT)
        axes.plot(grid, gaussian.tradeoff(rho, grid), **GAUSSIAN)
        axes.set(xlim=(0, limit), ylim=(0, limit))
        axes.set(xlabel=_ALPHA, ylabel="smallest possible false-negative rate β")
        _legend(axes, loose, loc="upper right")
    return inline_svg(figure, "tradeoff", f"Trade-off function of {label} above the two zCDP bounds")


def small_alpha_plot(curve: StoredResult, label: str, name: str) -> Markup:
    """Power 1 - f(alpha) at small alpha, both axes logarithmic."""
    rho, loose = curve.total_rho / 2, zcdp_line(name)
    alpha = curve.alpha.sum(axis=1)
    power = (1.0 - curve.beta[:, 0]) - curve.beta[:, 1] - curve.beta[:, 2]
    shown = (power >= _SMALLEST_POWER) & (alpha >= _SMALLEST_ALPHA)
    left = floor(np.log10(alpha[shown].min()))
    grid = np.logspace(left, 0, _POINTS)
    with canvas(5.2, 4.1) as figure:
        axes = figure.add_subplot(xscale="log", yscale="log")
        axes.plot(grid, 1.0 - zcdp.tradeoff(rho, grid, "census"), **loose)
        axes.plot(grid, 1.0 - zcdp.tradeoff(rho, grid, "cks20"), **CKS20)
        axes.plot(alpha[shown], power[shown], **EXACT)
        axes.plot(grid, 1.0 - gaussian.tradeoff(rho, grid), **GAUSSIAN)
        axes.set(xlim=(10.0**left, 1.0), ylim=(_SMALLEST_POWER, 1.5))
        axes.set(xlabel=_ALPHA, ylabel="largest possible power 1 − f(α)")
        powers_of_ten(axes.xaxis, axes.yaxis)
        axes.minorticks_off()
        _legend(axes, loose, loc="lower right")
    return inline_svg(figure, "power", f"Power of the best test of {label} at small false-positive rates")


def profile_plot(curve: StoredResult, findings: list[DeltaFindings], label: str, name: str) -> Markup:
    """log10 delta(eps) with the configured deltas marked on the exact curve and on the loosest bound."""
    rho, loose = curve.total_rho / 2, zcdp_line(name)
    bottom = floor(min(_log10(entry.delta) for entry in findings)) - 4
    right = _end_of_bound(rho, bottom)
    grid = [Fraction(right) * i / _POINTS for i in range(_POINTS + 1)]
    places = [float(eps) for eps in grid]
    with canvas(6.2, 4.2) as figure:
        axes = figure.add_subplot()
        for bound, style in ((zcdp.delta, loose), (zcdp.delta_cks20, CKS20)):
            axes.plot(places, [_log10_of(bound(rho, e).upper) for e in grid], **style)
        axes.plot(curve.eps, curve.log10_delta, **EXACT)
        axes.plot(places, [_log10_of(gaussian.delta(rho, e).value) for e in grid], **GAUSSIAN)
        for entry in findings:
            _mark(axes, entry)
        axes.set(xlim=(0, right), ylim=(bottom, 0.4), xlabel="ε", ylabel="δ(ε)")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: ten_to(round(value))))
        _legend(axes, loose, loc="lower left")
    return inline_svg(figure, "profile", f"Privacy profile of {label} below the two zCDP bounds")


def _mark(axes: Axes, entry: DeltaFindings) -> None:
    level = _log10(entry.delta)
    exact, loose = float(entry.worst.eps), float(entry.worst.eps_zcdp)
    axes.plot([exact, loose], [level, level], color=INK, linewidth=0.9)
    axes.plot(exact, level, "o", color=EXACT["color"], markersize=5.5)
    axes.plot(loose, level, "s", color=ZCDP["color"], markersize=5)
    eps = f"{round_up(entry.worst.eps, 2)}, not {round_down(entry.worst.eps_zcdp, 2)}"
    text = f"δ = {delta_text(entry.delta)}: {eps}"
    axes.annotate(text, (loose, level), xytext=(6, 3), textcoords="offset points", fontsize=8, va="bottom")


def _legend(axes: Axes, loose: Style, loc: Corner) -> None:
    """The exact curve first, the loosest bound last."""
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    order = [str(style["label"]) for style in (EXACT, GAUSSIAN, CKS20, loose)]
    axes.legend([lines[name] for name in order], order, loc=loc, handlelength=3.2)


def _end_of_bound(rho: Fraction, log10_delta: float) -> float:
    """Somewhat beyond the eps at which the loosest bound falls to 10^log10_delta: room for the labels."""
    depth = -log10_delta * np.log(10)
    return float(1.3 * (float(rho) + 2 * np.sqrt(float(rho) * depth)))


def _log10(delta: Fraction) -> float:
    return log10(delta.numerator) - log10(delta.denominator)


def _log10_of(delta: Decimal) -> float:
    return float(delta.log10()) if delta > 0 else -np.inf
