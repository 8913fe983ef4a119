"""The nodes where a product of theta factors is large, as short vectors of a lattice.

Nodes of the shifted trapezoidal rule are theta_n = pi p / N with p = 2 n + 1 odd. Factor c sees the angle w_c
theta_n, in turns f_c = r_c / (2 N) with r_c = w_c p modulo 2 N, centred. A node matters only if sum_c a_c
f_c^2 <= L, so survivors are the points of length sqrt(L) at most in a coset of a lattice: all vectors (w_c p
+ 2 N e_c) with p odd are twice the points of w/2 + Lambda, Lambda = {w n + N e}. The lattice is LLL-reduced
(python-flint), then enumerated (Fincke and Pohst 1985). Work depends on the number of points found, neither
on N nor on the weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat

from kernels.numerics.jit import kernel

_SCALE_BITS = 40
_SLACK = 1.0 + 1e-6  # covers rounding in the Gram-Schmidt coefficients; see _MAX_CONDITION
LEAST_METRIC = 4.0
_MAX_CONDITION = 1e7  # rounding then stays below 1e-8 relatively


class LatticeError(ValueError):
    """The lattice cannot be enumerated safely; the message says why."""


@dataclass(frozen=True, slots=True)
class NodeLattice:
    """Coset w/2 + Lambda in a reduced basis.

    A point is sum_j (x_j / 2) basis[j] with x_j congruent to parity[j] modulo 2; its node is
    p = offset + sum_j x_j index[j] modulo 2 N. copies nodes, N / copies apart, share each point (1 unless the
    chosen weights and N have a common divisor). triangle: R of the basis in the metric; surplus: what the
    metric adds to a squared length at most.
    """

    modulus: int
    chosen: tuple[int, ...]
    basis: list[list[int]]
    index: list[int]
    parity: np.ndarray
    offset: int
    copies: int
    triangle: np.ndarray
    surplus: float


def choose_factors(decay: Sequence[float], bound: float) -> tuple[int, ...]:
    """Positions of the factors that make the enumeration smallest.

    A further coordinate divides the expected count by sqrt(a) and multiplies it by the growth of the ball's
    volume, so it is worth including when a > 2 pi bound / (dimension + 2).
    """
    order = sorted(range(len(decay)), key=lambda c: -decay[c])
    chosen: list[int] = []
    for c in order:
        if not chosen or decay[c] > 2 * math.pi * bound / (len(chosen) + 2):
            chosen.append(c)
    return tuple(sorted(chosen))


def _bezout(weights: Sequence[int], modulus: int) -> tuple[int, list[int]]:
    """g = gcd(weights, modulus) and u with sum u_c w_c congruent to g modulo the modulus."""
    divisor, multipliers = modulus, [0] * len(weights)
    for c, weight in enumerate(weights):
        a, b, u, v = divisor, weight, (1, 0), (0, 1)
        while b:
            q = a // b
            a, b, u, v = b, a - q * b, v, (u[0] - q * v[0], u[1] - q * v[1])
        multipliers = [value * u[0] % modulus for value in multipliers]
        multipliers[c] = u[1] % modulus
        divisor = a
    return divisor, multipliers


def _reduced_basis(weights: Sequence[int], modulus: int, decay: Sequence[float]) -> list[list[int]]:
    d = len(weights)
    rows = [list(weights)] + [[modulus if i == j else 0 for j in range(d)] for i in range(d)]
    hermite = fmpz_mat(rows).hnf()
    largest = max(decay)
    scales = [max(1, round(math.sqrt(a / largest) * 2**_SCALE_BITS)) for a in decay]
    scaled = fmpz_mat([[int(hermite[i, j]) * scales[j] for j in range(d)] for i in range(d)])
    reduced = scaled.lll()
    return [[int(reduced[i, j]) // scales[j] for j in range(d)] for i in range(d)]


def node_lattice(weights: Sequence[int], modulus: int, decay: Sequence[float], bound: float) -> NodeLattice:
    """Reduced coset of the nodes of modulus N = modulus, for sum_c decay[c] f_c^2 <= bound.

    weights: integers w_c; decay: a_c > 0 of each factor. Raises LatticeError when the basis is too
    ill-conditioned for a safe enumeration.
    """
    chosen = choose_factors(decay, bound)
    part = [weights[c] for c in chosen]
    # |f| <= 1/2 always, so a weak factor may count for more if the bound grows by a quarter of the
    # difference.
    a = [max(decay[c], LEAST_METRIC) for c in chosen]
    surplus = 0.25 * (sum(a) - sum(decay[c] for c in chosen))
    basis = _reduced_basis(part, modulus, a)
    divisor, multipliers = _bezout(part, modulus)
    reduced_modulus = modulus // divisor
    index = [
        (sum(u * b for u, b in zip(multipliers, row, strict=True)) % modulus) // divisor % reduced_modulus
        for row in basis
    ]
    coordinates = fmpz_mat(basis).transpose().solve(fmpz_mat([[weight] for weight in part]))
    z = [
        int(coordinates[j, 0].p) if hasattr(coordinates[j, 0], "p") else int(coordinates[j, 0])
        for j in range(len(part))
    ]
    offset = (1 - sum(n * value for n, value in zip(index, z, strict=True))) % (2 * modulus)
    # Rows of the matrix are basis vectors in the metric sqrt(a) f; its QR factor R gives |sum x_j row_j|^2 =
    # |R x|^2.
    scaled = np.array(
        [[float(b) / modulus * math.sqrt(weight) for b, weight in zip(row, a, strict=True)] for row in basis]
    )
    triangle = np.linalg.qr(scaled.T, mode="r")
    triangle *= np.sign(np.diag(triangle))[:, None]
    if not np.linalg.cond(triangle) < _MAX_CONDITION:
        raise LatticeError("the lattice of nodes is too skew for a certified enumeration")
    parity = np.array([value & 1 for value in z], dtype=np.int64)
    return NodeLattice(modulus, chosen, basis, index, parity, offset, divisor, triangle, surplus)


@kernel
def _enumerate(triangle: np.ndarray, parity: np.ndarray, bound: float, most: int) -> np.ndarray:
    """All x with x_j = parity_j modulo 2 and |triangle x / 2|^2 <= bound, as int32[k, d]; k = most + 1 means
    more than most."""
    d = triangle.shape[0]
    room = 256
    found = np.empty((room, d), dtype=np.int32)
    count = 0
    x = np.zeros(d, dtype=np.int64)
    last = np.zeros(d, dtype=np.int64)
    centre = np.zeros(d)
    used = np.zeros(d + 1)
    level = d - 1
    entering = True
    while level < d:
        if entering:
            shift = 0.0
            for j in range(level + 1, d):
                shift += triangle[level, j] * x[j]
            centre[level] = -shift / triangle[level, level]
            radius = 2.0 * math.sqrt(max(bound - used[level + 1], 0.0)) / triangle[level, level]
            first = math.ceil(centre[level] - radius - 1e-9)
            if (first - parity[level]) % 2 != 0:
                first += 1
            x[level] = first
            last[level] = math.floor(centre[level] + radius + 1e-9)
        else:
            x[level] += 2
        if x[level] > last[level]:
            level += 1
            entering = False
            continue
        gap = 0.5 * (x[level] - centre[level]) * triangle[level, level]
        used[level] = used[level + 1] + gap * gap
        if level > 0:
            level -= 1
            entering = True
            continue
        if count == room:
            room *= 2
            larger = np.empty((room, d), dtype=np.int32)
            larger[:count] = found
            found = larger
        found[count] = x
        count += 1
        if count > most:
            break
        entering = False
    return found[:count]


def short_points(lattice: NodeLattice, bound: float, most: int) -> np.ndarray:
    """Coefficients x, int32[k, d], of every point of the coset with squared length <= bound (and a few
    slightly beyond).

    Raises LatticeError when there are more than most points.
    """
    points = _enumerate(lattice.triangle, lattice.parity, (bound + lattice.surplus) * _SLACK, most)
    if len(points) > most:
        raise LatticeError(f"more than {most} nodes survive the sieve")
    return points
