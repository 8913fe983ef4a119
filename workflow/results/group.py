"""The HDF5 group of one result: which datasets and attributes it has, writing it and reading it back.

A result file holds thousands of small datasets, so the low-level calls of h5py are used: they are several
times faster than its usual interface. docs/results-format.md describes the layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from kernels.accounting.composition import Composition
from kernels.accounting.result import PlanFigures
from workflow.input.rational import parse_ratio
from workflow.results.result import Identity, StoredResult
from workflow.results.values import expect, get_array, get_attributes, get_text

LONGEST_ATTRIBUTE = 8192  # bytes; HDF5 allows 64 KiB for all attributes together, so long text is a dataset
COMPACT = 8192  # bytes; arrays up to this size are stored inside the object's header


_COMPONENTS = "unevaluated sum of three doubles, largest first; column 0 is the nearest double, for plots"

# dataset: (array of the result, dims, units, description)
ARRAYS: dict[str, tuple[str, str, str, str]] = {
    "tradeoff/threshold": (
        *("threshold", "threshold", "nat"),
        "tau_j = threshold_first + j * threshold_step, nearest double",
    ),
    "tradeoff/alpha": (
        *("alpha", "threshold, component", "probability"),
        f"P(T > tau_j), false-positive rate; {_COMPONENTS}",
    ),
    "tradeoff/beta": (
        *("beta", "threshold, component", "probability"),
        f"Q(T <= tau_j), false-negative rate; {_COMPONENTS}",
    ),
    "profile/eps": ("eps", "eps", "nat", "eps, an exact double"),
    "profile/delta": (
        *("delta", "eps", "probability"),
        "Q(T > eps) - e^eps P(T > eps); 0 below the smallest double",
    ),
    "profile/log10_delta": ("log10_delta", "eps", "log10 of a probability", "log10 of delta(eps)"),
    "profile/relative_bound": ("relative_bound", "eps", "1", "guaranteed relative error of delta(eps)"),
}

# table: (description, {prefix of three fields: array of the result}); one row per delta
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
_ENCLOSURE = ("value", "lower", "upper")

_SCALAR = h5py.h5s.create(h5py.h5s.SCALAR)


def _untimed(kind: Any) -> Any:
    """Creation properties without time stamps, so that equal contents do not differ by them."""
    properties = h5py.h5p.create(kind)
    properties.set_obj_track_times(False)
    return properties


_GROUP = _untimed(h5py.h5p.GROUP_CREATE)
_GROUP.set_attr_phase_change(64, 48)  # keep all attributes in the header, which is much faster to read
_DATASET = _untimed(h5py.h5p.DATASET_CREATE)
_DATASET.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
_SMALL_DATASET = _untimed(h5py.h5p.DATASET_CREATE)
_DATASET.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
_SMALL_DATASET.set_layout(h5py.h5d.COMPACT)
_PARENTS = h5py.h5p.create(h5py.h5p.LINK_CREATE)
_PARENTS.set_create_intermediate_group(True)


def put_attribute(target: Any, name: str, value: str | int | float) -> None:
    """Create a scalar attribute of a low-level object: UTF-8 text, int64 or float64.

    Text has a fixed length: what HDF5 stores of varying length has no checksum, and the library can loop for
    ever over a damaged one.
    """
    if isinstance(value, str):
        content = np.array(value.encode("utf-8") or b"\0")
        stored = _text_type(content.dtype.itemsize)
    elif isinstance(value, int):
        content, stored = np.array(value, dtype=np.int64), h5py.h5t.NATIVE_INT64
    else:
        content, stored = np.array(value, dtype=np.float64), h5py.h5t.NATIVE_DOUBLE
    h5py.h5a.create(target, name.encode(), stored, _SCALAR).write(content, mtype=stored)


@cache
def _text_type(length: int) -> Any:
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(length)
    kind.set_strpad(h5py.h5t.STR_NULLPAD)
    kind.set_cset(h5py.h5t.CSET_UTF8)
    return kind


def put_text(group: Any, name: str, text: str) -> None:
    """Store text as an attribute, or as a dataset of the same name when it is long."""
    if len(text.encode("utf-8")) <= LONGEST_ATTRIBUTE:
        put_attribute(group, name, text)
    else:
        put_array(group, name, np.array(text.encode("utf-8")))


def put_array(group: Any, name: str, array: NDArray[Any], described: Mapping[str, str] | None = None) -> None:
    """Create a dataset (path relative to a low-level group) with attributes that describe it."""
    array = np.asarray(array, order="C")
    space = h5py.h5s.create_simple(array.shape) if array.shape else _SCALAR
    properties = _SMALL_DATASET if array.nbytes <= COMPACT else _DATASET
    kind = _stored_type(array.dtype)
    dataset = h5py.h5d.create(group, name.encode(), kind, space, properties, lcpl=_PARENTS)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, array)
    for key, value in (described or {}).items():
        put_attribute(dataset, key, value)


def new_group(parent: Any, path: str) -> Any:
    """Create a group, and those above it, below a low-level group."""
    return h5py.h5g.create(parent, path.encode(), lcpl=_PARENTS, gcpl=_GROUP)


def write_group(parent: Any, result: StoredResult) -> None:
    """Create the group of a result below a low-level group."""
    group = new_group(parent, result.identity.path.lstrip("/"))
    summary = result.summary
    for name, text in (
        ("kind", result.identity.kind),
        ("first", result.identity.first),
        ("second", result.identity.second),
        ("key", result.key),
        ("digest", result.digest),
        ("lattice", str(summary.lattice)),
        ("total_rho", str(summary.total_rho)),
        ("nodes", str(summary.nodes)),
        ("threshold_first", str(result.threshold_first)),
        ("threshold_step", str(result.threshold_step)),
        ("cells", ";".join(f"{rho}:{count}" for rho, count in result.composition.cells)),
    ):
        put_text(group, name, text)
    for name in _PLAIN:
        put_attribute(group, name, getattr(summary, name))
    put_attribute(group, "absolute_bound", result.absolute_bound)
    put_attribute(group, "cpu_seconds", result.cpu_seconds)
    for path, (name, dims, units, description) in ARRAYS.items():
        described = {"dims": dims, "units": units, "description": description}
        put_array(group, path, getattr(result, name), described)
    for path, (description, arrays) in TABLES.items():
        table = _table(result, arrays)
        put_array(group, path, table, {"dims": "delta", "description": description})


_COUNTS = ("survivors", "survivors_half")
_BOUNDS = ("truncation_bound", "sieve_bound", "rounding_bound", "total_bound")
_PLAIN: dict[str, Any] = dict.fromkeys(_COUNTS, int) | dict.fromkeys(_BOUNDS, float)


def read_group(group: Any) -> StoredResult:
    """The result in a low-level group. Raises what `hdf5_file.reading` expects when it is not a whole one."""
    attributes = get_attributes(group)

    def exact(name: str) -> Fraction:
        return parse_ratio(get_text(group, attributes, name))

    arrays = {name: get_array(group, path) for path, (name, *_) in ARRAYS.items()}
    for path, (_, prefixes) in TABLES.items():
        table = get_array(group, path)
        for prefix, name in prefixes.items():
            arrays[name] = np.stack([table[prefix + bound] for bound in _ENCLOSURE], axis=1)
    _check_arrays(arrays, len(table))
    composition = _composition(get_text(group, attributes, "cells"))
    kind, first, second, key = (expect(attributes[name], str) for name in ("kind", "first", "second", "key"))
    return StoredResult(
        identity=Identity(kind, first, second),
        key=key,
        composition=composition,
        deltas=tuple(parse_ratio(text.decode()) for text in table["delta"]),
        summary=PlanFigures(
            lattice=exact("lattice"),
            total_rho=exact("total_rho"),
            nodes=int(get_text(group, attributes, "nodes")),
            distinct_rhos=len(composition.cells),
            cells=composition.size,
            **{name: expect(attributes[name], kind) for name, kind in _PLAIN.items()},
        ),
        threshold_first=exact("threshold_first"),
        threshold_step=exact("threshold_step"),
        absolute_bound=expect(attributes["absolute_bound"], float),
        cpu_seconds=expect(attributes["cpu_seconds"], float),
        **arrays,
    )


def _check_arrays(arrays: Mapping[str, NDArray[Any]], deltas: int) -> None:
    sizes = {"threshold": arrays["threshold"].size, "eps": arrays["eps"].size, "component": 3}
    shapes = {name: tuple(sizes[dim] for dim in dims.split(", ")) for name, dims, *_ in ARRAYS.values()} | {
        name: (deltas, 3) for _, prefixes in TABLES.values() for name in prefixes.values()
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.float64:
            raise ValueError(f"{name}: {arrays[name].dtype} {arrays[name].shape} in place of float64 {shape}")


def _composition(text: str) -> Composition:
    cells = (cell.split(":") for cell in text.split(";"))
    return Composition(tuple((parse_ratio(rho), int(count)) for rho, count in cells))


def _table(result: StoredResult, arrays: Mapping[str, str]) -> NDArray[Any]:
    """A record array: delta as text, and three fields for every array of shape [d, 3]."""
    deltas = np.array([str(delta).encode() for delta in result.deltas])
    fields = [prefix + bound for prefix in arrays for bound in _ENCLOSURE]
    table = np.empty(len(deltas), dtype=[("delta", deltas.dtype), *((name, np.float64) for name in fields)])
    table["delta"] = deltas
    for prefix, name in arrays.items():
        for i, bound in enumerate(_ENCLOSURE):
            table[prefix + bound] = getattr(result, name)[:, i]
    return table


@cache
def _stored_type(kind: np.dtype) -> Any:
    return h5py.h5t.py_create(kind, logical=True)
