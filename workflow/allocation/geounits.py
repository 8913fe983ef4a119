"""A table of geounits, CSV with the columns geoid, parent, level: read and held to be a whole tree."""

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

    index: dict[str, int] = field(default_factory=dict)
    parents: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_geounits(path: Path, levels: Sequence[str]) -> Geography:
    """The geography that a table of geounits describes, in any order of its rows.

    The root, the only geounit of the first level, has no parent; every other geounit's parent is a geounit
    of the level above. A geoid is unique within its level.

    Raises ConfigError, naming line and geoid: unknown or missing level, geounit listed twice, two parents,
    unknown parent, level skipped, cycle, no child.
    """
    found = {level: _Level() for level in levels}
    file = printable(str(path))
    for line, (geoid, parent, level) in csv_rows(path, ("geoid", "parent", "level")):
        if level not in found:
            hint = suggestion(level, levels) + "allowed: " + listing(levels)
            raise ConfigError(f"{file}:{line}: level = {shorten(level)}: unknown level; {hint}")
        if not geoid:
            raise ConfigError(f"{file}:{line}: geoid: missing; every geounit needs one")
        units = found[level]
        if geoid in units.index:
            raise _listed_again(file, line, geoid, parent, units)
        units.index[geoid] = len(units.lines)
        units.parents.append(intern(parent))
        units.lines.append(line)
    for level, units in found.items():
        if not units.index:
            raise ConfigError(f"{file}: no geounit of level {level}; needed: {listing(levels)}")
    _check_root(file, levels[0], found[levels[0]])
    parents = [np.zeros(1, dtype=np.int64)]
    for above, level in pairwise(levels):
        parents.append(_parents(file, found, above, level))
    return Geography(tuple(levels), tuple(list(units.index) for units in found.values()), tuple(parents))


def _listed_again(file: str, line: int, geoid: str, parent: str, units: _Level) -> ConfigError:
    first = units.index[geoid]
    where = f"{file}:{line}: geoid = {shorten(geoid)}"
    if units.parents[first] == parent:
        return ConfigError(f"{where}: listed twice; the first is in line {units.lines[first]}")
    two = f"{shorten(units.parents[first])} in line {units.lines[first]} and {shorten(parent)} here"
    return ConfigError(f"{where}: two parents, {two}; a geounit has one")


def _check_root(file: str, level: str, units: _Level) -> None:
    if len(units.index) > 1:
        second = list(units.index)[1]
        raise ConfigError(
            f"{file}:{units.lines[1]}: geoid = {shorten(second)}: a second {level}; there is one root"
        )
    if units.parents[0]:
        raise ConfigError(
            f"{file}:{units.lines[0]}: parent = {shorten(units.parents[0])}: {level} is the root and has none"
        )


def _parents(file: str, found: dict[str, _Level], above: str, level: str) -> np.ndarray:
    """Index of every geounit's parent in the level above, [n_level]."""
    index, units = found[above].index, found[level]
    parents = np.fromiter((index.get(parent, -1) for parent in units.parents), np.int64, len(units.parents))
    if (parents < 0).any():
        raise _no_parent(file, found, above, level, int(np.argmax(parents < 0)))
    childless = np.bincount(parents, minlength=len(index)) == 0
    if childless.any():
        first = int(np.argmax(childless))
        where = f"{file}:{found[above].lines[first]}: geoid = {shorten(list(index)[first])}"
        raise ConfigError(f"{where}: this {above} has no child; every path goes on to a {level}")
    return parents


def _no_parent(file: str, found: dict[str, _Level], above: str, level: str, which: int) -> ConfigError:
    """Why the parent of a geounit is not in the level above."""
    units = found[level]
    geoid, parent = list(units.index)[which], units.parents[which]
    where = f"{file}:{units.lines[which]}: geoid = {shorten(geoid)}"
    if not parent:
        return ConfigError(f"{where}: no parent; the parent of a {level} is a {above}")
    chain, other = [geoid], _level_of(found, parent)
    if other is None:
        return ConfigError(f"{where}: unknown parent {shorten(parent)}; it must be listed as a {above}")
    wrong = other
    while other is not None and parent not in chain:
        chain.append(parent)
        parent = found[other].parents[found[other].index[parent]]
        other = _level_of(found, parent)
    if other is not None:
        circle = " -> ".join(map(shorten, [*chain[chain.index(parent) :], parent]))
        return ConfigError(f"{where}: its parents form a cycle, {circle}")
    order = list(found)
    kind = "level skipped" if order.index(wrong) < order.index(above) else "wrong level"
    return ConfigError(
        f"{where}: {kind}; its parent {shorten(units.parents[which])} is a {wrong}, "
        f"the parent of a {level} is a {above}"
    )


def _level_of(found: dict[str, _Level], geoid: str) -> str | None:
    return next((level for level, units in found.items() if geoid in units.index), None)
