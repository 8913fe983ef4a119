"""Plan of one composition: layout, surviving nodes and the error budget.

A node with phi <= exp(-L) may be pruned: all pruned nodes together weigh at most exp(-L) (1 + ln(N)/2). Where
that leaves too many nodes, they are weighed by their distance too (shells.py). Derivations: docs/method.md.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from kernels.numerics.arithmetic.triple import self_test
from kernels.numerics.nodes import theta
from kernels.numerics.nodes.lattice import (
    LEAST_METRIC,
    LatticeError,
    TooManyPointsError,
    choose_factors,
    every_node,
    node_lattice,
    short_points,
)
from kernels.numerics.nodes.layout import TRUNCATION, Layout, make_layout
from kernels.numerics.nodes.shells import (
    NOTHING,
    Shell,
    Weight,
    choose_bounds,
    left_out,
    make_shells,
    predicted_points,
)
from kernels.numerics.nodes.survivors import SOFTEST, Factors, Faint, WeighedNodes, factors_of, survivors

#: Absolute error of every tail probability allowed to the nodes not enumerated, and to those dropped.
PRUNED = 1e-36
DROPPED = 1e-36
SMOOTH = 1e-17  # allowed to the nodes left out of a privacy profile
_MOST_TILT_LOSS = 100.0
#: Beyond this rho, scaled up a little, exp(-rho / 8) is not a normal double; sums over tilted cells vanish.
_MOST_RHO = 4000
_MOST_BITS = 150  # so that N and its multiples are exact as three doubles
#: The most angles (nodes times distinct rhos) that are computed; beyond it a larger error is accepted.
MOST_ANGLES = 10_000_000
_FEWER = (1, 4, 16, 64, 256)  # divide the nodes asked for until the enumeration keeps its limit
_USELESS = 0.1  # above this weight left out a privacy profile is useless and is not computed
_FINE = 10**9  # an N from which that is likely
_TYPICAL = 0.1  # share of the most angles that a plan keeps where it must choose, within a factor of 8


@dataclass(frozen=True, slots=True)
class Plan(Layout):
    """Everything exact about one composition.

    nodes: survivors by falling weight; truncation_bound: absolute error of one tail probability; left_out:
    bound on the weight of all other nodes; faint: the same with exp(-soft norm) for phi.
    """

    factors: Factors
    nodes: WeighedNodes
    truncation_bound: float
    left_out: Weight
    faint: Faint

    @property
    def sieve_bound(self) -> float:
        """Absolute error of one tail probability."""
        return self.left_out.plain


class Foreseen(NamedTuple):
    """What is known of a plan before it is made: h, R, N and roughly the number of nodes kept."""

    spacing: Fraction
    total: Fraction
    modulus: int
    nodes: float


def foreseen(rhos: Sequence[Fraction], counts: Sequence[int]) -> Foreseen:
    """The plan's lattice and, roughly, the number of nodes 0 < p <= N that it keeps.

    The estimate is the volume of a ball over the determinant of the lattice, and the nodes around 0, for fine
    lattices that of the reduced basis; where that is more than a plan that must choose keeps, or the lattice
    too fine for it, what such plans keep.
    """
    layout = make_layout(rhos, counts, 2)
    lattice = layout.spacing, layout.total, layout.modulus
    return Foreseen(*lattice, _foreseen_nodes(layout, rhos, counts))


def _foreseen_nodes(layout: Layout, rhos: Sequence[Fraction], counts: Sequence[int]) -> float:
    modulus = layout.modulus
    chosen_from = _TYPICAL * _most_kept(len(rhos))
    if modulus.bit_length() > _MOST_BITS:
        return chosen_from
    bound = math.log((1.0 + 0.5 * math.log(modulus)) / PRUNED)
    decay = [
        count * theta.decay_of(2.0 * math.pi**2 / float(rho)) for rho, count in zip(rhos, counts, strict=True)
    ]
    if modulus > _FINE:
        points = math.inf
        with suppress(LatticeError):
            lattice = node_lattice(layout.weights, modulus, decay, bound)
            points = 0.5 * predicted_points(lattice, bound)
        return min(points, chosen_from)
    chosen = [decay[c] for c in choose_factors(decay, bound)]
    d = len(chosen)
    volume = 0.5 * d * math.log(math.pi * bound) - math.lgamma(0.5 * d + 1.0)
    share = min(volume - 0.5 * sum(math.log(max(a, LEAST_METRIC)) for a in chosen), 0.0)
    around_zero = bound * 2.0 / math.pi
    nodes = around_zero + 0.5 * math.exp(min(math.log(modulus) + share, 700.0))
    return min(nodes, 0.5 * modulus, chosen_from)


@cache
def _check_compiler() -> None:
    self_test()


def _most_kept(factors: int) -> float:
    """The most nodes that are computed, whatever error bound they reach."""
    return MOST_ANGLES / factors


def make_plan(rhos: Sequence[Fraction], counts: Sequence[int], thresholds: int = 1001) -> Plan:
    """The plan of a composition of count_c cells with parameter rho_c (distinct, positive).

    Where the nodes that matter at 1e-35 are too many, the heaviest are taken and the bound on the others is
    part of the plan. Raises lattice.LatticeError when nothing can be certified.
    """
    _check_compiler()
    if max(rhos) > _MOST_RHO:
        raise LatticeError(f"out of reach: a cell's rho is above {_MOST_RHO}, so it has hardly any noise")
    layout = make_layout(rhos, counts, thresholds)
    modulus = layout.modulus
    if modulus.bit_length() > _MOST_BITS:
        raise LatticeError(f"out of reach: the lattice is so fine that N has {modulus.bit_length()} bits")
    factors = factors_of(rhos, counts)
    loss = min(theta.tilt_loss(factors.g[:, 0], factors.count), _MOST_TILT_LOSS)
    span = float(modulus * layout.spacing)
    enumerated, beyond = _enumerated(layout.weights, modulus, factors, loss, span)
    allowed = Weight(max(DROPPED, 0.1 * beyond(1.0).plain), SMOOTH * math.exp(-loss))
    kept = survivors(enumerated, layout.weights, factors, span, allowed)
    if kept.seen == (modulus + 1) // 2:  # every node was enumerated
        beyond = _nothing
    return Plan(
        *(layout.spacing, layout.total, layout.weights, layout.width, modulus, layout.reach, layout.grid),
        factors,
        kept.nodes,
        TRUNCATION,
        (beyond(1.0) + kept.dropped).scaled(1.0 + 1e-9),
        Faint(
            (beyond(SOFTEST) + kept.faint.at_softest).scaled(1.0 + 1e-9),
            (beyond(1.0) + kept.faint.at_one).scaled(1.0 + 1e-9),
        ),
    )


def _nothing(soft: float) -> Weight:
    return NOTHING


def _enumerated(
    weights: Sequence[int], modulus: int, factors: Factors, loss: float, span: float
) -> tuple[list[tuple[Shell, np.ndarray]], Callable[[float], Weight]]:
    """Shells with their enumerated points, and the weight of all nodes beyond with phi^soft for phi."""
    decay = list(factors.count * factors.decay)
    # All nodes with phi <= exp(-bound) together weigh no more than the sum of 1 / p, p odd, times that.
    bound = math.log((1.0 + 0.5 * math.log(modulus)) / PRUNED) + loss
    whole = Shell(0, node_lattice(weights, modulus, decay, bound))
    most = _most_kept(len(weights))
    limit = 8 * int(most) + 1000
    if predicted_points(whole.lattice, bound) <= 4.0 * most:  # half are mirrors, and few are heavy enough
        with suppress(TooManyPointsError):
            return _points([whole], [bound], span, limit)
    if modulus <= 2.0 * most:  # so few nodes in all that none need be left out
        every = np.arange(1, modulus + 1, 2, dtype=np.int32)[:, None]
        return [(Shell(0, every_node(modulus)), every)], _nothing
    shells = make_shells(weights, modulus, decay)
    allowed = Weight(PRUNED, SMOOTH).scaled(math.exp(-loss))
    for fewer in _FEWER:
        bounds = choose_bounds(shells, span, allowed, most / fewer)
        if left_out(shells, bounds, 1.0, span).smooth > _USELESS:  # then few are as good, and much quicker
            bounds = choose_bounds(shells, span, allowed, most / _FEWER[-1])
        with suppress(TooManyPointsError):
            return _points(shells, bounds, span, limit)
    raise LatticeError(f"out of reach: more than {limit} nodes matter, however they are weighed")


def _points(
    shells: Sequence[Shell], bounds: Sequence[float], span: float, limit: int
) -> tuple[list[tuple[Shell, np.ndarray]], Callable[[float], Weight]]:
    """Every shell's points up to its bound, and the weight beyond. Raises TooManyPointsError for more than
    limit points in one shell."""
    found = [
        (shell, short_points(shell.lattice, bound, limit))
        for shell, bound in zip(shells, bounds, strict=True)
        if bound > 0.0 or shell is shells[-1]
    ]
    return found, lambda soft: left_out(shells, bounds, soft, span)
