"""The bypass patterns of an allocation file: listed, named, or derived from geography."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernels.accounting.census.patterns import check_pattern, complete_patterns, default_patterns
from workflow.allocation.geography import path_counts, read_geography
from workflow.allocation.schema import Bypass, FromGeography
from workflow.input.tree import KeyPath, TextTree


def read_patterns(tree: TextTree, bypass: Bypass, levels: Sequence[str]) -> tuple[str, ...]:
    """The patterns that `bypass.patterns` lists, names or derives.

    levels: all levels of the allocation, root first. Raises ConfigError.
    """
    path: KeyPath = ("bypass", "patterns")
    listed = bypass.patterns
    if isinstance(listed, FromGeography):
        return _from_geography(tree, bypass, levels, listed)
    if listed == "default" or listed == "complete":
        choose = default_patterns if listed == "default" else complete_patterns
        try:
            return choose(bypass.levels, bypass.fixed)
        except ValueError as error:
            raise tree.error(path, str(error)) from None
    patterns = [_digits(tree, bypass, i, pattern) for i, pattern in enumerate(listed)]
    for i, digits in enumerate(patterns):
        try:
            check_pattern(digits, bypass.levels, bypass.fixed)
        except ValueError as error:
            raise tree.error((*path, i), str(error)) from None
    tree.check_distinct(path, patterns)
    return tuple(patterns)


def _digits(tree: TextTree, bypass: Bypass, index: int, pattern: str | list[str]) -> str:
    """A pattern's digits; one that names its levels is completed with the digits that are fixed."""
    if isinstance(pattern, str):
        return pattern
    path = ("bypass", "patterns", index)
    tree.check_distinct(path, pattern)
    tree.check_known(path, pattern, bypass.levels, "level in a pattern")
    return "".join(str(int(level in pattern) or bypass.fixed.get(level, 0)) for level in bypass.levels)


def _from_geography(
    tree: TextTree, bypass: Bypass, levels: Sequence[str], given: FromGeography
) -> tuple[str, ...]:
    """The patterns that occur in a table of geounits or block geocodes beside the allocation file."""
    path: KeyPath = ("bypass", "patterns")
    if (given.geounits is None) == (given.geocodes is None):
        raise tree.error(path, "give either geounits, or geocodes and digits")
    if (given.geocodes is None) != (given.digits is None):
        raise tree.error(path, "digits go with geocodes: the number of digits that each level adds")
    key = "geounits" if given.geounits is not None else "geocodes"
    file = Path(tree.file).parent / str(given.geounits or given.geocodes)
    try:
        geography = read_geography(file, levels, given.digits)
        return tuple(path_counts(geography, bypass.levels, bypass.fixed))
    except ValueError as error:
        raise tree.error((*path, key), str(error)) from None
