"""All nodes of the shifted trapezoidal rule of a small composition, for comparison with the sieve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernels.numerics.nodes.plan import Plan, make_plan
from tests.kernels.numerics.exact import integer
from tests.reference.cells import Cells
from tests.reference.census import level_cells

F = Fraction

#: Compositions of which all nodes can be scanned.
SMALL: dict[str, Cells] = {
    "unit cells": {F(1): 2, F(1, 2): 3},
    "odd N": {F(1): 2, F(1, 3): 3},
    "three kinds": {F(1, 3): 2, F(2, 5): 1, F(1, 50): 3},
    "narrow and wide": {F(100): 1, F(1): 1, F(1, 10): 4},
    "only narrow": {F(20): 3, F(5): 2},
    "one cell": {F(1, 7): 1},
    "one narrow cell": {F(100): 1},
    "many equal cells": {F(1, 20): 200},
    "wide": {F(1, 10**6): 2, F(1, 10**4): 2},
    "two lattices": {F(2, 7): 3, F(3, 11): 2},
    "census": level_cells("US") | level_cells("Block"),
}


def plan_of(cells: Cells, thresholds: int = 11) -> Plan:
    """The plan of a composition."""
    return make_plan(list(cells), list(cells.values()), thresholds)


@dataclass(frozen=True)
class Scan:
    """Every node: p; angles f in turns, [k, d]; 1 / (N sin(pi p / 2N)), half of it at p = N; ln phi."""

    p: np.ndarray
    f: np.ndarray
    kernel: np.ndarray
    log_phi: np.ndarray

    def missing(self, kept: set[int]) -> np.ndarray:
        """Which nodes are not among the given p."""
        return np.array([p not in kept for p in self.p.tolist()], dtype=np.bool_)


def log_phi(f: np.ndarray, rhos: list[Fraction], counts: list[int]) -> np.ndarray:
    """ln of the product of phi ** count in double precision by Poisson summation, [k]."""
    total = np.zeros(len(f))
    for c, (rho, count) in enumerate(zip(rhos, counts, strict=True)):
        g = 2.0 * math.pi**2 / float(rho)
        ks = np.arange(0, math.ceil(math.sqrt(60.0 / g)) + 2)
        powers = np.stack([-g * ((f[:, c] - sign * k) ** 2) for k in ks for sign in ({1, -1} if k else {1})])
        at_zero = np.exp(-g * ks**2.0).sum() * 2.0 - 1.0
        total += count * (np.logaddexp.reduce(powers, axis=0) - math.log(at_zero))
    return total


def scan(plan: Plan, cells: Cells) -> Scan:
    """All odd p in 1 .. N, from exact residues."""
    size = 2 * plan.modulus
    p = np.arange(1, plan.modulus + 1, 2, dtype=np.int64)
    f = np.empty((len(p), len(cells)))
    for c, rho in enumerate(cells):
        weight = int(rho / plan.spacing) % size
        assert weight * plan.modulus < 2**62
        residue = p * weight % size
        f[:, c] = np.where(residue > plan.modulus, residue - size, residue) / size
    kernel = 1.0 / (plan.modulus * np.sin(np.pi * p / size))
    kernel[p == plan.modulus] /= 2.0
    return Scan(p, f, kernel, log_phi(f, list(cells), list(cells.values())))


def nodes_of(plan: Plan) -> list[int]:
    """p of the plan's nodes, in its order."""
    return [integer(row) for row in plan.nodes.p]
