"""What the server does with reports: counting them, and estimating P from the counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.numerics.arithmetic.jit import kernel


class Tally(NamedTuple):
    """What the server counts of the reports of J classes: reports [J], supports [J, v], names [J, w - v]."""

    reports: NDArray[np.int64]
    supports: NDArray[np.int64]
    names: NDArray[np.int64]


@kernel
def new_tally(classes: Any, w: Any, v: Any) -> Any:
    """A tally of no reports."""
    return Tally(
        np.zeros(classes, dtype=np.int64),
        np.zeros((classes, v), dtype=np.int64),
        np.zeros((classes, w - v), dtype=np.int64),
    )


@kernel
def count_report(tally: Any, v: Any, group: Any, named: Any, support: Any, length: Any) -> None:
    """Add one report to a tally."""
    tally.reports[group] += 1
    for i in range(length):
        tally.supports[group, support[i]] += 1
    if named >= 0:
        tally.names[group, named - v] += 1


@kernel
def estimate(tally: Any, weights: Any, result: Any) -> None:
    """The estimate of P, into result [w], from a tally and weights [J, 6] (A, B, C, D, E, F of each
    class)."""
    classes, v = tally.supports.shape
    n = tally.reports.sum()
    result[:] = 0.0
    for j in range(classes):
        a, b, c, d, e, f = weights[j]
        named = tally.names[j].sum()
        base = (b * named + c * tally.reports[j]) / n
        for s in range(v):
            result[s] += a * tally.supports[j, s] / n + base
        base = (e * named + f * tally.reports[j]) / n
        for x in range(v, result.size):
            result[x] += d * tally.names[j, x - v] / n + base


@kernel
def project(point: Any, result: Any) -> None:
    """The nearest distribution to a point of R^w, into result [w]. An unbiased estimate becomes biased by
    it."""
    falling = np.sort(point)[::-1]
    total, shift = 0.0, 0.0
    for i in range(falling.size):
        total += falling[i]
        candidate = (total - 1.0) / (i + 1)
        if falling[i] > candidate:
            shift = candidate
    for i in range(point.size):
        result[i] = max(point[i] - shift, 0.0)
