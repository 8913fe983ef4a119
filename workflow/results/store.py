"""Result files: one writer, whole or absent, self-describing, with a digest of their content.

Every result file has the same frame: attributes of the root, an index with a row per group, and a group per
record. A kind of file says what its header, its index and its records hold (curves.py, surveys.py). A file
never holds a time, a host name or anything else in its digested content that would differ between two
computations of the same results. docs/results-format.md describes the layout.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import h5py
import numpy as np

from workflow.results.file import LIBVER, DamagedError, StoreError, new_file, open_file, reading
from workflow.results.values import (
    expect,
    get_array,
    get_attributes,
    get_group,
    new_group,
    printable_text,
    put_array,
    put_attribute,
)


class Record(Protocol):
    """One result: its group in the file, its content key, the digest of its content, and what it cost."""

    @property
    def path(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def cpu_seconds(self) -> float: ...
    def at(self, path: str) -> Self:
        """The same result under another path, for work with the same content key."""

    def index_row(self) -> Mapping[str, Any]:
        """What the index says of it."""

    def write(self, parent: Any) -> None:
        """Create its group below a low-level group."""


class Header(Protocol):
    """What a file says about all of its records."""

    @property
    def created_by(self) -> Mapping[str, str]: ...
    def write(self, root: Any) -> None:
        """Put it into the root of a file."""


R = TypeVar("R", bound=Record)
H = TypeVar("H", bound=Header)


class ResultFile(ABC, Generic[H, R]):
    """An open result file, to be closed or used in a `with` block.

    Raises StoreError when the file is missing, empty, cut off, not of this kind or of another version. Every
    method raises it when the file turns out to be damaged.
    """

    format: ClassVar[str]
    format_version: ClassVar[int]
    index_texts: ClassVar[tuple[str, ...]]
    index_numbers: ClassVar[tuple[tuple[str, type], ...]]

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = open_file(self.path)
        try:
            with reading(self.path):
                self._attributes = get_attributes(self._file.id)
                self._check_format()
                rows = map(self._index_row, get_array(self._file.id, "index"))
                self._index = {row["path"]: row for row in rows}
        except StoreError:
            self.close()
            raise

    @classmethod
    def write(cls, path: Path, header: H, records: Iterable[R]) -> str:
        """Write a file and verify it before it takes its name. Returns its content digest.

        Records may come in any order; the index keeps theirs. Raises StoreError when two have the same path,
        and when the written file does not verify.
        """
        with cls._new(path) as file:
            rows: dict[str, Mapping[str, Any]] = {}
            for record in records:
                _only_once(path, record.path, rows)
                record.write(file.id)
                rows[record.path] = record.index_row()
            return cls._finish(file.id, header, rows)

    @classmethod
    def merge(
        cls,
        path: Path,
        header: H,
        groups: Iterable[tuple[str, Self]],
        visit: Callable[[R], None] = lambda record: None,
    ) -> str:
        """Copy groups of open files into a new one, as `write` does. Returns its content digest.

        `groups` names the groups in the order of the new index, each with the file to take it from. `visit`
        sees every record as it is read back and verified, in that order, before the file takes its name.
        """
        with cls._new(path, visit) as file:
            rows: dict[str, Mapping[str, Any]] = {}
            for group, source in groups:
                _only_once(path, group, rows)
                source._copy_group(group, file.id)
                row = source.row(group)
                rows[group] = row | {name: str(row[name]) for name in cls.index_texts}
            return cls._finish(file.id, header, rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def digest(self) -> str:
        """Content digest of the whole file, as stored."""
        with reading(self.path):
            return expect(self._attributes["digest"], str)

    def header(self) -> H:
        """What the file says about all of its records."""
        with reading(self.path):
            versions = json.loads(expect(self._attributes["created_by"], str))
            created_by = {name: printable_text(version) for name, version in versions.items()}
            return self._read_header(self._file.id, self._attributes, created_by)

    def __contains__(self, path: str) -> bool:
        return path in self._index

    def index(self) -> list[dict[str, Any]]:
        """One entry per group, in the order of writing."""
        return [dict(row) for row in self._index.values()]

    def row(self, path: str) -> dict[str, Any]:
        """The index entry of one group."""
        if path not in self._index:
            raise StoreError(f"{self.path}: holds no {path}")
        return dict(self._index[path])

    def read(self, path: str) -> R:
        """The record at a path."""
        self.row(path)
        with reading(self.path, path):
            return self._read_record(path, get_group(self._file.id, path))

    def read_verified(self, path: str) -> R:
        """The same, after its digest, key and path were compared with the index."""
        record, row = self.read(path), self._index[path]
        if (record.path, record.key, record.digest) != (path, row["key"], row["digest"]):
            raise DamagedError(f"{self.path}: {path}: the content does not match its digest")
        return record

    def verify(self, visit: Callable[[R], None] = lambda record: None) -> None:
        """Recompute the digest of every group and of the file; `visit` sees every record that is right.

        Raises StoreError at the first difference.
        """
        self.check_index()
        for path in self._index:
            visit(self.read_verified(path))

    def check_index(self) -> None:
        """Raise DamagedError unless the groups' digests add up to the file's."""
        if content_digest(self._index) != self.digest:
            raise DamagedError(f"{self.path}: the index does not match the file's digest")

    @classmethod
    @abstractmethod
    def _read_header(cls, root: Any, attributes: Mapping[str, Any], created_by: dict[str, str]) -> H:
        """The header in the root of a file. Raises what `file.reading` expects when it is not whole."""

    @classmethod
    @abstractmethod
    def _read_record(cls, path: str, group: Any) -> R:
        """The record in a low-level group. Raises what `file.reading` expects when it is not whole."""

    @classmethod
    def _index_row(cls, record: Any) -> dict[str, Any]:
        row: dict[str, Any] = {name: printable_text(record[name]) for name in cls.index_texts}
        return row | {name: expect(record[name].item(), kind) for name, kind in cls.index_numbers}

    def _check_format(self) -> None:
        if self._attributes.get("format") != self.format:
            raise DamagedError(f"{self.path}: not a result file of {self.format}")
        version = self._attributes["format_version"]
        if version != self.format_version:
            raise StoreError(
                f"{self.path}: format version {version}; this program reads version {self.format_version}"
            )

    def _copy_group(self, path: str, target: Any) -> None:
        with reading(self.path, path):
            get_group(self._file.id, path)
            parent = path.rsplit("/", 1)[0]
            if parent.encode() not in target:
                new_group(target, parent)
            h5py.h5o.copy(self._file.id, path.encode(), target, path.encode())

    @classmethod
    @contextmanager
    def _new(cls, path: Path, visit: Callable[[R], None] = lambda record: None) -> Iterator[h5py.File]:
        def verify(temporary: Path) -> None:
            with cls(temporary) as written:
                written.verify(visit)

        with (
            new_file(path, verify) as temporary,
            h5py.File(temporary, "w", libver=LIBVER, locking=False) as file,
        ):
            yield file

    @classmethod
    def _finish(cls, root: Any, header: H, rows: Mapping[str, Mapping[str, Any]]) -> str:
        digest = content_digest(rows)
        put_attribute(root, "format", cls.format)
        put_attribute(root, "format_version", cls.format_version)
        header.write(root)
        put_attribute(root, "digest", digest)
        put_attribute(root, "created_by", json.dumps(header.created_by, sort_keys=True))
        table = cls._index_table(list(rows.values()))
        put_array(root, "index", table, {"description": "one row per group", "dims": "group"})
        return digest

    @classmethod
    def _index_table(cls, rows: list[Mapping[str, Any]]) -> np.ndarray:
        texts = {name: [row[name].encode("utf-8") for row in rows] for name in cls.index_texts}
        fields: list[tuple[str, Any]] = [
            (name, f"S{max(map(len, column), default=1) or 1}") for name, column in texts.items()
        ]
        fields += [(name, np.int64 if kind is int else np.float64) for name, kind in cls.index_numbers]
        table = np.zeros(len(rows), dtype=fields)
        for name in table.dtype.names or ():
            table[name] = texts[name] if name in texts else [row[name] for row in rows]
        return table


def find_results(
    kind: type[ResultFile[H, R]],
    keys: Iterable[str],
    files: Iterable[Path],
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, R]:
    """Records with these content keys, by key, from the first file that holds them undamaged.

    Files and groups that cannot be used are passed over, after `tell` was given the reason.
    """
    missing = set(keys)
    records: dict[str, R] = {}
    for path in files:
        if not missing:
            break
        try:
            with kind(path) as results:
                for row in results.index():
                    if row["key"] in missing:
                        try:
                            records[row["key"]] = results.read_verified(row["path"])
                            missing.discard(row["key"])
                        except DamagedError as error:  # of one group; the others may be whole
                            tell(f"not reused: {error}")
        except StoreError as error:
            tell(f"not reused: {error}")
    return records


def content_digest(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """SHA-256 (hexadecimal) over the digests of all groups, by path; their order does not count."""
    lines = (f"{path} {row['digest']}\n" for path, row in sorted(rows.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _only_once(path: Path, group: str, rows: Mapping[str, Any]) -> None:
    if group in rows:
        raise StoreError(f"{path}: two results for {group}")
