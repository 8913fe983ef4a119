"""Reading study files. Every problem is one ConfigError line: file, line, key path, value, what is
allowed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from workflow.input.find import Kind, find_file
from workflow.input.model import validated
from workflow.input.tree import TextTree, parse_text_tree, read_text
from workflow.study.counts import Counts, read_counts
from workflow.study.schema import StudyFile, TableFile

_STUDY = Kind("study", frozenset({"grid", "tables", "map"}))


@dataclass(frozen=True, slots=True)
class Study:
    """One study: what its file says, the folder that its tables are named from, and a digest of what it says,
    for which comments and layout do not count."""

    file: StudyFile
    folder: Path
    digest: str

    def path(self, table: TableFile) -> Path:
        """The file of a table."""
        return self.folder / table.file

    def counts(self, table: TableFile) -> Counts:
        """What the file of a table holds. Raises ConfigError."""
        return read_counts(self.path(table), table.columns, table.count, table.bands, table.sensitive)


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
    _check_grid(tree, model)
    _check_tables(tree, model)
    if model.map.eps.least >= model.map.eps.most:
        raise tree.error(("map", "eps", "most"), f"must be above least, {model.map.eps.least}")
    digest = hashlib.sha256(json.dumps(tree.root, sort_keys=True).encode()).hexdigest()
    return Study(model, path.parent, digest)


def _check_grid(tree: TextTree, model: StudyFile) -> None:
    points = set()
    for i, entry in enumerate(model.grid):
        tree.check_distinct(("grid", i, "sensitive"), entry.sensitive)
        tree.check_distinct(("grid", i, "eps"), entry.eps)
        for j, v in enumerate(entry.sensitive):
            if v > entry.symbols:
                raise tree.error(("grid", i, "sensitive", j), f"there are only {entry.symbols} symbols")
        for domain, eps in entry.points:
            if (domain, eps) in points:
                again = f"symbols {domain.symbols}, sensitive {domain.sensitive}, eps {eps} again"
                raise tree.error(("grid", i), again)
            points.add((domain, eps))


def _check_tables(tree: TextTree, model: StudyFile) -> None:
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
