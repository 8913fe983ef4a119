"""Which nodes n = 1 .. M of the trapezoidal rule can matter: a plain scan, with a proven float64 filter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from .cells import Cells

CHUNK = 1 << 20
SCANNABLE = 3_000_000_000  # products of a node and a weight below this fit in 64 bits
MARGIN = 0.5  # nats; covers every float64 rounding error of the filter many times over


def decay_bound(rho: Fraction, distance: np.ndarray) -> np.ndarray:
    """Lower bound on -ln phi at `distance` turns from the nearest integer (0 .. 1/2), one cell.

    With q = exp(-2 pi^2 / rho), u the distance and Z = 1 + 2q + 2q^4 + ... the normaliser, the Poisson series
    is exp(-2 pi^2 u^2 / rho) [1 + q^(1-2u) + (q^(1+2u) + q^(4-4u) + q^(4+4u) + ...)] / Z. For q <= 0.68 the
    sum in round brackets is at most Z - 1, so phi is at most the first factor times 1 + q^(1-2u). For larger
    q the bound is phi <= 1.
    """
    exponent = 2 * math.pi**2 / float(rho)
    if math.exp(-exponent) > 0.68:
        return np.zeros_like(distance)
    return exponent * distance**2 - np.log1p(np.exp(-exponent * (1 - 2 * distance)))


def surviving_nodes(cells: Cells, step: Fraction, half: int, nats: float) -> np.ndarray:
    """All n in 1 .. half with phi(2 pi n / N) > exp(-nats), N = 2 half + 1, and perhaps more (int64).

    So every dropped node has phi <= exp(-nats). Raises ValueError if 64-bit residues could overflow.
    """
    nodes = 2 * half + 1
    if nodes >= SCANNABLE:
        raise ValueError("too many nodes for a scan with 64-bit residues")
    # The sharpest factor first: it alone leaves short arcs around the multiples of N / w.
    order = sorted(cells.items(), key=lambda item: -item[1] / item[0])
    factors = [(rho, count, int(rho / step) % nodes) for rho, count in order]
    kept = []
    for candidates in _arcs(order[0], int(order[0][0] / step), nodes, half, nats + MARGIN):
        spent = np.zeros(candidates.size)
        for rho, count, weight in factors:
            residue = candidates * weight % nodes
            distance = np.minimum(residue, nodes - residue) / nodes
            spent += count * np.maximum(decay_bound(rho, distance), 0.0)
            alive = spent <= nats + MARGIN
            candidates, spent = candidates[alive], spent[alive]
        kept.append(candidates)
    return np.unique(np.concatenate(kept)) if kept else np.empty(0, dtype=np.int64)


def _arcs(
    factor: tuple[Fraction, int], weight: int, nodes: int, half: int, nats: float
) -> Iterator[np.ndarray]:
    """Nodes 1 .. half where the given factor alone stays within `nats`, in chunks; arcs may overlap."""
    rho, count = factor
    grid = np.linspace(0.0, 0.5, 4097)
    # phi falls from 0 to 1/2, so from the first grid point after the last that passes on, it is small.
    passing = np.nonzero(count * decay_bound(rho, grid) <= nats)[0]
    reach = grid[min(passing[-1] + 1, grid.size - 1)]
    if reach >= 0.49:
        for start in range(1, half + 1, CHUNK):
            yield np.arange(start, min(start + CHUNK, half + 1), dtype=np.int64)
        return
    arc = math.ceil(reach * nodes / weight) + 1
    batch: list[np.ndarray] = []
    size = 0
    for turn in range(weight // 2 + 2):
        centre = turn * nodes // weight
        low, high = max(1, centre - arc), min(half, centre + arc)
        for start in range(low, high + 1, CHUNK):
            batch.append(np.arange(start, min(start + CHUNK, high + 1), dtype=np.int64))
            size += batch[-1].size
            if size >= CHUNK:
                yield np.concatenate(batch)
                batch, size = [], 0
    if batch:
        yield np.concatenate(batch)
