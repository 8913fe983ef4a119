"""Reading study files. Every problem is one ConfigError line: file, line, key path, value, what is
allowed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from kernels.uldp.domain import Domain
from workflow.input.find import Kind, find_file
from workflow.input.model import validated
from workflow.input.tree import TextTree, parse_text_tree, read_text
from workflow.study.counts import Counts, read_counts
from workflow.study.schema import StudyFile, TableFile

_STUDY = Kind("study", frozenset({"grid", "tables", "map"}))


@dataclass(frozen=True, slots=True)
class Table:
    """Where a distribution comes from, and how its file is read."""

    name: str
    title: str
    source: str
    path: Path
    columns: tuple[str, ...]
    count: str | None
    bands: dict[str, tuple[Fraction, ...]]
    sensitive: tuple[dict[str, tuple[str, ...]], ...]
    eps: tuple[Fraction, ...]

    def read(self) -> Counts:
        """The file's counts. Raises ConfigError."""
        return read_counts(self.path, self.columns, self.count, self.bands, self.sensitive)


@dataclass(frozen=True, slots=True)
class RegimeMap:
    """All numbers of sensitive symbols up to all, and all eps."""

    symbols: int
    eps: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """One study. grid: domains and eps, at each of which P is the least favourable one. digest: changes with
    what the study file says, not with its comments or layout."""

    name: str
    title: str
    source: str
    seed: int
    clients: int
    repetitions: int
    mechanisms: tuple[str, ...]
    grid: tuple[tuple[Domain, Fraction], ...]
    tables: tuple[Table, ...]
    map: RegimeMap
    digest: str


def find_study(name_or_path: str | Path) -> Path:
    """The file of a study: beside the allocations by its name, or at a path. Raises ConfigError."""
    return find_file(name_or_path, _STUDY)


def load_study(name_or_path: str | Path) -> Study:
    """The study of this name (allocations/NAME.yaml) or in this file. Raises ConfigError."""
    path = find_study(name_or_path)
    return parse_study(read_text(path), path)


def parse_study(text: str, path: Path) -> Study:
    """The study that YAML text describes; tables' files are named relative to the folder of `path`.

    Raises ConfigError. The tables' files are not opened.
    """
    tree = parse_text_tree(text, str(path))
    model = validated(tree, StudyFile, "a study file")
    tree.check_distinct(("mechanisms",), model.mechanisms)
    return Study(
        name=model.name,
        title=model.title,
        source=model.source,
        seed=model.seed,
        clients=model.clients,
        repetitions=model.repetitions,
        mechanisms=tuple(model.mechanisms),
        grid=_grid(tree, model),
        tables=_tables(tree, model, path.parent),
        map=_map(tree, model),
        digest=hashlib.sha256(json.dumps(tree.root, sort_keys=True).encode()).hexdigest(),
    )


def _grid(tree: TextTree, model: StudyFile) -> tuple[tuple[Domain, Fraction], ...]:
    points: dict[tuple[Domain, Fraction], None] = {}
    for i, entry in enumerate(model.grid):
        tree.check_distinct(("grid", i, "sensitive"), entry.sensitive)
        tree.check_distinct(("grid", i, "eps"), entry.eps)
        for j, v in enumerate(entry.sensitive):
            if v > entry.symbols:
                raise tree.error(("grid", i, "sensitive", j), f"there are only {entry.symbols} symbols")
            for eps in entry.eps:
                point = Domain(entry.symbols, v), eps
                if point in points:
                    raise tree.error(("grid", i), f"symbols {entry.symbols}, sensitive {v}, eps {eps} again")
                points[point] = None
    return tuple(points)


def _tables(tree: TextTree, model: StudyFile, folder: Path) -> tuple[Table, ...]:
    for i, entry in enumerate(model.tables):
        if any(entry.name == other.name for other in model.tables[:i]):
            raise tree.error(("tables", i, "name"), "a second table of this name")
        tree.check_distinct(("tables", i, "columns"), entry.columns)
        tree.check_distinct(("tables", i, "eps"), entry.eps)
        tree.check_known(("tables", i, "bands"), entry.bands, entry.columns, "column")
        for j, condition in enumerate(entry.sensitive):
            tree.check_known(("tables", i, "sensitive", j), condition, entry.columns, "column")
        for column, edges in entry.bands.items():
            if any(low >= high for low, high in pairwise(edges)):
                raise tree.error(("tables", i, "bands", column), "the edges must ascend")
    return tuple(_table(entry, folder) for entry in model.tables)


def _table(entry: TableFile, folder: Path) -> Table:
    def fixed(condition: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
        return {column: tuple(values) for column, values in condition.items()}

    return Table(
        name=entry.name,
        title=entry.title,
        source=entry.source,
        path=folder / entry.file,
        columns=tuple(entry.columns),
        count=entry.count,
        bands={column: tuple(edges) for column, edges in entry.bands.items()},
        sensitive=tuple(fixed(condition) for condition in entry.sensitive),
        eps=tuple(entry.eps),
    )


def _map(tree: TextTree, model: StudyFile) -> RegimeMap:
    least, most, points = model.map.eps.least, model.map.eps.most, model.map.eps.points
    if least >= most:
        raise tree.error(("map", "eps", "most"), f"must be above least, {least}")
    return RegimeMap(model.map.symbols, _steps(least, most, points))


def _steps(least: Fraction, most: Fraction, points: int) -> tuple[Fraction, ...]:
    return tuple(least + (most - least) * i / (points - 1) for i in range(points))
