"""What a batch evaluation gives for one composition, as result files keep it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlanFigures:
    """A plan's lattice, its nodes and its error budget.

    Bounds are absolute errors of one tail probability, rounded up. survivors counts nodes of both signs,
    survivors_half those with 0 < theta <= pi.
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


@dataclass(frozen=True)
class PairResult:
    """Results of one composition: m thresholds, k values of eps, d deltas.

    threshold: tau_j = threshold_first + j threshold_step, ascending, nearest doubles. alpha_j = P(T > tau_j)
    and beta_j = Q(T <= tau_j) are vertices of the trade-off function, unevaluated sums of three doubles,
    largest first, each within absolute_bound. eps: exact doubles. epsilon, reduction, eps_zcdp, scale: value,
    lower and upper bound for every delta of the settings.
    """

    summary: PlanFigures
    threshold_first: Fraction
    threshold_step: Fraction
    threshold: Floats  # [m]
    alpha: Floats  # [m, 3]
    beta: Floats  # [m, 3]
    absolute_bound: float
    eps: Floats  # [k]
    delta: Floats  # [k]
    log10_delta: Floats  # [k]
    relative_bound: Floats  # [k]
    epsilon: Floats  # [d, 3]
    reduction: Floats  # [d, 3]
    eps_zcdp: Floats  # [d, 3]
    scale: Floats  # [d, 3]
