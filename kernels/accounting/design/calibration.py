"""Budget in, noise out: the largest scale of an allocation's rhos that keeps every pair within a target.

The scale is found on the proxy, the first mechanism against itself, since the guarantees of different pairs
nearly coincide. Then every pair is evaluated exactly; where one exceeds the target, the scale is found again
on the worst of them, or at once on one that exceeds it clearly, as happens where delta is near 1. What is
returned has been evaluated as it is, with its rhos as they will be written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, exp, floor, log, log10

from kernels.accounting.accountant import Accountant
from kernels.accounting.bounds import zcdp
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition, pairs
from kernels.accounting.composition import Composition
from kernels.accounting.design.rescale import Unmet, common_denominator, level_unit, scale_levels
from kernels.errors import Refused
from kernels.intervals.interval import NEAREST, Interval, from_fraction
from kernels.intervals.text import short

SCALE_DIGITS = 6
"""Significant digits of a scale, so that a scaled table stays one that people can read."""
_MOST_ROUNDS = 20  # each on the worst pair of the one before
# In so many first rounds one pair that exceeds the target by this factor ends the round.
_HASTY_ROUNDS, _CLEARLY = 10, Fraction(101, 100)
_MOST_STEPS = 200  # bisection, every fourth step, ends by then from any bracket
_LEAST_SLOPE = 1e-9  # of ln delta in ln scale, where delta is flat
_FURTHEST = 10**6  # times what zCDP alone allows; even delta = 0.999 does not reach that

#: Exact eps of several compositions at one delta, in order.
Epsilons = Callable[[Sequence[Composition]], Iterable[Interval]]


@dataclass(frozen=True, slots=True)
class Target:
    """Every pair is to be (eps, delta)-differentially private. eps > 0, 0 < delta < 1."""

    eps: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An allocation's exact eps at one delta: of pairs in the allocation's order, and the worst one."""

    epsilons: dict[tuple[str, str], Interval]

    @property
    def proxy(self) -> tuple[str, str]:
        """The first mechanism against itself."""
        return next(iter(self.epsilons))

    @property
    def worst(self) -> tuple[str, str]:
        """The pair with the largest eps; of equal ones the first."""
        return max(self.epsilons, key=lambda pair: self.epsilons[pair].upper)


@dataclass(frozen=True, slots=True)
class Tuned:
    """A tuned allocation, the scale that its levels got before rounding, and its exact account."""

    allocation: Allocation
    scale: Fraction
    account: Evaluated


def evaluate_pairs(allocation: Allocation, epsilons: Epsilons, enough: Fraction | None = None) -> Evaluated:
    """Exact eps of every pair; of some where one exceeds `enough`, since no more are then looked at. Pairs
    with the same cells are computed once.

    Raises Refused, naming the pair, when one is out of reach.
    """
    compositions = {pair: pair_composition(allocation, *pair) for pair in pairs(allocation)}
    distinct = {composition: pair for pair, composition in reversed(compositions.items())}
    results = iter(epsilons(list(distinct)))
    known = {}
    for composition, pair in distinct.items():
        try:
            known[composition] = next(results)
        except Refused as error:
            raise Refused(f"pair {','.join(pair)} of {allocation.name}: {error}") from error
        if enough is not None and known[composition].upper > from_fraction(enough).upper:
            break
    evaluated = ((pair, known.get(composition)) for pair, composition in compositions.items())
    return Evaluated({pair: eps for pair, eps in evaluated if eps is not None})


def tune(
    allocation: Allocation,
    target: Target,
    epsilons: Epsilons,
    levels: Sequence[str] | None = None,
    denominator: int | None = None,
) -> Tuned:
    """The allocation with the largest scale on its levels at which every pair meets the target.

    levels: those that are scaled, all by default. denominator: every rho of theirs is rounded down to a
    multiple of one over it, the query shares within a level being kept (see scale_levels); by default the
    scale itself is rounded down to SCALE_DIGITS digits when all levels are scaled, so that they keep their
    proportions, and otherwise rhos are rounded to the common denominator of the allocation's.

    Raises Unmet when no scale meets the target or the denominator is too small, Refused when a pair is
    out of reach.
    """
    scaled = tuple(levels or allocation.levels)
    if denominator is None and set(scaled) != set(allocation.levels):
        denominator = common_denominator(allocation)
    zcdp_scale = float(zcdp.budget(target.eps, target.delta).value) / float(allocation.total_rho)
    knob = _Knob(allocation, scaled, denominator, zcdp_scale)
    pair = pairs(allocation)[0]
    most = None
    for count in range(_MOST_ROUNDS):
        first, second = pair
        released = partial(pair_composition, first_pattern=first, second_pattern=second)
        steps = knob.largest(released, target, most)
        candidate = knob.at(steps)
        hasty = target.eps * _CLEARLY if count < _HASTY_ROUNDS else None
        account = evaluate_pairs(candidate, epsilons, hasty)
        pair = account.worst
        if account.epsilons[pair].upper <= from_fraction(target.eps).lower:
            return Tuned(candidate, steps / knob.steps, account)
        most = steps - 1
    raise Refused(f"no scale found in {_MOST_ROUNDS} rounds; the worst pair changes every time")


def tune_levels(
    allocation: Allocation,
    targets: Mapping[str, Fraction],
    delta: Fraction,
    denominator: int | None = None,
) -> Allocation:
    """The allocation in which each of some levels, alone against itself, is as noisy as its own eps at delta
    demands, and no noisier; the other levels stay as they are.

    denominator: as in `tune`. Raises Unmet when an eps cannot be met or the denominator is too small,
    Refused when a level is out of reach.
    """
    for level, eps in targets.items():
        knob = _Knob(allocation, [level], denominator or common_denominator(allocation), 1.0)
        steps = knob.largest(partial(Allocation.level_composition, level=level), Target(eps, delta))
        allocation = knob.at(steps)
    return allocation


class _Knob:
    """An allocation as a function of how many steps of 1/steps its levels are scaled by.

    guess: roughly the scale that will be found.
    """

    def __init__(
        self, allocation: Allocation, levels: Sequence[str], denominator: int | None, guess: float
    ) -> None:
        self.allocation = allocation
        self.levels = levels
        self.denominator = denominator
        self.steps = Fraction(10) ** (SCALE_DIGITS - 1 - floor(log10(guess)))
        self.least = 1
        if denominator is not None:
            units = [level_unit(allocation, level) for level in levels]
            if len(units) == 1:  # one step is one unit of 1/denominator
                self.steps = units[0] * denominator
            self.least = ceil(self.steps / (min(units) * denominator))

    def at(self, steps: int) -> Allocation:
        """The allocation with the levels times steps / self.steps."""
        return scale_levels(self.allocation, steps / self.steps, self.levels, self.denominator)

    def largest(
        self, what: Callable[[Allocation], Composition], target: Target, most: int | None = None
    ) -> int:
        """The most steps, at most `most`, at which what the allocation releases there meets the target.

        Newton and secant steps on ln delta over ln scale inside a bracket, with a bisection now and then;
        delta rises with the scale.
        """
        goal = float(from_fraction(target.delta).lower.ln(NEAREST))
        known: dict[Composition, float] = {}

        def excess(steps: int) -> float:
            """ln delta minus its goal; the target is met when that is not above 0."""
            composition = what(self.at(steps))
            if composition not in known:
                delta = Accountant(composition).profile([target.eps])[0].delta.upper
                known[composition] = float(delta.ln(NEAREST)) - goal
            return known[composition]

        place, slope = self._first_guess(target, what(self.allocation).zcdp_rho)
        low, high = self.least - 1, _FURTHEST * place
        before: tuple[int, float] | None = None
        if most is not None and most >= self.least:
            value = excess(most)
            if value <= 0.0:
                return most
            before, high, place = (most, value), most, floor(most * exp(-value / slope))
        for step in range(_MOST_STEPS):
            if high - low <= 1:
                break
            place = min(max(place, low + 1), high - 1)
            value = excess(place)
            low, high = (place, high) if value <= 0.0 else (low, place)
            if before is not None and value != before[1] and log(place) != log(before[0]):
                slope = (value - before[1]) / (log(place) - log(before[0]))
            before = place, value
            if step % 4 == 3:
                place = (low + high) // 2 if high < 2 * low else 2 * low if low >= self.least else high // 2
            else:
                place = round(place * exp(min(max(-value / max(slope, _LEAST_SLOPE), -0.7), 0.7)))
        if low < self.least:
            raise Unmet(_out_of_range(self.levels, target))
        return low

    def _first_guess(self, target: Target, total: Fraction) -> tuple[int, float]:
        """Where zCDP alone would have the scale, and a rough derivative of ln delta there in ln scale.

        total: the zCDP rho of what is released unscaled.
        """
        scaled = sum(map(self.allocation.level_rho, self.levels))
        rho = Fraction(zcdp.budget(target.eps, target.delta).value)
        left = max(rho - total + scaled, rho / 100)
        excess = float(target.eps - rho)
        slope = excess * (excess / float(4 * rho) + 0.5) * float(left / rho)
        return max(int(left / scaled * self.steps), self.least), max(slope, 0.1)


def _out_of_range(levels: Sequence[str], target: Target) -> str:
    return (
        f"eps {short(target.eps)} at delta {short(target.delta)} cannot be met by scaling "
        f"{', '.join(levels)}: the rest exceeds it, or a larger denominator is needed"
    )
