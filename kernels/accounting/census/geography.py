"""Bypass patterns of a real geography: which root-to-block paths occur, and how often."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Geography:
    """A tree of geounits, level by level.

    levels: root first. names[l]: the geounits of level l, [n_l]. parents[l]: for each of them the index of
    its parent in level l - 1, [n_l]; of the root level, zeros.
    """

    levels: tuple[str, ...]
    names: tuple[Sequence[str] | np.ndarray, ...]
    parents: tuple[np.ndarray, ...]

    def children(self, level: int) -> np.ndarray:
        """Number of children of every geounit of a level above the last, [n_level]."""
        return np.bincount(self.parents[level + 1], minlength=len(self.parents[level]))


def count_paths(geography: Geography, absorbing_levels: Sequence[str]) -> dict[str, int]:
    """Number of paths from the root to a geounit of the last level for every bypass pattern that occurs.

    A level's digit is 1 where the path's geounit of that level has exactly one child. Patterns come in
    ascending binary order.
    """
    code = np.zeros(len(geography.parents[0]), dtype=np.int64)
    for level, (name, parents) in enumerate(zip(geography.levels, geography.parents, strict=True)):
        if level > 0:
            code = code[parents]
        if name in absorbing_levels:
            code = 2 * code + (geography.children(level) == 1)
    counts = np.bincount(code)
    digits = len(absorbing_levels)
    return {format(value, f"0{digits}b"): int(counts[value]) for value in np.flatnonzero(counts)}
