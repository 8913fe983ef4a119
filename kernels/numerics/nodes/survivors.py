"""Weights of the enumerated nodes, and which of them are kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.nodes import theta
from kernels.numerics.nodes.residues import Nodes, limb_count, limbs, resolve, to_float
from kernels.numerics.nodes.shells import NOTHING, SOFT, Shell, Weight

#: A plan also serves compositions with all rhos scaled up, whose phi may be as large as phi ** SOFTEST.
SOFTEST = 0.6
_CHUNK, _CHUNK_LIMBS = 1_000_000, 30_000_000  # points, and limbs of all, at once: they bound the memory


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
class Faint:
    """Weight of the nodes left out with exp(-soft norm) for phi, at soft = SOFTEST and 1."""

    at_softest: Weight
    at_one: Weight

    def at(self, soft: float) -> Weight:
        """The same for SOFTEST <= soft <= 1, from the two: its logarithm is convex in soft. Unknown below."""
        share = (1.0 - soft) / (1.0 - SOFTEST)

        def between(first: float, last: float) -> float:
            if first == 0.0:
                return 0.0
            return first**share * last ** (1.0 - share) if share <= 1.0 else math.inf

        return Weight(
            between(self.at_softest.plain, self.at_one.plain),
            between(self.at_softest.smooth, self.at_one.smooth),
        )


@dataclass(frozen=True, slots=True)
class WeighedNodes(Nodes):
    """Nodes with what each weighs, [k].

    own_mirror: p = N; exponent: sum count g f^2; log_kernel: -ln(N sin(pi p / 2N)), less ln 2 at p = N;
    log_weight: the same plus ln phi; norm: sum count decay f^2, a lower bound of -ln phi.
    """

    own_mirror: np.ndarray
    exponent: np.ndarray
    log_kernel: np.ndarray
    log_weight: np.ndarray
    norm: np.ndarray

    def log_smooth(self, span: float) -> np.ndarray:
        """ln of h / (N sin(theta / 2)^2), half of it at p = N; span: N h, [k]."""
        return 2.0 * self.log_kernel + math.log(span) + np.where(self.own_mirror, math.log(2.0), 0.0)

    def share(self, span: float, allowed: Weight) -> np.ndarray:
        """The greater of each node's shares in what may be dropped, [k]."""
        smooth = self.log_smooth(span) - SOFT * self.norm
        return np.maximum(np.exp(self.log_weight) / allowed.plain, np.exp(smooth) / allowed.smooth)

    @classmethod
    def joined(cls, parts: Sequence["WeighedNodes"]) -> "WeighedNodes":
        """The nodes of all parts, in order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True, slots=True)
class Survivors:
    """Kept nodes by falling weight, the number of nodes enumerated, and the weight of those not kept."""

    nodes: WeighedNodes
    seen: int
    dropped: Weight
    faint: Faint


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
    enumerated: Sequence[tuple[Shell, np.ndarray]],
    weights: Sequence[int],
    factors: Factors,
    span: float,
    allowed: Weight,
) -> Survivors:
    """Nodes of enumerated points (shell, int32[k, d], see lattice.short_points) that are worth summing.

    The lightest ones are dropped as long as they weigh no more than allowed together: plain as they are,
    smooth with phi ** SOFT for phi. span: N h.
    """
    modulus = enumerated[0][0].lattice.modulus
    length = limb_count(modulus)
    constants = (factors.g[:, 0], factors.log_normaliser, factors.count, factors.decay)
    chunk = min(_CHUNK, _CHUNK_LIMBS // ((len(weights) + 1) * length) + 1)
    light = 1.0 / (2 * sum(len(points) for _, points in enumerated) + 1)
    kept: list[WeighedNodes] = []
    seen = 0
    lost = _Lost()
    for shell, points in enumerated:
        for start in range(0, len(points), chunk):
            exact = resolve(shell.lattice, weights, points[start : start + chunk], shell.nearest)
            sizes = _weigh(exact.p, exact.residue, *constants, limbs(modulus, length), float(2 * modulus))
            nodes = WeighedNodes(exact.p, exact.residue, *sizes)
            seen += len(nodes.p)
            heavy = nodes.share(span, allowed) >= light
            lost.add(nodes, ~heavy, span)
            kept.append(nodes.take(heavy))
    nodes = WeighedNodes.joined(kept)
    share = nodes.share(span, allowed)
    order = np.argsort(share, kind="stable")
    out = np.zeros(len(share), dtype=np.bool_)
    out[order[: np.count_nonzero(np.cumsum(share[order]) <= 0.5)]] = True
    lost.add(nodes, out, span)
    order = np.argsort(-nodes.log_weight, kind="stable")
    return Survivors(nodes.take(order[~out[order]]), seen, lost.dropped, lost.faint)


class _Lost:
    """Weight of the nodes dropped so far."""

    def __init__(self) -> None:
        self.dropped = NOTHING
        self.faint = Faint(NOTHING, NOTHING)

    def add(self, nodes: WeighedNodes, out: np.ndarray, span: float) -> None:
        """Count the nodes of a mask."""
        plain, smooth, norm = nodes.log_kernel[out], nodes.log_smooth(span)[out], nodes.norm[out]

        def weight(log_phi: np.ndarray) -> Weight:
            return Weight(float(np.exp(plain + log_phi).sum()), float(np.exp(smooth + log_phi).sum()))

        self.dropped += weight(nodes.log_weight[out] - plain)
        self.faint = Faint(self.faint.at_softest + weight(-SOFTEST * norm), self.faint.at_one + weight(-norm))
