"""Result files of the study: whole or absent, self-describing, with a digest of their content.

Root attributes: format, format_version, study, uldp_version, digest, created_by (JSON, not in the digest),
and the dataset study_yaml, the study file's text. /index has a row per group: path, key, digest, cpu_seconds.
Groups are /surveys/SOURCE/W,V,EPS/MECHANISM and /map/W,V, with scalars as attributes and arrays as datasets.
result.py says what each array is. /labels/TABLE holds the values of a table's columns by symbol.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kernels.uldp import ULDP_VERSION
from workflow.results.file import LIBVER, DamagedError, StoreError, new_file, reading
from workflow.results.group import new_group, put_array, put_attribute
from workflow.results.indexed_file import IndexedFile
from workflow.results.result import content_digest
from workflow.results.survey_result import ARRAYS, StudyResult
from workflow.results.values import (
    expect,
    get_array,
    get_attributes,
    get_bytes,
    get_group,
    printable_text,
)

FORMAT = "exact-census uldp"
FORMAT_VERSION = 2
_TEXTS = ("path", "key", "digest")
_INTERNAL = ("key", "digest", "cpu_seconds")


@dataclass(frozen=True, slots=True)
class StudyHeader:
    """What a result file says about all of its results."""

    study: str
    study_yaml: str
    labels: Mapping[str, Sequence[Sequence[str]]]
    uldp_version: str = ULDP_VERSION
    created_by: dict[str, str] = field(default_factory=dict)  # package -> version


def write_study(path: Path, header: StudyHeader, results: Iterable[tuple[StudyResult, float]]) -> str:
    """Write a result file, of results and their CPU seconds, and verify it before it takes its name.

    Returns the content digest. Raises StoreError when two results have the same path or the file does not
    verify.
    """

    def verify(temporary: Path) -> None:
        with StudyResults(temporary) as written:
            for row in written.index():
                written.read(row["path"])

    with new_file(path, verify) as temporary, h5py.File(temporary, "w", libver=LIBVER, locking=False) as file:
        rows: dict[str, tuple[str, str, str, float]] = {}
        for result, seconds in results:
            if result.path in rows:
                raise StoreError(f"{path}: two results for {result.path}")
            _write_group(file.id, result, seconds)
            rows[result.path] = (result.path, result.key, result.digest, seconds)
        digest = content_digest({path: row[2] for path, row in rows.items()})
        _write_root(file.id, header, digest, list(rows.values()))
        return digest


class StudyResults(IndexedFile):
    """An open result file. An entry of its index has path, key, digest and cpu_seconds."""

    format = FORMAT
    format_version = FORMAT_VERSION

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self.check_index()
        except StoreError:
            self.close()
            raise

    def header(self) -> StudyHeader:
        """What the file says about all of its results."""
        with reading(self.path):
            return StudyHeader(
                study=expect(self._attributes["study"], str),
                study_yaml=get_bytes(self._file.id, "study_yaml").decode("utf-8"),
                labels=json.loads(get_bytes(self._file.id, "labels")),
                uldp_version=expect(self._attributes["uldp_version"], str),
                created_by=json.loads(expect(self._attributes["created_by"], str)),
            )

    def read(self, path: str) -> StudyResult:
        """One result, after its digest and key were compared with the index. StoreError when there is
        none."""
        row = self.row(path)
        with reading(self.path, path):
            group = get_group(self._file.id, path)
            attributes = get_attributes(group)
            arrays = {name.decode(): get_array(group, name.decode()) for name in group}
            scalars = {name: value for name, value in attributes.items() if name not in _INTERNAL}
            result = StudyResult(path, expect(attributes["key"], str), scalars, arrays)
            if (result.key, result.digest) != (row["key"], row["digest"]):
                raise DamagedError(f"{self.path}: {path}: the content does not match its digest")
            return result

    @staticmethod
    def _index_row(record: Any) -> dict[str, Any]:
        row: dict[str, Any] = {name: printable_text(record[name]) for name in _TEXTS}
        return row | {"cpu_seconds": expect(record["cpu_seconds"].item(), float)}


def find_study_results(
    keys: Iterable[str], files: Iterable[Path], tell: Callable[[str], None]
) -> dict[str, tuple[StudyResult, float]]:
    """Results with these keys and their CPU seconds, by key, from the first file that holds them undamaged.

    Files that cannot be used are passed over, after `tell` was given the reason.
    """
    missing = set(keys)
    found: dict[str, tuple[StudyResult, float]] = {}
    for path in files:
        try:
            with StudyResults(path) as results:
                for row in results.index():
                    if row["key"] in missing:
                        found[row["key"]] = results.read(row["path"]), row["cpu_seconds"]
                        missing.discard(row["key"])
        except StoreError as error:
            tell(f"not reused: {error}")
    return found


def _write_group(parent: Any, result: StudyResult, seconds: float) -> None:
    group = new_group(parent, result.path.lstrip("/"))
    for name, value in result.attributes.items():
        put_attribute(group, name, value)
    put_attribute(group, "key", result.key)
    put_attribute(group, "digest", result.digest)
    put_attribute(group, "cpu_seconds", seconds)
    for name, array in result.arrays.items():
        dims, units, description = ARRAYS[name]
        put_array(group, name, array, {"dims": dims, "units": units, "description": description})


def _write_root(root: Any, header: StudyHeader, digest: str, rows: list[tuple[str, str, str, float]]) -> None:
    put_attribute(root, "format", FORMAT)
    put_attribute(root, "format_version", FORMAT_VERSION)
    put_attribute(root, "study", header.study)
    put_attribute(root, "uldp_version", header.uldp_version)
    put_attribute(root, "digest", digest)
    put_attribute(root, "created_by", json.dumps(header.created_by, sort_keys=True))
    put_array(root, "study_yaml", np.array(header.study_yaml.encode("utf-8")))
    described = {"description": "JSON: by table, the values of its columns for every symbol"}
    put_array(root, "labels", np.array(json.dumps(header.labels).encode("utf-8")), described)
    columns = list(zip(*rows, strict=True)) or [()] * 4
    texts = [[text.encode("utf-8") for text in column] for column in columns[:3]]
    kind: list[tuple[str, Any]] = [
        (name, f"S{max(map(len, column), default=1)}") for name, column in zip(_TEXTS, texts, strict=True)
    ]
    table = np.zeros(len(rows), dtype=[*kind, ("cpu_seconds", np.float64)])
    for name, column in zip(_TEXTS, texts, strict=True):
        table[name] = column
    table["cpu_seconds"] = columns[3]
    put_array(root, "index", table, {"description": "one row per group", "dims": "group"})
