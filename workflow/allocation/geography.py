"""Geography from a table: geounits with their parents, or block geocodes; and its paths by bypass pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kernels.accounting.census.geography import Geography, count_paths
from workflow.allocation.geounits import read_geounits
from workflow.errors import ConfigError
from workflow.input.csv_rows import csv_rows
from workflow.words import listing, printable, shorten, suggestion


def path_counts(
    geography: Geography, absorbing_levels: Sequence[str], fixed: Mapping[str, int]
) -> dict[str, int]:
    """Number of paths by bypass pattern, in ascending binary order.

    Raises ValueError, naming a geounit, where the geography contradicts a fixed digit.
    """
    for level, digit in fixed.items():
        depth = geography.levels.index(level)
        wrong = (geography.children(depth) == 1) != (digit == 1)
        if wrong.any():
            name = shorten(str(geography.names[depth][int(np.argmax(wrong))]))
            number = "more than one child" if digit else "a single child"
            raise ValueError(f"{level} {name} has {number}, but the digit of {level} is fixed at {digit}")
    return count_paths(geography, absorbing_levels)


def read_geography(path: Path, levels: Sequence[str], digits: Mapping[str, int] | None) -> Geography:
    """A table of geounits or, with the `digits` that each level adds, a list of block geocodes.

    Raises ConfigError.
    """
    return read_geounits(path, levels) if digits is None else read_geocodes(path, levels, digits)


def read_geocodes(path: Path, levels: Sequence[str], digits: Mapping[str, int]) -> Geography:
    """The geography of a list of blocks, CSV with the column geocode, in any order.

    A geounit is named by the leading digits of its blocks. digits: how many characters each level adds to the
    geocode; a level that is not named, the root only, adds none. A level that adds none has
    exactly one geounit below each of the level above.

    Raises ConfigError, naming line and geocode: unknown or missing level, wrong length, not plain ASCII,
    listed twice, none at all.
    """
    for level in digits:
        if level not in levels:
            hint = suggestion(level, levels) + "allowed: " + listing(levels)
            raise ConfigError(f"digits: {shorten(level)} is an unknown level; {hint}")
    for level in levels[1:]:
        if level not in digits:
            raise ConfigError(f"digits: {level} is missing; every level but the root needs its number")
    ends = np.cumsum([digits.get(level, 0) for level in levels]).tolist()
    if ends[-1] == 0:
        raise ConfigError("digits: add up to 0; a geocode has at least one")
    blocks = _blocks(path, ends[-1])
    units = [np.unique(blocks.astype(f"S{end}")) if end else np.array([b""]) for end in ends]
    parents = [np.zeros(len(units[0]), dtype=np.int64)]
    for end, above, below in zip(ends, units, units[1:], strict=False):
        leading = below.astype(f"S{end}") if end else np.full(len(below), b"")
        parents.append(np.searchsorted(above, leading))
    if len(units[0]) > 1:
        second = shorten(units[0][1].decode("ascii"))
        raise ConfigError(f"{printable(str(path))}: a second {levels[0]}, {second}; there is one root")
    return Geography(tuple(levels), tuple(np.char.decode(names, "ascii") for names in units), tuple(parents))


def _blocks(path: Path, length: int) -> np.ndarray:
    """The geocodes, [n], each of `length` characters and listed once."""
    file = printable(str(path))
    lines: list[int] = []
    codes: list[bytes] = []
    for line, (code,) in csv_rows(path, ("geocode",)):
        if len(code) != length or not code.isascii():
            message = f"{len(code)} characters; the levels' digits add up to {length}"
            if len(code) == length:
                message = "a geocode has ASCII characters only"
            raise ConfigError(f"{file}:{line}: geocode = {shorten(code)}: {message}")
        lines.append(line)
        codes.append(code.encode("ascii"))
    if not codes:
        raise ConfigError(f"{file}: holds no geocode")
    blocks = np.array(codes, dtype=f"S{length}")
    order = np.argsort(blocks, kind="stable")
    again = np.flatnonzero(blocks[order][1:] == blocks[order][:-1])
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        where = f"{file}:{lines[second]}: geocode = {shorten(codes[second].decode('ascii'))}"
        raise ConfigError(f"{where}: listed twice; the first is in line {lines[first]}")
    return blocks
