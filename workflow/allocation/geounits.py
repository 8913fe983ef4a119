"""A table of geounits, CSV with the columns geoid, parent, level, checked to form a complete tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from sys import intern

import numpy as np

from kernels.accounting.census.geography import Geography
from workflow.errors import ConfigError
from workflow.input.csv_rows import csv_rows
from workflow.words import listing, printable, shorten, suggestion


@dataclass(slots=True)
class _Level:
    """The geounits of one level as they were listed: index by geoid, parents and line numbers."""

    file: str
    index: dict[str, int] = field(default_factory=dict)
    parents: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def error(self, place: int, message: str) -> ConfigError:
        """The error to raise for the geounit that was listed at this place."""
        geoid = shorten(list(self.index)[place])
        return ConfigError(f"{self.file}:{self.lines[place]}: geoid = {geoid}: {message}")


def read_geounits(path: Path, levels: Sequence[str]) -> Geography:
    """The geography that a table of geounits describes, in any order of its rows.

    The root, the only geounit of the first level, has no parent; every other geounit's parent is a geounit
    of the level above. A geoid is unique within its level.

    Raises ConfigError, naming line and geoid: unknown or missing level, geounit listed twice, two parents,
    unknown parent, level skipped, cycle, no child.
    """
    file = printable(str(path))
    table = {level: _Level(file) for level in levels}
    for line, (geoid, parent, level) in csv_rows(path, ("geoid", "parent", "level")):
        if level not in table:
            hint = suggestion(level, levels) + "allowed: " + listing(levels)
            raise ConfigError(f"{file}:{line}: level = {shorten(level)}: unknown level; {hint}")
        if not geoid:
            raise ConfigError(f"{file}:{line}: geoid: missing; every geounit needs one")
        units = table[level]
        if geoid in units.index:
            first = units.index[geoid]
            before, where = units.parents[first], f"in line {units.lines[first]}"
            message = f"two parents, {shorten(before)} {where} and {shorten(parent)} here; a geounit has one"
            if before == parent:
                message = f"listed twice; the first is {where}"
            raise ConfigError(f"{file}:{line}: geoid = {shorten(geoid)}: {message}")
        units.index[geoid] = len(units.lines)
        units.parents.append(intern(parent))
        units.lines.append(line)
    for level, units in table.items():
        if not units.index:
            raise ConfigError(f"{file}: no geounit of level {level}; needed: {listing(levels)}")
    root = table[levels[0]]
    if len(root.index) > 1:
        raise root.error(1, f"a second {levels[0]}; there is one root")
    if root.parents[0]:
        where = f"{file}:{root.lines[0]}: parent = {shorten(root.parents[0])}"
        raise ConfigError(f"{where}: {levels[0]} is the root and has none")
    parents = [np.zeros(1, dtype=np.int64)]
    parents += [_parents(table, above, level) for above, level in pairwise(levels)]
    return Geography(tuple(levels), tuple(list(units.index) for units in table.values()), tuple(parents))


def _parents(table: dict[str, _Level], above: str, level: str) -> np.ndarray:
    """Index of every geounit's parent in the level above, [n_level]."""
    index, units = table[above].index, table[level]
    parents = np.fromiter((index.get(parent, -1) for parent in units.parents), np.int64, len(units.parents))
    if (parents < 0).any():
        place = int(np.argmax(parents < 0))
        raise units.error(place, _no_parent(table, above, level, place))
    childless = np.bincount(parents, minlength=len(index)) == 0
    if childless.any():
        message = f"this {above} has no child; every path goes on to a {level}"
        raise table[above].error(int(np.argmax(childless)), message)
    return parents


def _no_parent(table: dict[str, _Level], above: str, level: str, place: int) -> str:
    """Why the parent of a geounit is not in the level above."""
    geoid, parent = list(table[level].index)[place], table[level].parents[place]
    if not parent:
        return f"no parent; the parent of a {level} is a {above}"
    chain, wrong = [geoid], _level_of(table, parent)
    if wrong is None:
        return f"unknown parent {shorten(parent)}; it must be listed as a {above}"
    other: str | None = wrong
    ancestor = parent
    while other is not None and ancestor not in chain:
        chain.append(ancestor)
        ancestor = table[other].parents[table[other].index[ancestor]]
        other = _level_of(table, ancestor)
    if other is not None:
        circle = " -> ".join(map(shorten, [*chain[chain.index(ancestor) :], ancestor]))
        return f"its parents form a cycle, {circle}"
    order = list(table)
    kind = "level skipped" if order.index(wrong) < order.index(above) else "wrong level"
    return f"{kind}; its parent {shorten(parent)} is a {wrong}, the parent of a {level} is a {above}"


def _level_of(table: dict[str, _Level], geoid: str) -> str | None:
    return next((level for level, units in table.items() if geoid in units.index), None)
