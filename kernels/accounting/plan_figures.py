"""What is told of a plan: its lattice, its nodes and its error budget, as result files keep it."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class PlanFigures:
    """Bounds are absolute errors of one tail probability, rounded up. survivors counts nodes of both signs,
    survivors_half those with 0 < theta <= pi."""

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
