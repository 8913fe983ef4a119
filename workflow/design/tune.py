"""A tuned allocation, what it saves against the zCDP calibration, and the file that says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log10

from kernels.accounting.bounds import zcdp
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition, pairs
from kernels.accounting.design.calibration import Evaluated, Target, evaluate_pairs, tune, tune_levels
from kernels.accounting.design.rescale import Unmet, common_denominator, move_budget, scale_levels
from kernels.intervals.interval import ONE, ZERO, Interval, from_fraction
from workflow.design.epsilons import exact_epsilons, predicted_seconds, sample
from workflow.processes import available_cores

CLOSE = Fraction(1, 10_000)
"""Share of the target eps that rounding to a denominator may cost before a finer one is proposed."""
LONG = 60.0
"""Seconds for evaluating all pairs once above which the user is warned."""
_NEAR = (Fraction(1), Fraction(96, 97), Fraction(40, 41))  # as rounding at one scale may be lucky


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, in this order: moves of rho between two levels, levels tuned to an eps of their own, a
    target for the whole release that scaling `levels` meets (by default all that have no eps of their own).

    eps None: no target for the whole release, which is evaluated at delta all the same.
    """

    delta: Fraction
    eps: Fraction | None = None
    levels: tuple[str, ...] = ()
    level_eps: Mapping[str, Fraction] | None = None
    moves: Sequence[tuple[str, str, Fraction]] = ()
    denominator: int | None = None


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A level's budget before and after, and what zCDP alone would have given it at the same promise.

    variance_saved: the share of that calibration's noise variance that is not needed; 1 where zCDP cannot
    make the promise with any noise in the scaled levels.
    """

    level: str
    before: Fraction
    after: Fraction
    by_zcdp: Interval
    variance_saved: Interval


@dataclass(frozen=True, slots=True)
class Tuning:
    """The tuned allocation and its account at delta. zcdp_total: the total rho that zCDP alone allows at the
    same eps (the target, or the worst pair's eps where there is none). denominator: that of the rhos of the
    levels scaled to the target, where they were rounded to one."""

    request: Request
    before: Allocation
    after: Allocation
    scale: Fraction
    account: Evaluated
    eps: Fraction
    zcdp_total: Interval
    levels: tuple[LevelChange, ...]
    denominator: int | None = None

    @property
    def worst_eps(self) -> Interval:
        """Exact eps of the worst pair."""
        return self.account.epsilons[self.account.worst]

    @property
    def slack(self) -> Interval:
        """How far the worst pair stays below eps."""
        return from_fraction(self.eps) - self.worst_eps

    @property
    def finer(self) -> int | None:
        """A denominator with which the worst pair comes within CLOSE of the target, about; None where it
        does."""
        if self.denominator is None or self.slack.lower <= self.eps * CLOSE:
            return None
        return self.denominator * 10 ** ceil(log10(float(self.slack.lower) / float(self.eps * CLOSE)))


def run_tuning(
    allocation: Allocation,
    request: Request,
    jobs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
    warn: Callable[[str], None] = lambda line: None,
) -> Tuning:
    """Do what is asked. `warn` is told beforehand, in one line, that it will take long.

    Raises Unmet (one sentence) when it cannot be met, Refused when a pair is out of reach.
    """
    changed = allocation
    for source, target, amount in request.moves:
        changed = move_budget(changed, source, target, amount)
    own = dict(request.level_eps or {})
    if own:
        changed = tune_levels(changed, own, request.delta, request.denominator)
    denominator = request.denominator
    levels = request.levels or tuple(level for level in allocation.levels if level not in own)
    epsilons = exact_epsilons(
        request.delta, None if request.eps is None else float(request.eps), jobs, advance
    )
    if request.eps is None:
        after, scale, account = changed, Fraction(1), evaluate_pairs(changed, epsilons)
        eps = Fraction(account.epsilons[account.worst].upper)
    else:
        if not levels:
            raise Unmet("every level has an eps of its own, so none is left to be scaled")
        if denominator is None and set(levels) != set(allocation.levels):
            denominator = common_denominator(changed)
        slow = slowness(changed, Target(request.eps, request.delta), levels, denominator, jobs)
        if slow:
            warn(slow)
        tuned = tune(changed, Target(request.eps, request.delta), epsilons, levels, denominator)
        after, scale, account, eps = tuned.allocation, tuned.scale, tuned.account, request.eps
    budget = zcdp.budget(eps, request.delta)
    own_budgets = {level: zcdp.budget(level_eps, request.delta) for level, level_eps in own.items()}
    changes = _changes(allocation, changed, after, levels, budget, own_budgets)
    return Tuning(request, allocation, after, scale, account, eps, budget, changes, denominator)


def slowness(
    allocation: Allocation,
    target: Target,
    levels: Sequence[str],
    denominator: int | None,
    jobs: int | None = None,
) -> str | None:
    """One line where rounding to multiples of 1/denominator makes lattices so fine that evaluating all pairs
    takes long, and the finest denominator of it over a power of 10 that does not; else None."""
    if denominator is None:
        return None
    scale = Fraction(zcdp.budget(target.eps, target.delta).value) / allocation.total_rho
    every = pairs(allocation)

    def seconds(one: Allocation) -> float:
        """For all pairs."""
        each = predicted_seconds([pair_composition(one, *pair) for pair in sample(every)])
        return each * len(every) / min(jobs or available_cores(), len(every))

    def rounded(denominator: int) -> float:
        """The same at the worst of some scales; 0 where the rhos cannot be rounded."""
        try:
            made = [scale_levels(allocation, scale * near, levels, denominator) for near in _NEAR]
        except Unmet:
            return 0.0
        return max(map(seconds, made))

    whole = quick = rounded(denominator)
    if whole <= max(LONG, 2.0 * seconds(allocation)):  # quick, or not much slower than with the rhos given
        return None
    coarser = denominator
    while quick > LONG:
        coarser //= 10
        quick = rounded(coarser)
    hint = f"; with --denominator {coarser} about {max(ceil(quick), 5)} s" if quick else ""
    return (
        f"rhos that are multiples of 1/{denominator} make fine lattices: evaluating all pairs may take "
        f"{ceil(whole / 60)} min, and more than once{hint}"
    )


def _changes(
    before: Allocation,
    changed: Allocation,
    after: Allocation,
    levels: Sequence[str],
    budget: Interval,
    own: Mapping[str, Interval],
) -> tuple[LevelChange, ...]:
    """zCDP would have scaled the same levels to what `budget` leaves them, the others being as they are;
    levels in `own` have a budget of their own."""
    scaled = sum(map(changed.level_rho, levels))
    left = (budget - from_fraction(changed.total_rho - scaled)).clipped(ZERO.value, budget.upper)
    changes = []
    for level in before.levels:
        by_zcdp = rho = from_fraction(after.level_rho(level))
        saved = ZERO
        if level in levels or level in own:
            share = from_fraction(changed.level_rho(level) / scaled)
            by_zcdp = left * share if level in levels else own[level]
            saved = ONE if by_zcdp.upper == 0 else 1 - by_zcdp / rho
        changes.append(LevelChange(level, before.level_rho(level), after.level_rho(level), by_zcdp, saved))
    return tuple(changes)
