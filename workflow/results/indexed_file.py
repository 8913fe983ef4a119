"""What result files of both kinds have in common: format, attributes of the root, an index of the groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from workflow.results.file import DamagedError, StoreError, open_file, reading
from workflow.results.result import content_digest
from workflow.results.values import expect, get_array, get_attributes


class IndexedFile(ABC):
    """An open result file, to be closed or used in a `with` block.

    Every method raises StoreError when the file turns out to be damaged.
    """

    format: ClassVar[str]
    format_version: ClassVar[int]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open_file(path)
        try:
            with reading(path):
                self._attributes = get_attributes(self._file.id)
                self._check_format()
                rows = map(self._index_row, get_array(self._file.id, "index"))
                self._index = {row["path"]: row for row in rows}
        except StoreError:
            self.close()
            raise

    @staticmethod
    @abstractmethod
    def _index_row(record: Any) -> dict[str, Any]:
        """A row of the index: path, digest and whatever else this format has of a group."""

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

    def check_index(self) -> None:
        """Raise StoreError unless the groups' digests add up to the file's."""
        if content_digest({path: row["digest"] for path, row in self._index.items()}) != self.digest:
            raise DamagedError(f"{self.path}: the index does not match the file's digest")

    def _check_format(self) -> None:
        if self._attributes.get("format") != self.format:
            raise DamagedError(f"{self.path}: not a result file of {self.format}")
        found = self._attributes["format_version"]
        if found != self.format_version:
            raise StoreError(
                f"{self.path}: format version {found}; this program reads version {self.format_version}"
            )
