"""Mechanisms and pairs from an allocation's text alone: the bypass rule, derived a second time.

Reads valid allocation files only; workflow/allocation/read.py is what tells a user what is wrong with
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from ruamel.yaml import YAML

Cells = dict[Fraction, int]


class AllocationTextError(ValueError):
    """The text is not a valid allocation, or has no such group; one line."""


@dataclass(frozen=True)
class AllocationText:
    """The text of an allocation file, as a tree of mappings, lists and text."""

    tree: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> AllocationText:
        """Raises AllocationTextError when the text has no budget."""
        try:
            tree = YAML(typ="base", pure=True).load(text)
        except Exception as error:  # whatever the parser raises
            raise AllocationTextError("the allocation's text is not valid YAML") from error
        if isinstance(tree, dict) and "joint" in tree:
            raise AllocationTextError(
                "a joint allocation's text does not hold its products; certify each alone"
            )
        if not isinstance(tree, dict) or not {"levels", "budget", "bypass", "total_rho"} <= set(tree):
            raise AllocationTextError("the allocation's text has no levels, budget, bypass or total_rho")
        return cls(tree)

    @cached_property
    def table(self) -> list[list[Fraction]]:
        """rho of every query, one row per level, root first."""
        total, rows = Fraction(self.tree["total_rho"]), []
        for level in self.tree["levels"]:
            budget = self.tree["budget"][level]
            if "rho" in budget:
                rows.append([Fraction(rho) for rho in budget["rho"].values()])
            else:
                part = total * Fraction(budget["share"])
                rows.append([part * Fraction(share) for share in budget["queries"].values()])
        return rows

    def path(self, pattern: str) -> Cells:
        """Cells of a root-to-block path: a geounit with a single child spends that child's budget too, with
        its own shares."""
        able = self.tree["bypass"]["levels"]
        if len(pattern) != len(able) or set(pattern) - {"0", "1"}:
            raise AllocationTextError(f"no bypass pattern {pattern[:80]!r}")
        single = {level for level, digit in zip(able, pattern, strict=True) if digit == "1"}
        cells: Counter[Fraction] = Counter()
        carried = Fraction(0)
        for level, row in zip(reversed(self.tree["levels"]), reversed(self.table), strict=True):
            own = sum(row, Fraction(0))
            # What reaches this level from below stays here if it has a single child; a level whose parent
            # has only it hands everything up.
            budget = own + carried
            if self._parent(level) in single:
                carried = budget
                continue
            carried = Fraction(0)
            cells.update(rho * budget / own for rho in row)
        return dict(cells)

    def _parent(self, level: str) -> str | None:
        place = self.tree["levels"].index(level)
        return self.tree["levels"][place - 1] if place else None

    def members(self, path: str) -> tuple[Cells, Cells]:
        """The two halves of a group's composition, /pairs/FIRST,SECOND or /levels/LEVEL."""
        kind, _, name = path.removeprefix("/").partition("/")
        if kind == "levels" and name in self.tree["levels"]:
            level = dict(Counter(self.table[self.tree["levels"].index(name)]))
            return level, level
        first, comma, second = name.partition(",")
        if kind != "pairs" or not comma:
            raise AllocationTextError(f"no such group: {path[:80]!r}")
        return self.path(first), self.path(second)

    @cached_property
    def patterns(self) -> list[str]:
        """The bypass patterns in order."""
        bypass = self.tree["bypass"]
        able, fixed = bypass["levels"], bypass.get("fixed", {})
        listed = bypass.get("patterns", "default")
        digits = [fixed.get(level, "01") for level in able]
        every = ["".join(chosen) for chosen in product(*digits)]
        if listed == "complete":
            return every
        if listed == "default":
            return [p for p in every if p[0] == "0" or p[2:4] == "11" or (p[1:4] == "100" and p[4:] != "11")]
        return [
            one
            if isinstance(one, str)
            else "".join("1" if level in one else fixed.get(level, "0") for level in able)
            for one in listed
        ]

    @cached_property
    def groups(self) -> list[str]:
        """Paths of all groups that a complete result file has."""
        patterns = self.patterns
        pairs = [f"/pairs/{a},{b}" for i, a in enumerate(patterns) for b in patterns[i:]]
        return pairs + [f"/levels/{level}" for level in self.tree["levels"]]


def joined(first: Cells, second: Cells) -> Cells:
    """Cells of both."""
    return dict(Counter(first) + Counter(second))


def rational_gcd(numbers: list[Fraction]) -> Fraction:
    """Largest rational of which all are integer multiples."""
    found = Fraction(0)
    for number in numbers:
        while number:
            found, number = number, found % number
    return found


def rational_lcm(numbers: list[Fraction]) -> Fraction:
    """Smallest rational that is an integer multiple of all."""
    return 1 / rational_gcd([1 / number for number in numbers])
