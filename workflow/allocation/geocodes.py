"""Block geocodes, CSV with the column geocode: every level is a number of leading digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kernels.accounting.census.geography import Geography
from workflow.errors import ConfigError
from workflow.input.csv_rows import csv_rows
from workflow.words import listing, printable, shorten, suggestion


def read_geocodes(path: Path, levels: Sequence[str], digits: Mapping[str, int]) -> Geography:
    """The geography of a list of blocks, each named by its full geocode, in any order.

    digits: how many characters each level adds to the geocode; a level that is not named, the root only,
    adds none. A level that adds none has exactly one geounit below each of the level above.

    Raises ConfigError, naming line and geocode: unknown or missing level, wrong length, not plain ASCII,
    listed twice, none at all.
    """
    file = printable(str(path))
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
    blocks = _blocks(path, file, ends[-1])
    units = [np.unique(blocks.astype(f"S{end}")) if end else np.array([b""]) for end in ends]
    parents = [np.zeros(len(units[0]), dtype=np.int64)]
    for end, above, below in zip(ends, units, units[1:], strict=False):
        leading = below.astype(f"S{end}") if end else np.full(len(below), b"")
        parents.append(np.searchsorted(above, leading))
    if len(units[0]) > 1:
        second = shorten(units[0][1].decode("ascii"))
        raise ConfigError(f"{file}: a second {levels[0]}, {second}; there is one root")
    return Geography(tuple(levels), tuple(np.char.decode(each, "ascii") for each in units), tuple(parents))


def _blocks(path: Path, file: str, length: int) -> np.ndarray:
    lines, codes = [], []
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
        code = shorten(codes[second].decode("ascii"))
        raise ConfigError(
            f"{file}:{lines[second]}: geocode = {code}: listed twice; the first is in line {lines[first]}"
        )
    return blocks
