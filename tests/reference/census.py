"""The DHC persons (US) allocation typed in by hand, and the bypass rule, from their description alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

# rho of the ten queries of each level, in units of 1/10000; every level lists its queries in one fixed order.
PER_LEVEL = {
    "US": (73, 73, 73, 73, 73, 292, 73, 73, 73, 73),
    "State": (999, 999, 999, 999, 999, 3996, 999, 999, 999, 999),
    "County": (310, 310, 310, 310, 310, 1240, 1240, 310, 310, 310),
    "Prim": (478, 478, 478, 478, 478, 1912, 478, 478, 478, 478),
    "Tract_Subset_Group": (478, 478, 478, 478, 478, 1912, 478, 478, 478, 478),
    "Tract_Subset": (868, 868, 868, 868, 868, 3472, 3472, 868, 868, 868),
    "Block_Group": (430,) * 10,
    "Block": (11,) * 10,
}


def path_cells(pattern: str) -> Counter[Fraction]:
    """Cells of one path; digit i of `pattern` is 1 if the i-th level below US has a single child there."""
    levels = [[Fraction(value, 10_000) for value in row] for row in PER_LEVEL.values()]
    budgets = [sum(row, Fraction(0)) for row in levels]
    spent = list(budgets)
    for index in range(len(pattern), 0, -1):  # bottom-up, so that a chain ends in its topmost geounit
        if pattern[index - 1] == "1":
            spent[index] += spent[index + 1]
            spent[index + 1] = Fraction(0)
    cells: Counter[Fraction] = Counter()
    for row, budget, amount in zip(levels, budgets, spent, strict=True):
        for rho in row:
            if amount:
                cells[rho / budget * amount] += 1
    return cells


def pair_cells(first: str, second: str) -> dict[Fraction, int]:
    """All cells of a pair of paths."""
    return dict(sorted((path_cells(first) + path_cells(second)).items()))


def level_cells(level: str) -> dict[Fraction, int]:
    """One level's queries against themselves: every query twice."""
    return dict(sorted(Counter(Fraction(value, 10_000) for value in PER_LEVEL[level] * 2).items()))
