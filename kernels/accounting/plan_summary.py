"""The plan of a composition in a few figures, for people and for result files."""

import math
from dataclasses import dataclass
from fractions import Fraction

from kernels.numerics.sieve import Plan
from kernels.numerics.trapezoid import Quadrature

# Measured on one core (benchmarks/): seconds for the fixed work of one composition and for each node and
# factor.
_SECONDS_FIXED = 0.02
_SECONDS_NODE = 1e-6


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """Lattice, nodes and error budget; bounds are absolute errors of one tail probability, rounded up.

    survivors counts nodes of both signs, survivors_half those with 0 < theta <= pi; cost: predicted seconds
    of one batch evaluation on one core; memory: predicted bytes.
    """

    lattice: Fraction
    total_rho: Fraction
    nodes: int
    survivors: int
    survivors_half: int
    truncation_bound: float
    sieve_bound: float
    rounding_bound: float
    total_bound: float
    distinct_rhos: int
    cells: int
    cost: float
    memory: int


def predicted_cost(nodes: float, distinct_rhos: int) -> float:
    """Seconds that a batch evaluation with so many surviving nodes takes on one core."""
    return _SECONDS_FIXED + _SECONDS_NODE * nodes * distinct_rhos


def summarise(plan: Plan, rule: Quadrature) -> PlanSummary:
    """Figures of a plan and its quadrature."""
    half, distinct = plan.nodes.residue.shape[:2]
    both = 2 * half - int((rule.turn[:, 0] == 0.25).sum())  # p = N is its own mirror image
    memory = 8 * half * (plan.nodes.p.shape[1] * (distinct + 1) + distinct + 12) + 2_000_000
    total = math.nextafter(plan.truncation_bound + plan.sieve_bound + rule.rounding_bound, 1.0)
    return PlanSummary(
        plan.spacing,
        plan.total,
        plan.modulus,
        both,
        half,
        plan.truncation_bound,
        plan.sieve_bound,
        rule.rounding_bound,
        total,
        distinct,
        int(plan.factors.count.sum()),
        predicted_cost(half, distinct),
        memory,
    )
