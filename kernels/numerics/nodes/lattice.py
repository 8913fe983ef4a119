"""The nodes where a product of theta factors is large, as short vectors of a lattice.

Nodes of the shifted trapezoidal rule are theta_n = pi p / N with p = 2 n + 1 odd. Factor c sees the angle w_c
theta_n, in turns f_c = r_c / (2 N) with r_c = w_c p modulo 2 N, centred. A node up to p = X matters only if
sum_c a_c f_c^2 <= L, so survivors are the points of squared length L + NEAR at most, in the metric NEAR (p /
X)^2 + sum_c a_c f_c^2, in a coset of a lattice: all vectors (p, w_c p + 2 N e_c) with p odd are twice the
points of (1, w)/2 + Lambda, Lambda = {(n, w n + N e)}. The lattice is LLL-reduced (python-flint), then
enumerated (Fincke and Pohst 1985). Work depends on the number of points found, neither on N nor on the
weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat

from kernels.errors import Refused
from kernels.numerics.arithmetic.jit import kernel

_SCALE_BITS = 40
LEAST_METRIC = 4.0
#: What the farthest node spends on its distance alone.
NEAR = 0.5
_MOST_SLACK = 1.1
#: Factors that the lattice has coordinates of: reduction takes minutes from about 1,000 on; these are plenty.
_MOST_CHOSEN = 256


class LatticeError(Refused):
    """The lattice cannot be enumerated safely; the message says why."""


class TooManyPointsError(LatticeError):
    """More points lie within the bound than were allowed."""


@dataclass(frozen=True, slots=True)
class NodeLattice:
    """Coset (1, w)/2 + Lambda in a reduced basis, for the nodes 0 < p <= farthest.

    A point is sum_j (x_j / 2) basis[j] with x_j congruent to parity[j] modulo 2: twice its coordinates are p
    and the residues of the chosen factors. triangle: R of the basis in the metric; surplus: what the metric
    adds to a squared length at most; slack: factor on the bound that covers rounding in the triangle.
    """

    modulus: int
    farthest: int
    chosen: tuple[int, ...]
    basis: list[list[int]]
    parity: np.ndarray
    triangle: np.ndarray
    surplus: float
    slack: float


def choose_factors(decay: Sequence[float], bound: float) -> tuple[int, ...]:
    """Positions of the factors that make the enumeration smallest, _MOST_CHOSEN at most.

    A further coordinate divides the expected count by sqrt(a) and multiplies it by the growth of the ball's
    volume, so it is worth including when a > 2 pi bound / (dimension + 2). It must be above the bound, too:
    below it one turn more of that angle, of squared length a, is within the ball, and points repeat.
    """
    order = sorted(range(len(decay)), key=lambda c: -decay[c])
    chosen: list[int] = []
    for c in order[:_MOST_CHOSEN]:
        if not chosen or decay[c] > bound * max(1.0, 2 * math.pi / (len(chosen) + 2)):
            chosen.append(c)
    return tuple(sorted(chosen))


def _reduced(rows: Sequence[Sequence[int]], metric: Sequence[float]) -> list[list[int]]:
    """LLL-reduced basis of the lattice of independent rows; metric: weights of squared coordinates."""
    least = min(metric)
    scales = [round(math.sqrt(a / least) * 2**_SCALE_BITS) for a in metric]
    scaled = fmpz_mat(
        [[entry * scale for entry, scale in zip(row, scales, strict=True)] for row in rows]
    ).lll()
    return [
        [int(entry) // scale for entry, scale in zip(row, scales, strict=True)] for row in scaled.tolist()
    ]


def node_lattice(
    weights: Sequence[int],
    modulus: int,
    decay: Sequence[float],
    bound: float,
    wider: NodeLattice | None = None,
    farthest: int | None = None,
) -> NodeLattice:
    """Reduced coset of the nodes of modulus N = modulus up to farthest (all if None), for sum_c decay[c]
    f_c^2 <= bound.

    weights: integers w_c; decay: a_c > 0 of each factor; wider: the same lattice for nodes farther away, from
    which the reduction starts. Raises LatticeError when the basis is too ill-conditioned for a safe
    enumeration.
    """
    farthest = modulus if farthest is None else farthest
    chosen = choose_factors(decay, bound) if wider is None else wider.chosen
    part = [weights[c] for c in chosen]
    # |f| <= 1/2 always, so a weak factor may count for more if the bound grows by a quarter of the
    # difference.
    a = [max(decay[c], LEAST_METRIC) for c in chosen]
    surplus = 0.25 * (sum(a) - sum(decay[c] for c in chosen)) + NEAR
    d = len(chosen)
    rows = [[1, *part]] + [[0] + [modulus if i == j else 0 for j in range(d)] for i in range(d)]
    # A point's p is sum x_j basis[j][0], and f the same of the other columns over 2 N.
    step = 2.0 * modulus / farthest
    metric = [NEAR * step * step, *a]
    basis = _reduced(rows if wider is None else wider.basis, metric)
    coordinates = fmpz_mat(basis).transpose().solve(fmpz_mat([[entry] for entry in rows[0]]))
    # Rows of the matrix are basis vectors in the metric; its QR factor R gives |sum x_j row_j|^2 = |R x|^2.
    scaled = np.array(
        [
            [entry / modulus * math.sqrt(size) for entry, size in zip(row, metric, strict=True)]
            for row in basis
        ]
    )
    triangle = np.linalg.qr(scaled.T, mode="r")
    triangle *= np.sign(np.diag(triangle))[:, None]
    condition = float(np.linalg.cond(triangle))
    # The factor of Householder QR is that of a basis changed by 10 m^2 u |basis| at most (Higham 2002,
    # theorem 19.4), so squared lengths change relatively by twice that times the condition number.
    slack = 1.0 + 1e-6 + 40.0 * (d + 1) ** 2.5 * 2.0**-53 * condition
    if not slack < _MOST_SLACK:
        raise LatticeError("the lattice of nodes is too skew for a certified enumeration")
    parity = np.array([int(entry.p) & 1 for entry in coordinates.entries()], dtype=np.int64)
    return NodeLattice(modulus, farthest, chosen, basis, parity, triangle, surplus, slack)


def every_node(modulus: int) -> NodeLattice:
    """The coset without any factor: its points are the odd p themselves."""
    one = np.ones(1, dtype=np.int64)
    return NodeLattice(modulus, modulus, (), [[1]], one, np.full((1, 1), math.sqrt(NEAR)), NEAR, 1.0)


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

    Raises TooManyPointsError when there are more than most points.
    """
    points = _enumerate(lattice.triangle, lattice.parity, (bound + lattice.surplus) * lattice.slack, most)
    if len(points) > most:
        raise TooManyPointsError(f"more than {most} nodes survive the sieve")
    return points
