"""Which nodes of a plan the relative tier needs."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.residues import to_float, turns
from kernels.numerics.nodes.shells import Weight
from kernels.numerics.nodes.theta import decay_of, tilt_loss

#: Weight that the nodes left out of the relative tier may have together.
_LEFT_OUT = 1e-16
_ROUGH_NODES = 200


@kernel
def _angles(residue: np.ndarray, size: float) -> np.ndarray:
    """Angles f in turns as doubles, [k, d]."""
    k, d = residue.shape[:2]
    f = np.empty((k, d))
    for i in range(k):
        for c in range(d):
            f[i, c] = to_float(residue[i, c]) / size
    return f


@kernel
def _unwrapped(turn: np.ndarray, f: np.ndarray, count: np.ndarray, width: float) -> np.ndarray:
    """Whether no angle of a node was reduced: sum count f = W p / (2 N)."""
    k, d = f.shape
    result = np.empty(k, dtype=np.bool_)
    for i in range(k):
        total = 0.0
        for c in range(d):
            total += count[c] * f[i, c]
        result[i] = abs(2.0 * turn[i, 0] * width - total) < 0.5 and width * turn[i, 0] < 2.0**50
    return result


@dataclass(frozen=True, slots=True)
class Selection:
    """The nodes that the relative tier needs as long as phi is at most exp(-soft norm).

    turn: p / (4 N), [k, 3]; f: angles in turns, [k, d]; f_sum, f_size: sums of count f and of count |f|, [k];
    unwrapped: no angle was reduced, [k]; weight: 2/N, or 1/N at p = N, [k]; left_out: bound on the weight of
    all other nodes with phi for every soft it may have.
    """

    soft: float
    turn: np.ndarray
    f: np.ndarray
    f_sum: np.ndarray
    f_size: np.ndarray
    unwrapped: np.ndarray
    weight: np.ndarray
    left_out: Weight

    def first(self, count: int, left_out: Weight) -> "Selection":
        """So many nodes alone; left_out: weight of all others."""
        arrays = ("turn", "f", "f_sum", "f_size", "unwrapped", "weight")
        return replace(self, left_out=left_out, **{name: getattr(self, name)[:count] for name in arrays})


def select(plan: Plan, soft: float) -> Selection:
    """Nodes for SOFTEST <= soft <= 1."""
    beyond = plan.left_out if soft == 1.0 else plan.faint.at(soft)
    loss = math.exp(-min(tilt_loss(plan.factors.g[:, 0], plan.factors.count), 50.0))
    plain = np.exp(plan.nodes.log_kernel - soft * plan.nodes.norm)
    span = float(plan.modulus * plan.spacing)
    smooth = plain * np.exp(plan.nodes.log_smooth(span) - plan.nodes.log_kernel)
    share = np.maximum(plain / max(_LEFT_OUT * loss, 0.1 * beyond.plain), smooth / (_LEFT_OUT * loss))
    order = np.argsort(-share, kind="stable")
    kept = int(np.count_nonzero(np.cumsum(share[order][::-1])[::-1] > 1.0))
    out = order[kept:]
    left_out = beyond + Weight(float(plain[out].sum()), float(smooth[out].sum()))
    which = order[:kept]
    modulus = float(2 * plan.modulus)
    turn = turns(plan.nodes.p[which], plan.modulus)
    f = _angles(plan.nodes.residue[which], modulus)
    count = plan.factors.count
    unwrapped = _unwrapped(turn, f, count, float(plan.width))
    weight = np.where(plan.nodes.own_mirror[which], 2.0, 4.0) / modulus
    return Selection(
        soft, turn, f, f @ count, np.abs(f) @ count, unwrapped, weight, left_out.scaled(1.0 + 1e-9)
    )


def heaviest(nodes: Selection) -> Selection:
    """The heaviest nodes alone: enough for a search, not for an answer; all of them if few."""
    if len(nodes.f) <= _ROUGH_NODES:
        return nodes
    return nodes.first(_ROUGH_NODES, Weight(math.inf, math.inf))


@kernel
def _least_decay(g: np.ndarray, decay: np.ndarray) -> float:
    least = np.inf
    for c in range(g.shape[0]):
        least = min(least, decay_of(g[c]) / decay[c])
    return least


def softness(plan: Plan, scale: Fraction) -> float:
    """Least x such that phi with all rhos scaled is at most exp(-x norm) for the norm of the unscaled
    composition."""
    if scale == 1:
        return 1.0
    return _least_decay(plan.factors.g[:, 0] / float(scale), plan.factors.decay)
