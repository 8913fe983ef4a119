"""Patterns from geography: read a table, count its paths by bypass pattern, hold them to fixed digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kernels.accounting.census.geography import Geography, count_paths
from workflow.allocation.geocodes import read_geocodes
from workflow.allocation.geounits import read_geounits
from workflow.words import shorten


def read_geography(path: Path, levels: Sequence[str], digits: Mapping[str, int] | None) -> Geography:
    """A table of geounits or, with the `digits` that each level adds, a list of block geocodes. Raises
    ConfigError."""
    return read_geounits(path, levels) if digits is None else read_geocodes(path, levels, digits)


def path_counts(
    geography: Geography, absorbing_levels: Sequence[str], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Number of paths by bypass pattern, in ascending binary order.

    Raises ValueError, naming a geounit, where the geography contradicts a fixed digit.
    """
    for level, digit in fixed.items():
        place = geography.levels.index(level)
        wrong = (geography.children(place) == 1) != (digit == 1)
        if wrong.any():
            name = shorten(str(geography.names[place][int(np.argmax(wrong))]))
            number = "more than one child" if digit else "a single child"
            raise ValueError(f"{level} {name} has {number}, but the digit of {level} is fixed at {digit}")
    return count_paths(geography, absorbing_levels)
