"""Several allocations side by side: budgets, exact eps beside the conversions, reductions by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kernels.accounting.accountant import Accountant
from kernels.accounting.bounds import zcdp
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition, pairs
from kernels.accounting.design.calibration import evaluate_pairs
from kernels.intervals.interval import Interval
from workflow.design.epsilons import exact_epsilons


@dataclass(frozen=True, slots=True)
class AtDelta:
    """One allocation at one delta. eps_proxy and reduction: of the first pair; eps and worst: of the worst of
    all pairs, None where only the first was evaluated; levels: the reduction of each level alone."""

    delta: Fraction
    eps_zcdp: Interval
    eps_cks20: Interval
    eps_proxy: Interval
    reduction: Interval
    levels: dict[str, Interval]
    eps: Interval | None = None
    worst: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """One allocation of a comparison, with its figures at every delta."""

    allocation: Allocation
    figures: tuple[AtDelta, ...]


def compare_allocations(
    allocations: Sequence[Allocation],
    deltas: Sequence[Fraction],
    all_pairs: bool,
    jobs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> list[Compared]:
    """The figures of every allocation. Raises Refused when a pair or level is out of reach."""
    return [
        Compared(one, tuple(_at(one, delta, all_pairs, jobs, advance) for delta in deltas))
        for one in allocations
    ]


def _at(
    allocation: Allocation,
    delta: Fraction,
    all_pairs: bool,
    jobs: int | None,
    advance: Callable[[int, int], None],
) -> AtDelta:
    rho = allocation.total_rho
    proxy = Accountant(pair_composition(allocation, *pairs(allocation)[0]))
    eps_proxy = proxy.epsilon(delta)
    eps, worst = None, None
    if all_pairs:
        account = evaluate_pairs(allocation, exact_epsilons(delta, float(eps_proxy.value), jobs, advance))
        worst = account.worst
        eps = account.epsilons[worst]
    return AtDelta(
        delta,
        zcdp.epsilon(rho, delta),
        zcdp.epsilon_cks20(rho, delta),
        eps_proxy,
        proxy.reduction(delta).reduction,
        {
            level: Accountant(allocation.level_composition(level)).reduction(delta).reduction
            for level in allocation.levels
        },
        eps,
        worst,
    )
