"""Whole surveys: n clients draw symbols from P and report, the server estimates P, many times over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.numerics.arithmetic.jit import kernel
from kernels.uldp.sampling.coder import Coder
from kernels.uldp.sampling.reports import draw, supported
from kernels.uldp.sampling.server import count_report, estimate, new_tally, project
from kernels.uldp.sampling.streams import below, new_stream, uniform

Floats = NDArray[np.float64]


@kernel
def alias_table(distribution: Any) -> Any:
    """(threshold [w], alias [w]) with which one uniform draw of i and of u in [0, 1) gives the symbol i if
    u < threshold[i], else alias[i] (Vose 1991)."""
    w = distribution.size
    threshold = distribution * (w / distribution.sum())
    alias = np.arange(w)
    small, large = np.empty(w, dtype=np.int64), np.empty(w, dtype=np.int64)
    smalls, larges = 0, 0
    for i in range(w):
        if threshold[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls and larges:
        smalls -= 1
        little, big = small[smalls], large[larges - 1]
        alias[little] = big
        threshold[big] -= 1.0 - threshold[little]
        if threshold[big] < 1.0:
            larges -= 1
            small[smalls] = big
            smalls += 1
    for i in range(larges):
        threshold[large[i]] = 1.0
    for i in range(smalls):
        threshold[small[i]] = 1.0
    return threshold, alias


@kernel
def _simulate(
    coder: Any, weights: Any, distribution: Any, v: Any, n: Any, repetitions: Any, seed: Any
) -> Any:
    w = distribution.size
    stream = new_stream(np.uint64(seed))
    threshold, alias = alias_table(distribution)
    order, place = np.arange(v), np.arange(v)
    message, support = np.empty(max(v, 2), dtype=np.int64), np.empty(v, dtype=np.int64)
    found, projected = np.empty(w), np.empty(w)
    errors = np.zeros((repetitions, 2))
    mean, square = np.zeros(w), np.zeros(w)
    tally = new_tally(weights.shape[0], w, v)
    for repetition in range(repetitions):
        tally.reports[:], tally.supports[:], tally.names[:] = 0, 0, 0
        for _ in range(n):
            x = below(stream, w)
            if uniform(stream) >= threshold[x]:
                x = alias[x]
            group, named, length = draw(coder, v, x, stream, order, place, message)
            count_report(tally, v, group, named, support, supported(coder, v, message, length, support))
        estimate(tally, weights, found)
        project(found, projected)
        for x in range(w):
            off = found[x] - distribution[x]
            mean[x] += found[x]
            square[x] += off * off
            errors[repetition, 0] += off * off
            errors[repetition, 1] += (projected[x] - distribution[x]) ** 2
    return errors, mean / repetitions, square / repetitions


class Survey(NamedTuple):
    """What R simulated surveys of n clients gave.

    errors [R]: squared distance of the unbiased estimate to P; projected [R]: of its projection to the
    simplex. mean [w], square [w]: of the unbiased estimate, mean and mean squared deviation from P, by
    symbol.
    """

    errors: Floats
    projected: Floats
    mean: Floats
    square: Floats


def simulate(
    coder: Coder, weights: Floats, distribution: Floats, sensitive: int, n: int, repetitions: int, seed: int
) -> Survey:
    """R = `repetitions` surveys of n clients whose symbols are drawn from `distribution` [w].

    weights: [J, 6]. seed: 0 <= seed < 2^64; the same seed gives the same surveys.
    Raises ValueError unless 0 <= seed < 2^64 and n, repetitions >= 1.
    """
    if not 0 <= seed < 1 << 64 or n < 1 or repetitions < 1:
        raise ValueError("seed must lie between 0 and 2^64 - 1, n and repetitions must be at least 1")
    errors, mean, square = _simulate(
        coder, weights, np.asarray(distribution, dtype=np.float64), sensitive, n, repetitions, np.uint64(seed)
    )
    return Survey(errors[:, 0].copy(), errors[:, 1].copy(), mean, square)
