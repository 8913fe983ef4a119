"""Result files of the study: one group per survey and per row of the regime map.

Groups are /surveys/SOURCE/W,V,EPS/MECHANISM and /map/W,V, with scalars as attributes and arrays as datasets.
The dataset labels holds, as JSON, the values of a table's columns by symbol.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.uldp import ULDP_VERSION
from workflow.results.store import ResultFile
from workflow.results.values import (
    expect,
    get_array,
    get_attributes,
    get_bytes,
    new_group,
    put_array,
    put_attribute,
)

Scalar = str | int | float

#: Array of a result: (dims, units, description).
ARRAYS: dict[str, tuple[str, str, str]] = {
    "distribution": ("symbol", "probability", "P, sensitive symbols first"),
    "mean": ("symbol", "probability", "mean of the unbiased estimates of P"),
    "mean_square": ("symbol", "probability^2", "mean squared deviation of the unbiased estimates from P"),
    "size": ("component", "symbols", "block sizes k of the optimal mixture"),
    "share": ("component", "probability", "t*_k, their shares"),
    "eps": ("eps", "nat", "eps"),
    "m_star": ("eps", "n times squared probability", "M*"),
    "alpha_star": ("eps", "probability", "alpha*, what the sensitive symbols have at the least favourable P"),
    "gap": ("eps", "1", "relative duality gap of M*"),
    "regime": ("eps", "1", "0: k = 1 alone (uRR); 1: a mixture of sizes; 2: one size k >= 2"),
    "shares": ("eps, size", "probability", "t*_k for k = 1, 2, ..."),
}
_FRAME = ("key", "digest", "cpu_seconds")  # attributes of every group that are no scalars of the result


@dataclass(frozen=True)
class StudyResult:
    """The result of one task of the study: scalars and arrays by name."""

    path: str
    key: str
    attributes: Mapping[str, Scalar]
    arrays: Mapping[str, NDArray[Any]]
    cpu_seconds: float = 0.0  # spent on it when it was computed; not part of the content

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the content: exact scalars and every bit of the arrays."""
        digest = hashlib.sha256()
        exact = {
            name: value.hex() if isinstance(value, float) else value
            for name, value in self.attributes.items()
        }
        digest.update(json.dumps([self.path, self.key, exact], sort_keys=True).encode())
        for name, array in sorted(self.arrays.items()):
            kind = "<i8" if np.issubdtype(array.dtype, np.integer) else "<f8"
            digest.update(f"\n{name} {array.shape} {kind}\n".encode())
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        return digest.hexdigest()

    def at(self, path: str) -> StudyResult:
        """The same result under another path, which names its source."""
        if path == self.path:
            return self
        return replace(self, path=path, attributes={**self.attributes, "source": path.split("/")[2]})

    def index_row(self) -> dict[str, Any]:
        """What the index says of it."""
        return {name: getattr(self, name) for name in ("path", *_FRAME)}

    def write(self, parent: Any) -> None:
        """Create its group below a low-level group."""
        group = new_group(parent, self.path.lstrip("/"))
        for name, value in (*self.attributes.items(), *((name, getattr(self, name)) for name in _FRAME)):
            put_attribute(group, name, value)
        for name, array in self.arrays.items():
            dims, units, description = ARRAYS[name]
            put_array(group, name, array, {"dims": dims, "units": units, "description": description})


@dataclass(frozen=True, slots=True)
class StudyHeader:
    """What a result file says about all of its results."""

    study: str
    study_yaml: str
    labels: Mapping[str, Sequence[Sequence[str]]]
    uldp_version: str = ULDP_VERSION
    created_by: dict[str, str] = field(default_factory=dict)  # package -> version

    def write(self, root: Any) -> None:
        """Put it into the root of a file."""
        put_attribute(root, "study", self.study)
        put_attribute(root, "uldp_version", self.uldp_version)
        put_array(root, "study_yaml", np.array(self.study_yaml.encode("utf-8")))
        described = {"description": "JSON: by table, the values of its columns for every symbol"}
        put_array(root, "labels", np.array(json.dumps(self.labels).encode("utf-8")), described)


class SurveyFile(ResultFile[StudyHeader, StudyResult]):
    """An open result file of the study. An entry of its index has path, key, digest and cpu_seconds."""

    format = "exact-census uldp"
    format_version = 2
    index_texts = ("path", "key", "digest")
    index_numbers = (("cpu_seconds", float),)

    @classmethod
    def _read_header(
        cls, root: Any, attributes: Mapping[str, Any], created_by: dict[str, str]
    ) -> StudyHeader:
        return StudyHeader(
            study=expect(attributes["study"], str),
            study_yaml=get_bytes(root, "study_yaml").decode("utf-8"),
            labels=json.loads(get_bytes(root, "labels")),
            uldp_version=expect(attributes["uldp_version"], str),
            created_by=created_by,
        )

    @classmethod
    def _read_record(cls, path: str, group: Any) -> StudyResult:
        attributes = get_attributes(group)
        return StudyResult(
            path=path,
            key=expect(attributes["key"], str),
            attributes={name: value for name, value in attributes.items() if name not in _FRAME},
            arrays={name.decode(): get_array(group, name.decode()) for name in group},
            cpu_seconds=expect(attributes["cpu_seconds"], float),
        )
