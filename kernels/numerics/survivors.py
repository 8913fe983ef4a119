"""Weights of the enumerated nodes, and which of them are kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernels.numerics import theta
from kernels.numerics.jit import kernel
from kernels.numerics.lattice import NodeLattice
from kernels.numerics.nodes import Nodes, limb_count, limbs, resolve, to_float

#: A plan also serves compositions with all rhos scaled up, whose phi may be as large as phi ** SOFTEST.
SOFTEST = 0.6
_CHUNK = 1_000_000  # points resolved at once, which bounds the memory


@dataclass(frozen=True, slots=True)
class Factors:
    """Constants of the d distinct rhos: g [d, 3], normaliser [d, 3], log_normaliser [d], count [d], decay of
    one cell [d]."""

    g: np.ndarray
    normaliser: np.ndarray
    log_normaliser: np.ndarray
    count: np.ndarray
    decay: np.ndarray


@dataclass(frozen=True, slots=True)
class Survivors:
    """Kept nodes by falling weight; own_mirror, exponent, log_kernel, log_weight, norm: [k], see sieve.Plan.

    seen: nodes that were enumerated; dropped: weight of those not kept; faint: the same with phi ** SOFTEST
    for phi.
    """

    nodes: Nodes
    own_mirror: np.ndarray
    exponent: np.ndarray
    log_kernel: np.ndarray
    log_weight: np.ndarray
    norm: np.ndarray
    seen: int
    dropped: float
    faint: float


def factors_of(rhos: Sequence[Fraction], counts: Sequence[int]) -> Factors:
    """Theta constants of every distinct rho."""
    parts = [theta.factor(rho) for rho in rhos]
    normaliser = np.array([part.normaliser for part in parts])
    return Factors(
        np.array([part.g for part in parts]),
        normaliser,
        -np.log1p((normaliser[:, 0] - 1.0) + normaliser[:, 1]),
        np.array(counts, dtype=np.float64),
        np.array([part.decay for part in parts]),
    )


@kernel
def _weigh(
    p: np.ndarray,
    residue: np.ndarray,
    g: np.ndarray,
    log_normaliser: np.ndarray,
    count: np.ndarray,
    decay: np.ndarray,
    half: np.ndarray,
    size: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whether p = N, sum count g f^2, ln of the kernel, ln of the weight, and norm of each node, [k] each.

    half: limbs of N; size = 2 N.
    """
    k, d = residue.shape[:2]
    own_mirror = np.empty(k, dtype=np.bool_)
    exponent = np.empty(k)
    log_kernel = np.empty(k)
    log_weight = np.empty(k)
    norm = np.empty(k)
    f = np.empty(d)
    for i in range(k):
        own_mirror[i] = np.all(p[i] == half)
        norm[i] = 0.0
        exponent[i] = 0.0
        for c in range(d):
            f[c] = to_float(residue[i, c]) / size
            norm[i] += count[c] * decay[c] * f[c] * f[c]
            exponent[i] += count[c] * g[c] * f[c] * f[c]
        ratio = to_float(p[i]) / size
        log_kernel[i] = -math.log(0.5 * size * math.sin(math.pi * ratio))
        if own_mirror[i]:
            log_kernel[i] -= math.log(2.0)
        log_weight[i] = log_kernel[i] + theta.log_product(g, log_normaliser, count, f)
    return own_mirror, exponent, log_kernel, log_weight, norm


def survivors(
    lattice: NodeLattice, weights: Sequence[int], factors: Factors, points: np.ndarray, allowed: float
) -> Survivors:
    """Nodes of enumerated points (int32[k, d], see lattice.short_points) that are worth summing.

    The lightest ones are dropped as long as their weight, phi / (N sin(theta / 2)), adds up to no more than
    allowed.
    """
    light = math.log(allowed / (2 * len(points) * lattice.copies + 1))
    half = limbs(lattice.modulus, limb_count(lattice.modulus))
    parts: list[tuple[Nodes, list[np.ndarray]]] = []
    seen, dropped, faint = 0, 0.0, 0.0
    for start in range(0, len(points), _CHUNK):
        nodes = resolve(lattice, weights, points[start : start + _CHUNK])
        columns = _weigh(
            nodes.p,
            nodes.residue,
            factors.g[:, 0],
            factors.log_normaliser,
            factors.count,
            factors.decay,
            half,
            float(2 * lattice.modulus),
        )
        _, _, log_kernel, log_weight, norm = columns
        seen += len(norm)
        heavy = np.flatnonzero(log_weight >= light)
        out = log_weight < light
        dropped += float(np.exp(log_weight[out]).sum())
        faint += float(np.exp(log_kernel[out] - SOFTEST * norm[out]).sum())
        parts.append((nodes.take(heavy), [column[heavy] for column in columns]))
    nodes = Nodes(*(np.concatenate([getattr(part[0], name) for part in parts]) for name in ("p", "residue")))
    own_mirror, exponent, log_kernel, log_weight, norm = (
        np.concatenate([part[1][i] for part in parts]) for i in range(5)
    )
    order = np.argsort(-log_weight, kind="stable")
    weight = np.exp(log_weight[order])
    rest = np.cumsum(weight[::-1])[::-1] + dropped  # weight of each node and all lighter ones
    kept = int(np.count_nonzero(rest > allowed))
    out, order = order[kept:], order[:kept]
    return Survivors(
        nodes.take(order),
        own_mirror[order],
        exponent[order],
        log_kernel[order],
        log_weight[order],
        norm[order],
        seen,
        dropped + float(weight[kept:].sum()),
        faint + float(np.exp(log_kernel[out] - SOFTEST * norm[out]).sum()),
    )
