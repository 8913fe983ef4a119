"""Allocations: how a privacy-loss budget is split over geographic levels and queries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from kernels.accounting.census.patterns import check_pattern
from kernels.accounting.composition import Composition


@dataclass(frozen=True, slots=True)
class Resolution:
    """How finely curves are tabulated: points of the trade-off function and of the privacy profile."""

    thresholds: int
    eps_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A production run's budget: rho of every (level, query), before any bypass, and the bypass patterns that
    occur.

    `levels` run from the root down; `rho[level][query]` is exact, and a query that is not asked at a level
    is absent there. A level in `absorbing_levels` has one digit in every pattern and takes over the budget
    of the next level down where that digit is 1; `fixed_digits` are the digits that are the same in all
    patterns. Mechanism Mk is `patterns[k]`. `neighbours` names the relation that all figures are for.
    `products` are the allocations that a joint one is made of (see joint.py), none for a single product.

    Raises ValueError, with a sentence that says what is allowed, when the parts do not fit each other.
    """

    name: str
    title: str
    source: str
    neighbours: str
    levels: tuple[str, ...]
    rho: Mapping[str, Mapping[str, Fraction]]
    absorbing_levels: tuple[str, ...]
    fixed_digits: Mapping[str, int]
    patterns: tuple[str, ...]
    deltas: tuple[Fraction, ...]
    resolution: Resolution
    products: tuple["Allocation", ...] = ()

    def __post_init__(self) -> None:
        if not self.levels or len(set(self.levels)) != len(self.levels):
            raise ValueError("an allocation needs at least one level, each named once")
        if set(self.rho) != set(self.levels):
            raise ValueError("rho must be given for exactly the levels " + ", ".join(self.levels))
        for level in self.levels:
            self.level_composition(level)
        able = [level for level in self.levels[:-1] if level in self.absorbing_levels]
        if list(self.absorbing_levels) != able:
            allowed = "root first and each once, some of " + ", ".join(self.levels[:-1])
            raise ValueError(f"the levels that can absorb must be, {allowed}")
        for level, digit in self.fixed_digits.items():
            if level not in self.absorbing_levels or digit not in (0, 1):
                raise ValueError("a fixed digit is 0 or 1, for one of " + ", ".join(self.absorbing_levels))
        if not self.patterns or len(set(self.patterns)) != len(self.patterns):
            raise ValueError("an allocation needs at least one bypass pattern, each listed once")
        for pattern in self.patterns:
            check_pattern(pattern, self.absorbing_levels, self.fixed_digits)

    @property
    def total_rho(self) -> Fraction:
        """Sum of rho over all levels and queries: the total along every path, whatever its pattern."""
        return sum((self.level_rho(level) for level in self.levels), Fraction(0))

    def level_rho(self, level: str) -> Fraction:
        """Sum of rho over the queries of one level, before any bypass.

        Raises ValueError for an unknown level.
        """
        return sum(self._queries(level).values(), Fraction(0))

    def level_composition(self, level: str) -> Composition:
        """One level alone against itself: every query twice, once for each of the two cells a record moves
        between.

        Raises ValueError for an unknown level.
        """
        counts = Counter(self._queries(level).values())
        return Composition.from_counts({rho: 2 * count for rho, count in counts.items()})

    def _queries(self, level: str) -> Mapping[str, Fraction]:
        if level not in self.rho:
            allowed = ", ".join(self.levels)
            raise ValueError(f"{level[:80]!r} is not a level of {self.name}; allowed: {allowed}")
        return self.rho[level]
