"""Surviving nodes when there are too many to scan: short vectors of an LLL-reduced lattice, by recursion.

A node survives when sum over factors of a u^2 is small, u the distance of w n / N to the nearest integer m
and a = 2 pi^2 count / rho. So (n, m_1, ..., m_d) gives a short vector of the lattice whose basis is built
below; one more coordinate only keeps |n| near N / 2. Everything is integer up to the triangular factor, which
is float64 on a reduced basis, with half a unit of slack.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import fmpz_mat

from .cells import Cells
from .nodes import MARGIN, decay_bound

LARGEST = 1_000_000


def surviving_nodes_by_short_vectors(cells: Cells, step: Fraction, half: int, nats: float) -> list[int]:
    """All n in 1 .. half with phi(2 pi n / N) > exp(-nats), N = 2 half + 1, and perhaps more."""
    nodes = 2 * half + 1
    used, slack = _sharp_factors(cells, nats)
    if not used:
        raise ValueError("no factor is sharp enough to enumerate by")
    radius = nats + slack + MARGIN
    kappa = 2 * math.sqrt(nats / (len(used) + 1))
    radius += kappa**2 / 4
    vectors = _short_vectors(_reduced(used, step, nodes, kappa), radius)
    found = {abs(n) for n in vectors} - {0}
    return sorted(n for n in found if n <= half and _spent(cells, step, nodes, n) <= nats + MARGIN)


def _sharp_factors(cells: Cells, nats: float) -> tuple[list[tuple[Fraction, float]], float]:
    """Pairs (rho, a) of the factors to enumerate by, and what -ln phi can fall short of a u^2, all together.

    -ln phi >= a u^2 - count ln(1 + q^(1 - 2u)), and a survivor has u <= reach in each factor.
    """
    grid = np.linspace(0.0, 0.5, 4097)
    used, slack = [], 0.0
    for rho, count in cells.items():
        passing = np.nonzero(count * decay_bound(rho, grid) <= nats + MARGIN)[0]
        reach = grid[min(passing[-1] + 1, grid.size - 1)]
        shortfall = count * math.log1p(math.exp(-2 * math.pi**2 / float(rho) * (1 - 2 * reach)))
        if shortfall < 1 and reach < 0.5:
            used.append((rho, 2 * math.pi**2 * count / float(rho)))
            slack += shortfall
    return used, slack


def _reduced(
    used: list[tuple[Fraction, float]], step: Fraction, nodes: int, kappa: float
) -> tuple[fmpz_mat, int, int]:
    """LLL-reduced basis in units of 2^-bits, the units of n = 1 in its first column, and bits."""
    bits = nodes.bit_length() + 64
    scale = 1 << bits
    unit = int(Fraction(kappa) * scale / nodes)
    size = len(used) + 1
    rows = [[0] * size for _ in range(size)]
    rows[0][0] = unit
    for column, (rho, a) in enumerate(used, start=1):
        length = int(Fraction(math.sqrt(a)) * scale)
        rows[0][column] = length * int(rho / step) // nodes
        rows[column][column] = length
    return fmpz_mat(rows).lll(), unit, bits


def _short_vectors(reduced: tuple[fmpz_mat, int, int], radius: float) -> list[int]:
    """The n of every lattice vector of squared length <= radius (Fincke and Pohst), one of each pair +-n."""
    basis, unit, bits = reduced
    size = basis.nrows()
    entries = [[int(basis[i, j]) for j in range(size)] for i in range(size)]
    first = [row[0] // unit for row in entries]
    matrix = np.array(
        [[math.ldexp(entry >> max(0, bits - 200), -min(bits, 200)) for entry in row] for row in entries]
    )
    triangle = np.linalg.qr(matrix.T, mode="r")
    square = np.diag(triangle) ** 2
    ratio = triangle / np.diag(triangle)[:, None]
    found: list[int] = []
    coefficients = np.zeros(size)

    def descend(level: int, left: float, n: int, leading: bool) -> None:
        centre = -float(ratio[level, level + 1 :] @ coefficients[level + 1 :])
        reach = math.sqrt(max(left, 0.0) / square[level])
        low = 0 if leading else math.ceil(centre - reach)
        for value in range(low, math.floor(centre + reach) + 1):
            coefficients[level] = value
            rest = left - square[level] * (value - centre) ** 2
            total = n + value * first[level]
            if level:
                descend(level - 1, rest, total, leading and value == 0)
            else:
                found.append(total)
                if len(found) > LARGEST:
                    raise ValueError("too many short vectors to enumerate")
        coefficients[level] = 0

    descend(size - 1, radius + MARGIN, 0, True)
    return found


def _spent(cells: Cells, step: Fraction, nodes: int, n: int) -> float:
    """Lower bound on -ln phi at node n."""
    spent = 0.0
    for rho, count in cells.items():
        residue = n * int(rho / step) % nodes
        distance = np.array([min(residue, nodes - residue) / nodes])
        spent += count * max(float(decay_bound(rho, distance)[0]), 0.0)
    return spent
