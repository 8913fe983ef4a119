"""The plan of a composition in a few figures: as it was made, or as foreseen where it is out of reach."""

import math
from dataclasses import dataclass, fields
from functools import lru_cache

from kernels.accounting.composition import Composition
from kernels.accounting.result import PlanFigures
from kernels.numerics.absolute.trapezoid import Quadrature
from kernels.numerics.nodes.layout import TOLERANCE, TRUNCATION
from kernels.numerics.nodes.plan import DROPPED, PRUNED, Plan, foreseen
from kernels.numerics.nodes.residues import limb_count

# Measured on one core: seconds for the fixed work of one composition, for the angle of a node and a factor,
# and more for those that need triple-double arithmetic.
_SECONDS_FIXED = 0.02
_SECONDS_ANGLE = 1.5e-6
_SECONDS_PRECISE = 3e-6


@dataclass(frozen=True, slots=True)
class PlanSummary(PlanFigures):
    """Those figures and what the plan takes.

    cost: predicted seconds of one batch evaluation on one core; memory: predicted bytes. Where within_reach
    is false, survivors, cost and memory are predictions and the bounds are the shares that would be kept to.
    """

    cost: float
    memory: int
    within_reach: bool = True

    @property
    def figures(self) -> PlanFigures:
        """The figures alone, as they are stored."""
        return PlanFigures(**{field.name: getattr(self, field.name) for field in fields(PlanFigures)})

    @property
    def reaches_tolerance(self) -> bool:
        """Whether every tail probability is right to 1e-35; if not, the lattice is so fine that more nodes
        matter than are summed."""
        return self.total_bound <= TOLERANCE


@lru_cache(maxsize=256)  # asked for with every question about the same cells
def foreseen_nodes(composition: Composition) -> float:
    """Nodes that the plan will keep, roughly."""
    return foreseen(*zip(*composition.cells, strict=True)).nodes


def cost(composition: Composition) -> float:
    """Predicted seconds on one core, cheaply, for sharding and for taking heavy compositions first."""
    nodes = foreseen_nodes(composition)
    return predicted_cost(nodes, nodes, len(composition.cells))


def predicted_cost(nodes: float, precise: float, distinct_rhos: int) -> float:
    """Seconds that a batch evaluation takes on one core with so many nodes, some of them in triple-double
    arithmetic."""
    return _SECONDS_FIXED + (_SECONDS_ANGLE * nodes + _SECONDS_PRECISE * precise) * distinct_rhos


def _memory(nodes: float, distinct_rhos: int, modulus: int) -> int:
    """Bytes of the arrays of a plan and its sums, and twice that to make them, as measured."""
    arrays = 8 * nodes * (limb_count(modulus) * (distinct_rhos + 1) + distinct_rhos + 12)
    return int(3 * arrays) + 2_000_000


def foresee(composition: Composition) -> PlanSummary:
    """Figures of a composition whose plan is out of reach."""
    spacing, total, modulus, nodes = foreseen(*zip(*composition.cells, strict=True))
    half, distinct = int(nodes), len(composition.cells)
    bounds = (TRUNCATION, PRUNED + DROPPED, TOLERANCE - TRUNCATION - PRUNED - DROPPED, TOLERANCE)
    size, taken = composition.size, (cost(composition), _memory(nodes, distinct, modulus))
    return PlanSummary(spacing, total, modulus, 2 * half, half, *bounds, distinct, size, *taken, False)


def summarise(plan: Plan, rule: Quadrature) -> PlanSummary:
    """Figures of a plan and its quadrature."""
    half, distinct = plan.nodes.residue.shape[:2]
    both = 2 * half - int(plan.nodes.own_mirror.sum())  # p = N is its own mirror image
    shares = (plan.truncation_bound, plan.sieve_bound, rule.rounding_bound)
    bounds = (*shares, math.nextafter(sum(shares), 1.0))
    size = int(plan.factors.count.sum())
    taken = (predicted_cost(half, rule.precise, distinct), _memory(half, distinct, plan.modulus))
    return PlanSummary(plan.spacing, plan.total, plan.modulus, both, half, *bounds, distinct, size, *taken)
