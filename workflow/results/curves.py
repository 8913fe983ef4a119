"""Result files of the census: one group per pair of mechanisms and per level.

The group of a pair is /pairs/FIRST,SECOND, that of a level /levels/LEVEL. A record's exact values are
attributes, its curves datasets, and its values at each delta two tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import KERNEL_VERSION
from kernels.accounting.composition import Composition
from kernels.accounting.result import PairResult, PlanFigures
from kernels.accounting.settings import Settings
from workflow.input.rational import parse_ratio
from workflow.results.store import ResultFile
from workflow.results.values import (
    expect,
    get_array,
    get_attributes,
    get_text,
    new_group,
    put_array,
    put_attribute,
    put_text,
)

_COMPONENTS = "unevaluated sum of three doubles, largest first; column 0 is the nearest double, for plots"

#: Array of a result: (its dataset, dims, units, description).
ARRAYS: dict[str, tuple[str, str, str, str]] = {
    "threshold": (
        *("tradeoff/threshold", "threshold", "nat"),
        "tau_j = threshold_first + j * threshold_step, nearest double",
    ),
    "alpha": (
        *("tradeoff/alpha", "threshold, component", "probability"),
        f"P(T > tau_j), false-positive rate; {_COMPONENTS}",
    ),
    "beta": (
        *("tradeoff/beta", "threshold, component", "probability"),
        f"Q(T <= tau_j), false-negative rate; {_COMPONENTS}",
    ),
    "eps": ("profile/eps", "eps", "nat", "eps, an exact double"),
    "delta": (
        *("profile/delta", "eps", "probability"),
        "Q(T > eps) - e^eps P(T > eps); 0 below the smallest double",
    ),
    "log10_delta": ("profile/log10_delta", "eps", "log10 of a probability", "log10 of delta(eps)"),
    "relative_bound": ("profile/relative_bound", "eps", "1", "guaranteed relative error of delta(eps)"),
}

#: Table with one row per delta: (description, {prefix of three of its fields: array of a result}).
TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "epsilon": (
        "exact eps at each delta (an exact rational, text): value and guaranteed interval, in nat",
        {"": "epsilon"},
    ),
    "reduction": (
        "at each delta: share by which every noise variance can fall; eps_zcdp, the eps of the Census "
        "Bureau (nat); scale, the largest factor on every rho that keeps delta(eps_zcdp) within delta",
        {"": "reduction", "eps_zcdp_": "eps_zcdp", "scale_": "scale"},
    ),
}
RESULT_ARRAYS = (*ARRAYS, *(name for _, columns in TABLES.values() for name in columns.values()))

_ENDS = ("value", "lower", "upper")
_COUNTS = ("survivors", "survivors_half")
_BOUNDS = ("truncation_bound", "sieve_bound", "rounding_bound", "total_bound")
_NUMBERS: dict[str, Any] = dict.fromkeys(_COUNTS, int) | dict.fromkeys(_BOUNDS, float)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a result is for: a pair of mechanisms (two bypass patterns), or one level against itself."""

    kind: str  # "pair" or "level"
    first: str
    second: str = ""

    @property
    def path(self) -> str:
        """Group in a result file."""
        return pair_path(self.first, self.second) if self.kind == "pair" else level_path(self.first)

    @classmethod
    def of(cls, path: str) -> Identity:
        """What the group at a path is for."""
        kind, names = path.strip("/").split("/", 1)
        return cls("pair", *names.split(",")) if kind == "pairs" else cls("level", names)


def pair_path(first: str, second: str) -> str:
    """Group of a pair of mechanisms."""
    return f"/pairs/{first},{second}"


def level_path(level: str) -> str:
    """Group of a level evaluated alone."""
    return f"/levels/{level}"


@dataclass(frozen=True, kw_only=True)
class StoredResult(PairResult):
    """The result of one pair or level, as it is stored."""

    identity: Identity
    key: str
    composition: Composition
    deltas: tuple[Fraction, ...]
    cpu_seconds: float  # spent on it when it was computed; not part of the content

    @property
    def path(self) -> str:
        """Group in a result file."""
        return self.identity.path

    @property
    def total_rho(self) -> Fraction:
        """R, the sum of rho over all cells; the composition is (R/2)-zCDP."""
        return self.summary.total_rho

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the content: exact values and every bit of the arrays, not the cost."""
        digest = hashlib.sha256()
        digest.update(json.dumps(list(self._exact_values())).encode())
        for name in RESULT_ARRAYS:
            array = np.ascontiguousarray(getattr(self, name), dtype="<f8")
            digest.update(f"\n{name} {array.shape}\n".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _exact_values(self) -> Iterator[tuple[str, Any]]:
        yield "path", self.path
        yield "key", self.key
        yield "cells", [(str(rho), count) for rho, count in self.composition.cells]
        yield "deltas", [str(delta) for delta in self.deltas]
        for owner, names in (
            (self.summary, [figure.name for figure in fields(PlanFigures)]),
            (self, ["threshold_first", "threshold_step", "absolute_bound"]),
        ):
            for name in names:
                value = getattr(owner, name)
                yield name, value.hex() if isinstance(value, float) else str(value)

    def at(self, path: str) -> StoredResult:
        """The same result for another pair or level with the same content key."""
        return self if path == self.path else replace(self, identity=Identity.of(path))

    def index_row(self) -> dict[str, Any]:
        """What the index says of it."""
        return {
            **{name: getattr(self.identity, name) for name in ("path", "kind", "first", "second")},
            **{name: getattr(self, name) for name in ("key", "digest", "cpu_seconds")},
            **{name: str(getattr(self.summary, name)) for name in ("total_rho", "lattice", "nodes")},
            **{name: getattr(self.summary, name) for name in ("survivors", "total_bound")},
        }

    def write(self, parent: Any) -> None:
        """Create its group below a low-level group."""
        group = new_group(parent, self.path.lstrip("/"))
        for name in ("kind", "first", "second"):
            put_text(group, name, getattr(self.identity, name))
        put_text(group, "key", self.key)
        put_text(group, "digest", self.digest)
        for name in ("lattice", "total_rho", "nodes"):
            put_text(group, name, str(getattr(self.summary, name)))
        for name in ("threshold_first", "threshold_step"):
            put_text(group, name, str(getattr(self, name)))
        put_text(group, "cells", ";".join(f"{rho}:{count}" for rho, count in self.composition.cells))
        for name in _NUMBERS:
            put_attribute(group, name, getattr(self.summary, name))
        for name in ("absolute_bound", "cpu_seconds"):
            put_attribute(group, name, getattr(self, name))
        for name, (dataset, dims, units, description) in ARRAYS.items():
            described = {"dims": dims, "units": units, "description": description}
            put_array(group, dataset, getattr(self, name), described)
        for dataset, (description, columns) in TABLES.items():
            table = self._table(columns)
            put_array(group, dataset, table, {"dims": "delta", "description": description})

    def _table(self, columns: Mapping[str, str]) -> NDArray[Any]:
        """A record array: delta as text, and three fields for every array of shape [d, 3]."""
        deltas = np.array([str(delta).encode() for delta in self.deltas])
        names = [(prefix + end, np.float64) for prefix in columns for end in _ENDS]
        table = np.empty(len(deltas), dtype=[("delta", deltas.dtype), *names])
        table["delta"] = deltas
        for prefix, name in columns.items():
            for column, end in enumerate(_ENDS):
                table[prefix + end] = getattr(self, name)[:, column]
        return table


@dataclass(frozen=True, slots=True)
class Header:
    """What a result file says about all of its results."""

    allocation: str
    neighbours: str
    allocation_yaml: str  # the exact text of the allocation file
    settings: Settings
    kernel_version: str = KERNEL_VERSION
    created_by: dict[str, str] = field(default_factory=dict)  # package -> version

    def write(self, root: Any) -> None:
        """Put it into the root of a file."""
        for name in ("allocation", "neighbours", "kernel_version"):
            put_attribute(root, name, getattr(self, name))
        put_array(root, "allocation_yaml", np.array(self.allocation_yaml.encode("utf-8")))
        put_text(root, "settings", json.dumps(self.settings.as_json()))


class CurveFile(ResultFile[Header, StoredResult]):
    """An open result file of the census. An entry of its index has path, kind, first, second, key, digest,
    total_rho and lattice (Fractions), nodes, survivors (of both signs), total_bound, cpu_seconds."""

    format = "exact-census"
    format_version = 2
    index_texts = ("path", "kind", "first", "second", "key", "digest", "total_rho", "lattice", "nodes")
    index_numbers = (("survivors", int), ("total_bound", float), ("cpu_seconds", float))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The pairs of bypass patterns, in the order of writing."""
        return ((row["first"], row["second"]) for row in self._index.values() if row["kind"] == "pair")

    def levels(self) -> Iterator[str]:
        """The levels that were evaluated alone, in the order of writing."""
        return (row["first"] for row in self._index.values() if row["kind"] == "level")

    @classmethod
    def _read_header(cls, root: Any, attributes: Mapping[str, Any], created_by: dict[str, str]) -> Header:
        return Header(
            allocation=expect(attributes["allocation"], str),
            neighbours=expect(attributes["neighbours"], str),
            allocation_yaml=get_text(root, attributes, "allocation_yaml"),
            settings=read_settings(json.loads(get_text(root, attributes, "settings"))),
            kernel_version=expect(attributes["kernel_version"], str),
            created_by=created_by,
        )

    @classmethod
    def _index_row(cls, record: Any) -> dict[str, Any]:
        row = super()._index_row(record)
        exact = {name: parse_ratio(row[name]) for name in ("total_rho", "lattice")}
        return row | exact | {"nodes": int(row["nodes"])}

    @classmethod
    def _read_record(cls, path: str, group: Any) -> StoredResult:
        attributes = get_attributes(group)

        def exact(name: str) -> Fraction:
            return parse_ratio(get_text(group, attributes, name))

        arrays = {name: get_array(group, dataset) for name, (dataset, *_) in ARRAYS.items()}
        for dataset, (_, columns) in TABLES.items():
            table = get_array(group, dataset)
            for prefix, name in columns.items():
                arrays[name] = np.stack([table[prefix + end] for end in _ENDS], axis=1)
        _check_shapes(arrays, len(table))
        cells = [cell.split(":") for cell in get_text(group, attributes, "cells").split(";")]
        composition = Composition(tuple((parse_ratio(rho), int(count)) for rho, count in cells))
        return StoredResult(
            identity=Identity(*(expect(attributes[name], str) for name in ("kind", "first", "second"))),
            key=expect(attributes["key"], str),
            composition=composition,
            deltas=tuple(parse_ratio(text.decode()) for text in table["delta"]),
            summary=PlanFigures(
                lattice=exact("lattice"),
                total_rho=exact("total_rho"),
                nodes=int(get_text(group, attributes, "nodes")),
                distinct_rhos=len(composition.cells),
                cells=composition.size,
                **{name: expect(attributes[name], kind) for name, kind in _NUMBERS.items()},
            ),
            threshold_first=exact("threshold_first"),
            threshold_step=exact("threshold_step"),
            absolute_bound=expect(attributes["absolute_bound"], float),
            cpu_seconds=expect(attributes["cpu_seconds"], float),
            **arrays,
        )


def open_results(path: str | Path) -> CurveFile:
    """Open a result file of the census, to be closed or used in a `with` block. Raises StoreError."""
    return CurveFile(path)


def read_settings(values: Mapping[str, Any]) -> Settings:
    """The settings that Settings.as_json gave. Raises what `file.reading` expects when they are not whole."""
    return Settings(
        tuple(parse_ratio(expect(text, str)) for text in values["deltas"]),
        expect(values["thresholds"], int),
        expect(values["eps_points"], int),
    )


def _check_shapes(arrays: Mapping[str, NDArray[Any]], deltas: int) -> None:
    sizes = {"threshold": arrays["threshold"].size, "eps": arrays["eps"].size, "component": 3}
    for name in RESULT_ARRAYS:
        dims = ARRAYS[name][1].split(", ") if name in ARRAYS else []
        shape = tuple(sizes[dim] for dim in dims) or (deltas, 3)
        if arrays[name].shape != shape or arrays[name].dtype != np.float64:
            raise ValueError(f"{name}: {arrays[name].dtype} {arrays[name].shape} in place of float64 {shape}")
