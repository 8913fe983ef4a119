"""Result files: one writer, whole or absent, self-describing, with a digest of their content.

The layout is described in docs/results-format.md. A file never holds a time, a host name or anything else in
its digested content that would differ between two computations of the same results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kernels import KERNEL_VERSION
from kernels.accounting.settings import Settings
from workflow.input.rational import parse_ratio
from workflow.results.file import LIBVER, DamagedError, StoreError, new_file, reading
from workflow.results.group import (
    new_group,
    put_array,
    put_attribute,
    put_text,
    read_group,
    write_group,
)
from workflow.results.indexed_file import IndexedFile
from workflow.results.result import Identity, StoredResult, content_digest, level_path, pair_path
from workflow.results.values import expect, get_group, get_text, printable_text

__all__ = [
    "DamagedError",
    "Header",
    "Identity",
    "Results",
    "StoreError",
    "StoredResult",
    "merge_atomic",
    "open_results",
]
__all__ += ["level_path", "pair_path", "write_atomic"]

FORMAT = "exact-census"
FORMAT_VERSION = 2

_INDEX_TEXT = ("path", "kind", "first", "second", "key", "digest", "total_rho", "lattice", "nodes")
_INDEX_NUMBERS = (("survivors", np.int64), ("total_bound", np.float64), ("cpu_seconds", np.float64))


@dataclass(frozen=True, slots=True)
class Header:
    """What a result file says about all of its results."""

    allocation: str
    neighbours: str
    allocation_yaml: str  # the exact text of the allocation file
    settings: Settings
    kernel_version: str = KERNEL_VERSION
    created_by: dict[str, str] = field(default_factory=dict)  # package -> version


def write_atomic(path: Path, header: Header, results: Iterable[StoredResult]) -> str:
    """Write a result file and verify it before it takes its name. Returns its content digest.

    Results may come in any order; the index keeps theirs. Raises StoreError when two results have the same
    identity or the written file does not verify.
    """
    with _new_file(path) as temporary, h5py.File(temporary, "w", libver=LIBVER, locking=False) as file:
        rows = []
        seen: set[str] = set()
        for result in results:
            _only_once(path, result.identity.path, seen)
            write_group(file.id, result)
            rows.append(_index_row(result))
        return _finish(file, header, rows)


def merge_atomic(
    path: Path,
    header: Header,
    groups: Iterable[tuple[str, Results]],
    visit: Callable[[StoredResult], None] = lambda result: None,
) -> str:
    """Copy groups of open result files into a new one, as write_atomic does. Returns its content digest.

    `groups` names the groups in the order of the new index, each with the file to take it from. `visit` sees
    every result as it is read back and verified, in that order, before the file takes its name.
    """
    new = _new_file(path, visit)
    with new as temporary, h5py.File(temporary, "w", libver=LIBVER, locking=False) as file:
        rows = []
        seen: set[str] = set()
        for group, source in groups:
            _only_once(path, group, seen)
            source.copy_group(group, file.id)
            rows.append(_as_text(source.row(group)))
        return _finish(file, header, rows)


def open_results(path: str | Path) -> Results:
    """Open a result file for reading, to be closed or used in a `with` block.

    Raises StoreError when it is missing, empty, cut off, not a result file or of a newer format.
    """
    return Results(Path(path))


class Results(IndexedFile):
    """An open result file. An entry of its index has path, kind, first, second, key, digest, total_rho and
    lattice (Fractions), nodes, survivors (both signs), total_bound, cpu_seconds."""

    format = FORMAT
    format_version = FORMAT_VERSION

    def header(self) -> Header:
        """What the file says about all of its results."""
        with reading(self.path):
            settings = json.loads(get_text(self._file.id, self._attributes, "settings"))
            versions = json.loads(expect(self._attributes["created_by"], str))
            return Header(
                allocation=expect(self._attributes["allocation"], str),
                neighbours=expect(self._attributes["neighbours"], str),
                allocation_yaml=get_text(self._file.id, self._attributes, "allocation_yaml"),
                settings=Settings(
                    tuple(parse_ratio(expect(text, str)) for text in settings["deltas"]),
                    expect(settings["thresholds"], int),
                    expect(settings["eps_points"], int),
                ),
                kernel_version=expect(self._attributes["kernel_version"], str),
                created_by={name: printable_text(version) for name, version in versions.items()},
            )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The pairs of bypass patterns, in the order of writing."""
        return ((row["first"], row["second"]) for row in self._index.values() if row["kind"] == "pair")

    def levels(self) -> Iterator[str]:
        """The levels that were evaluated alone, in the order of writing."""
        return (row["first"] for row in self._index.values() if row["kind"] == "level")

    def read(self, where: str | tuple[str, str]) -> StoredResult:
        """The result of a pair (FIRST, SECOND), or at a path such as level_path(LEVEL)."""
        path = where if isinstance(where, str) else pair_path(*where)
        self.row(path)
        with reading(self.path, path):
            return read_group(get_group(self._file.id, path))

    def read_verified(self, path: str) -> StoredResult:
        """The same, after its digest, key and identity were compared with the stored ones."""
        result = self.read(path)
        row = self.row(path)
        if (result.identity.path, result.key, result.digest) != (path, row["key"], row["digest"]):
            raise DamagedError(f"{self.path}: {path}: the content does not match its digest")
        return result

    def verify(self, visit: Callable[[StoredResult], None] = lambda result: None) -> None:
        """Recompute the digest of every group and of the file; `visit` sees every result that is right.

        Raises StoreError at the first difference.
        """
        self.check_index()
        for path in self._index:
            visit(self.read_verified(path))

    def copy_group(self, path: str, target: Any) -> None:
        """Copy one group to the same path below a low-level group of another file."""
        self.row(path)
        with reading(self.path, path):
            get_group(self._file.id, path)
            parent = path.rsplit("/", 1)[0]
            if parent.encode() not in target:
                new_group(target, parent)
            h5py.h5o.copy(self._file.id, path.encode(), target, path.encode())

    @staticmethod
    def _index_row(record: Any) -> dict[str, Any]:
        row: dict[str, Any] = {name: printable_text(record[name]) for name in _INDEX_TEXT}
        for name, stored in _INDEX_NUMBERS:
            row[name] = expect(record[name].item(), int if stored is np.int64 else float)
        row |= {"total_rho": parse_ratio(row["total_rho"]), "lattice": parse_ratio(row["lattice"])}
        return row | {"nodes": int(row["nodes"])}


def _new_file(
    path: Path, visit: Callable[[StoredResult], None] = lambda result: None
) -> AbstractContextManager[Path]:
    def verify(temporary: Path) -> None:
        with open_results(temporary) as results:
            results.verify(visit)

    return new_file(path, verify)


def _finish(file: h5py.File, header: Header, rows: list[dict[str, Any]]) -> str:
    digest = content_digest({row["path"]: row["digest"] for row in rows})
    settings = header.settings
    root = file.id
    put_attribute(root, "format", FORMAT)
    put_attribute(root, "format_version", FORMAT_VERSION)
    put_attribute(root, "allocation", header.allocation)
    put_attribute(root, "neighbours", header.neighbours)
    put_attribute(root, "kernel_version", header.kernel_version)
    put_attribute(root, "digest", digest)
    put_attribute(root, "created_by", json.dumps(header.created_by, sort_keys=True))
    put_array(root, "allocation_yaml", np.array(header.allocation_yaml.encode("utf-8")))
    put_text(
        root,
        "settings",
        json.dumps(
            {
                "deltas": [str(delta) for delta in settings.deltas],
                "thresholds": settings.thresholds,
                "eps_points": settings.eps_points,
            }
        ),
    )
    put_array(root, "index", _index_table(rows), {"description": "one row per group", "dims": "group"})
    return digest


def _only_once(path: Path, group: str, seen: set[str]) -> None:
    if group in seen:
        raise StoreError(f"{path}: two results for the same pair or level, {group}")
    seen.add(group)


def _index_row(result: StoredResult) -> dict[str, Any]:
    identity, summary = result.identity, result.summary
    return {
        "path": identity.path,
        "kind": identity.kind,
        "first": identity.first,
        "second": identity.second,
        "key": result.key,
        "digest": result.digest,
        "total_rho": str(summary.total_rho),
        "lattice": str(summary.lattice),
        "nodes": str(summary.nodes),
        "survivors": summary.survivors,
        "total_bound": summary.total_bound,
        "cpu_seconds": result.cpu_seconds,
    }


def _as_text(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: str(row[name]) for name in _INDEX_TEXT}


def _index_table(rows: list[dict[str, Any]]) -> np.ndarray:
    texts = {name: [row[name].encode("utf-8") for row in rows] for name in _INDEX_TEXT}
    fields: list[tuple[str, Any]] = [
        (name, f"S{max(map(len, column), default=1) or 1}") for name, column in texts.items()
    ]
    table = np.zeros(len(rows), dtype=fields + list(_INDEX_NUMBERS))
    for name, column in texts.items():
        table[name] = column
    for name, _ in _INDEX_NUMBERS:
        table[name] = [row[name] for row in rows]
    return table
