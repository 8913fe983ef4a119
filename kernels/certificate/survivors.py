"""Which nodes of the trapezoidal rule can matter, by exact residues: scan each member, join the two.

phi(n) = product over cells of phi_rho(rho n / period) for frequencies n / period. For a member with lattice
step h_i it depends on n modulo N_i = period / h_i only, so

1. the residues modulo N_i with -ln phi_i <= nats are listed by a scan: of the arcs around the multiples of
   period / rho of the sharpest rho, outside of which that rho alone exceeds nats;
2. a node n of the pair is a pair of residues that agree modulo gcd(N_1, N_2) (Chinese remainders); those
   whose -ln phi add up to at most nats are the survivors.

So every node left out has phi <= exp(-nats). Residues are exact integers; the bound on -ln phi is evaluated
in double precision, relatively good to far better than MARGIN / nats. It falls when all rhos grow, so a scan
for rhos times `scale` also serves every smaller scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .allocation_text import Cells, rational_gcd

MARGIN = 1e-6  # nats
MOST_NODES = 3_000_000_000  # of a member; residues times weights then fit in 64 bits
MOST_CANDIDATES = 150_000_000
MOST_KEPT = 1_000_000  # of a member or a pair
_CHUNK = 1 << 21
_CLOSE = 0.01  # more than the rounding of a place on the line of classes, which is below 1e13

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class OutOfReach(ValueError):
    """Too many nodes to be scanned; one line."""


def decay_bound(rho: float, turns: Floats) -> Floats:
    """Lower bound on -ln phi of one cell at a distance of 0 .. 1/2 turns from the nearest integer.

    With q = exp(-2 pi^2 / rho) and u the distance, the Poisson series is exp(-2 pi^2 u^2 / rho) [1 + q^(1-2u)
    + (q^(1+2u) + q^(4-4u) + ...)] / (1 + 2q + 2q^4 + ...). For q <= 0.68 the sum in round brackets is at most
    2q + 2q^4 + ..., so phi is at most the first factor times 1 + q^(1-2u). For larger q the bound is 1.
    """
    exponent = 2.0 * math.pi**2 / rho
    if math.exp(-exponent) > 0.68:
        return np.zeros_like(turns)
    bound = exponent * turns * turns - np.log1p(np.exp(-exponent * (1.0 - 2.0 * turns)))
    return np.maximum(bound, 0.0)


@dataclass(frozen=True)
class Member:
    """Residues r in 0 .. modulus - 1 of one member with -ln phi(r) <= nats, ascending, and that bound."""

    cells: tuple[tuple[Fraction, int], ...]
    modulus: int
    residue: Integers
    spent: Floats


def scan(cells: Cells, period: Fraction, nats: float, scale: Fraction = Fraction(1)) -> Member:
    """The residues of one member, for rhos times at most `scale` at the same angles.

    Raises OutOfReach when there are too many to go through.
    """
    modulus = period / rational_gcd(list(cells))
    if modulus.denominator != 1:
        raise ValueError("the period is not a multiple of the lattice step")
    nodes = modulus.numerator
    if nodes >= MOST_NODES:
        raise OutOfReach(f"{nodes} residues are too many to scan")
    step = period / nodes
    # The sharpest factor first.
    order = sorted(cells.items(), key=lambda item: -item[1] / item[0])
    kept, spent = [], []
    sharpest, sharpest_count = order[0]
    factor = float(sharpest * scale), sharpest_count
    for candidates in _arcs(factor, int(sharpest / step), nodes, nats):
        total = np.zeros(candidates.size)
        for rho, count in order:
            residue = candidates * (int(rho / step) % nodes) % nodes
            turns = np.minimum(residue, nodes - residue) / nodes
            total += count * decay_bound(float(rho * scale), turns)
            alive = total <= nats + MARGIN
            candidates, total = candidates[alive], total[alive]
        kept.append(candidates)
        spent.append(total)
        if sum(chunk.size for chunk in kept) > MOST_KEPT:
            raise OutOfReach(f"more than {MOST_KEPT} of {nodes} residues survive")
    half, first = np.unique(np.concatenate(kept), return_index=True)
    total = np.concatenate(spent)[first]
    mirrored = (half > 0) & (2 * half != nodes)
    residue = np.concatenate([half, nodes - half[mirrored]])
    order_of = np.argsort(residue)
    both = np.concatenate([total, total[mirrored]])
    return Member(tuple(sorted(cells.items())), nodes, residue[order_of], both[order_of])


def _arcs(factor: tuple[float, int], weight: int, nodes: int, nats: float) -> Iterator[Integers]:
    """Residues 0 .. nodes / 2 within reach of the given factor, in chunks; arcs may overlap."""
    rho, count = factor
    grid = np.linspace(0.0, 0.5, 8193)
    # phi falls from 0 to 1/2, so beyond the first grid point after the last that passes it is too small.
    passing = np.nonzero(count * decay_bound(rho, grid) <= nats + 2 * MARGIN)[0]
    reach = grid[min(int(passing[-1]) + 1, grid.size - 1)]
    half = nodes // 2
    arc = math.ceil(reach * nodes / weight) + 1
    if (2 * arc + 1) * weight >= nodes:
        if half > MOST_CANDIDATES:
            raise OutOfReach(f"{half} residues are too many to scan")
        for start in range(0, half + 1, _CHUNK):
            yield np.arange(start, min(start + _CHUNK, half + 1), dtype=np.int64)
        return
    if (2 * arc + 1) * (weight // 2 + 2) > MOST_CANDIDATES:
        raise OutOfReach(f"{nodes} residues are too many to scan")
    offsets = np.arange(-arc, arc + 1, dtype=np.int64)
    turns = max(1, _CHUNK // offsets.size)
    for start in range(0, weight // 2 + 2, turns):
        centres = np.arange(start, min(start + turns, weight // 2 + 2), dtype=np.int64) * nodes // weight
        candidates = (centres[:, None] + offsets).ravel()
        yield candidates[(candidates >= 0) & (candidates <= half)]


def join(one: Member, other: Member, nats: float) -> list[int]:
    """All n <= modulus / 2 of the pair with the two bounds adding up to at most nats."""
    shared = math.gcd(one.modulus, other.modulus)
    modulus = one.modulus // shared * other.modulus
    budget = nats + MARGIN
    # Sorted by class and, within it, by the bound; a class is a stretch of the line longer than any bound.
    stretch = 2.0 * budget
    place = (other.residue % shared) * stretch + other.spent
    order = np.argsort(place)
    place = place[order]
    start = (one.residue % shared) * stretch
    left = np.searchsorted(place, start - _CLOSE)
    right = np.searchsorted(place, start + (budget - one.spent) + _CLOSE)
    many = np.maximum(right - left, 0)
    if many.sum() > MOST_CANDIDATES:
        raise OutOfReach(f"{many.sum()} nodes are too many")
    first = np.repeat(np.arange(one.residue.size), many)
    within = np.arange(first.size) - np.repeat(np.cumsum(many) - many, many)
    second = order[np.repeat(left, many) + within]
    near = one.spent[first] + other.spent[second] <= budget
    near &= (one.residue[first] - other.residue[second]) % shared == 0
    first, second = first[near], second[near]
    if first.size > MOST_KEPT:
        raise OutOfReach(f"more than {MOST_KEPT} of {modulus} nodes survive")
    # n = r_1 + N_1 t with t = ((r_2 - r_1) / g) (N_1 / g)^-1 modulo N_2 / g.
    cycle = other.modulus // shared
    inverse = pow(one.modulus // shared, -1, cycle) if cycle > 1 else 0
    turns = (other.residue[second] - one.residue[first]) // shared % cycle * inverse % cycle
    n = one.residue[first] + one.modulus * turns
    return n[n <= modulus // 2].tolist()
