"""How far the nodes at each distance are enumerated, and a bound on the weight of all others.

Where the lattice is so fine that too many nodes are heavier than exp(-L), whatever their distance, nodes 0 <
p <= N are split into shells nearest < p <= farthest. A node counts for phi / p at most, so a far shell needs
a smaller L. The weight of what is left out of a shell follows from its theta series (Rankin's trick): with
|v|^2 the metric of lattice.py, phi <= exp(surplus - |v|^2), and for 0 < s <= soft

    sum of phi^soft over |v|^2 > L + surplus  <=  exp(s surplus - (soft - s) L) sum exp(-s |v|^2) / 2,

the last sum over all points of the coset, which is at most prod_i sum_k exp(-s R_ii^2 k^2), R_ii the
diagonal of the reduced basis' triangle. Derivation: docs/method.md.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernels.numerics.nodes.lattice import LatticeError, NodeLattice, node_lattice

#: Nodes are chosen for the privacy profile with phi ** SOFT for phi, as all rhos may be scaled up.
SOFT = 0.7
_RATIO = 4  # of a shell's ends
_FAR = 5.0  # norm that the far shells, where most nodes are, will reach: it tells which factors matter
_INNERMOST = 64  # farthest p of the innermost shell, at most
_POWERS = np.arange(0.02, 1.0001, 0.02)
_STEPS = 40


@dataclass(frozen=True, slots=True)
class Weight:
    """Of some nodes together: plain, sum of phi / (N sin(theta / 2)); smooth, sum of phi h / (N sin(theta /
    2)^2)."""

    plain: float
    smooth: float

    def __add__(self, other: "Weight") -> "Weight":
        return Weight(self.plain + other.plain, self.smooth + other.smooth)

    def scaled(self, factor: float) -> "Weight":
        """Both times a factor."""
        return Weight(self.plain * factor, self.smooth * factor)


NOTHING = Weight(0.0, 0.0)


@dataclass(frozen=True)
class Shell:
    """Nodes nearest < p <= lattice.farthest."""

    nearest: int
    lattice: NodeLattice

    @cached_property
    def _log_series(self) -> np.ndarray:
        """ln of the bound on the theta series for every power, [powers]."""
        size = np.diag(self.lattice.triangle) ** 2 / self.lattice.slack
        return np.array([sum(_log_theta(float(s * one)) for one in size) for s in _POWERS])

    def log_mass(self, bound: float, soft: float) -> float:
        """ln of a bound on the sum of phi^soft over the nodes with norm beyond the bound; of 0, over all."""
        count = int(np.count_nonzero(_POWERS - soft < 1e-9))
        usable = slice(0 if bound > 0.0 else count - 1, count)
        s = _POWERS[usable]
        exponent = self._log_series[usable] + s * self.lattice.surplus - (soft - s) * bound
        return float(exponent.min()) - math.log(2.0) + 1e-9

    def left_out(self, bound: float, soft: float, span: float) -> Weight:
        """Weight of the nodes beyond the bound with phi^soft for phi; span: N h."""
        # N sin(theta / 2) >= p, and each of these nodes has phi <= exp(-bound).
        nearest = float(max(self.nearest, 1))
        harmonic = 0.5 * math.log(float(self.lattice.farthest) / nearest) + 1.0 / nearest  # of 1 / p, p odd
        plain = harmonic * math.exp(-soft * bound)
        if self.nearest > 0:
            plain = min(plain, math.exp(min(self.log_mass(bound, soft) - math.log(nearest), 700.0)))
        return Weight(plain, plain * span / nearest)

    def predicted(self, bound: float) -> float:
        """Roughly the number of nodes within the bound: the greatest volume of a ball over the determinant
        among the sublattices of the reduced basis."""
        return predicted_points(self.lattice, bound) / 2.0


def predicted_points(lattice: NodeLattice, bound: float) -> float:
    """Roughly the number of points, of either sign, that an enumeration finds."""
    radius = math.log(math.pi * (bound + lattice.surplus))
    most, spent = 0.0, 0.0
    for j, diagonal in enumerate(np.diag(lattice.triangle).tolist(), start=1):
        spent += math.log(diagonal)
        most = max(most, 0.5 * j * radius - math.lgamma(0.5 * j + 1.0) - spent)
    return math.exp(min(most, 700.0))


def _log_theta(a: float) -> float:
    """ln of sum over integers of exp(-a k^2), rounded up."""
    if a < 1.0:
        return 0.5 * math.log(math.pi / a) + math.log1p(2.1 * math.exp(-(math.pi**2) / a))
    return math.log1p(2.0 * math.exp(-a) + 2.0 * math.exp(-4.0 * a) + 2.1 * math.exp(-9.0 * a))


def make_shells(weights: Sequence[int], modulus: int, decay: Sequence[float]) -> list[Shell]:
    """Shells from the outermost inward, each reduced from the one outside it."""
    lattice = node_lattice(weights, modulus, decay, _FAR)
    shells = []
    while lattice.farthest > _INNERMOST:
        nearest = lattice.farthest // _RATIO
        try:
            nearer = node_lattice(weights, modulus, decay, _FAR, lattice, nearest)
        except LatticeError:  # too skew: this one holds the nodes near 0 as well
            break
        shells.append(Shell(nearest, lattice))
        lattice = nearer
    return [*shells, Shell(0, lattice)]


def choose_bounds(shells: Sequence[Shell], span: float, allowed: Weight, most: float) -> list[float]:
    """Norms up to which every shell is to be enumerated; 0: not at all.

    What is left out weighs no more than allowed (smooth: with phi ** SOFT for phi), unless about `most` nodes
    do not suffice for that.
    """
    plain = _least_bounds(
        shells, 1, 1.0, lambda bounds: left_out(shells, bounds, 1.0, span).plain <= allowed.plain, most
    )
    smooth = _least_bounds(
        shells, 2, SOFT, lambda bounds: left_out(shells, bounds, SOFT, span).smooth <= allowed.smooth, most
    )
    return [max(pair) for pair in zip(plain, smooth, strict=True)]


def left_out(shells: Sequence[Shell], bounds: Sequence[float], soft: float, span: float) -> Weight:
    """Weight of all nodes beyond the bounds of their shells, with phi^soft for phi."""
    parts = [shell.left_out(bound, soft, span) for shell, bound in zip(shells, bounds, strict=True)]
    return Weight(sum(part.plain for part in parts), sum(part.smooth for part in parts))


def _least_bounds(
    shells: Sequence[Shell], power: int, soft: float, suffice: Callable[[list[float]], bool], most: float
) -> list[float]:
    """Bounds that keep the nodes with phi^soft / p^power above a level: the highest level that suffices, or
    that about `most` nodes allow."""
    low, high = 0.0, 1000.0
    for _ in range(_STEPS):
        level = 0.5 * (low + high)
        bounds = [max((level - power * math.log(s.lattice.farthest)) / soft, 0.0) for s in shells]
        count = sum(s.predicted(bound) for s, bound in zip(shells, bounds, strict=True) if bound > 0.0)
        if count >= most or suffice(bounds):
            high = level
        else:
            low = level
    return bounds
