"""Curves beside their zCDP bounds, drawn on matplotlib axes."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from exact_census.curves import Curve
from exact_census.questions import curve
from kernels.accounting.bounds import zcdp
from kernels.accounting.composition import Composition
from workflow.pages.drawing import EXACT, ZCDP

_POINTS = 240  # of a bound: smooth at twice the usual size
_LEAST_DELTA = 1e-30  # where the profile's plot ends


def plot_tradeoff(of: Composition | Curve, axes: Axes | None = None, **style: Any) -> Axes:
    """Draw the exact trade-off function above the bound that the Census Bureau's zCDP formula implies.

    of: a composition, or a curve of it. axes: where to draw; a new figure by default. style: goes to
    `Axes.plot` for the exact curve, such as label or color. Both axes end a little beyond the point
    f(alpha) = alpha. Returns the axes. Raises Refused as `curve` does.
    """
    found = of if isinstance(of, Curve) else curve(of)
    axes = _axes(axes)
    limit = min(1.0, ceil(40 * float(np.max(np.minimum(found.alpha, found.beta)))) / 10)
    grid = np.linspace(0.0, limit, _POINTS)
    axes.plot(np.r_[found.alpha, 0.0], np.r_[found.beta, 1.0], **(EXACT | style))
    axes.plot(grid, zcdp.tradeoff(found.composition.zcdp_rho, grid, "census"), **ZCDP)
    axes.set(xlim=(0, limit), ylim=(0, limit), aspect="equal")
    axes.set(xlabel="α: false-positive rate of a test", ylabel="β: least false-negative rate")
    axes.legend()
    return axes


def plot_profile(of: Composition | Curve, axes: Axes | None = None, **style: Any) -> Axes:
    """Draw the exact privacy profile delta(eps) below the Census Bureau's zCDP bound, delta logarithmic.

    Parameters, return value and errors as for plot_tradeoff.
    """
    found = of if isinstance(of, Curve) else curve(of)
    axes = _axes(axes)
    bound = [zcdp.delta(found.composition.zcdp_rho, Fraction(eps)).floats()[2] for eps in found.eps.tolist()]
    axes.semilogy(found.eps, found.delta, **(EXACT | style))
    axes.semilogy(found.eps, bound, **ZCDP)
    shown = found.eps[np.array(bound) >= _LEAST_DELTA]
    axes.set(xlim=(0, shown[-1]), ylim=(_LEAST_DELTA, 2.0), xlabel="ε", ylabel="δ(ε)")
    axes.legend()
    return axes


def _axes(axes: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if axes is None else axes
