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
from workflow.lib.stored_result import Identity, StoredResult, Summary

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
_TEXT = h5py.string_dtype("utf-8")
_STORED_TEXT = h5py.h5t.py_create(_TEXT, logical=True)


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
    """Create a scalar attribute of a low-level object: UTF-8 text, int64 or float64."""
    if isinstance(value, str):
        content, stored = np.array(value, dtype=_TEXT), _STORED_TEXT
    elif isinstance(value, int):
        content, stored = np.array(value, dtype=np.int64), h5py.h5t.NATIVE_INT64
    else:
        content, stored = np.array(value, dtype=np.float64), h5py.h5t.NATIVE_DOUBLE
    h5py.h5a.create(target, name.encode(), stored, _SCALAR).write(content)


def put_text(group: Any, name: str, text: str) -> None:
    """Store text as an attribute, or as a dataset of the same name when it is long."""
    if len(text.encode("utf-8")) <= LONGEST_ATTRIBUTE:
        put_attribute(group, name, text)
    else:
        put_array(group, name, np.array(text.encode("utf-8")))


def get_text(group: Any, attributes: Mapping[str, Any], name: str) -> str:
    """Text stored by put_text. Raises KeyError when it is absent."""
    return attributes[name] if name in attributes else get_array(group, name).item().decode("utf-8")


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


def get_array(group: Any, name: str) -> NDArray[Any]:
    """A dataset as an array. Raises KeyError when it is absent."""
    dataset = h5py.h5d.open(group, name.encode())
    array = np.empty(dataset.shape, dtype=dataset.dtype)
    dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, array)
    return array


def get_attributes(target: Any) -> dict[str, Any]:
    """All attributes of a low-level object: text, int and float."""
    values = {}
    for i in range(h5py.h5a.get_num_attrs(target)):
        attribute = h5py.h5a.open(target, index=i)
        content = np.empty((), dtype=attribute.dtype)
        attribute.read(content)
        value = content.item()
        values[attribute.name.decode()] = value.decode("utf-8") if isinstance(value, bytes) else value
    return values


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


_PLAIN = ("survivors", "survivors_half", "truncation_bound", "sieve_bound", "rounding_bound", "total_bound")


def read_group(group: Any) -> StoredResult:
    """The result in a low-level group. Raises KeyError, ValueError or OSError when it is not a whole one."""
    attributes = get_attributes(group)

    def exact(name: str) -> Fraction:
        return Fraction(get_text(group, attributes, name))

    arrays = {name: get_array(group, path) for path, (name, *_) in ARRAYS.items()}
    for path, (_, prefixes) in TABLES.items():
        table = get_array(group, path)
        for prefix, name in prefixes.items():
            arrays[name] = np.stack([table[prefix + bound] for bound in _ENCLOSURE], axis=1)
    composition = _composition(get_text(group, attributes, "cells"))
    return StoredResult(
        identity=Identity(attributes["kind"], attributes["first"], attributes["second"]),
        key=attributes["key"],
        composition=composition,
        deltas=tuple(Fraction(text.decode()) for text in table["delta"]),
        summary=Summary(
            lattice=exact("lattice"),
            total_rho=exact("total_rho"),
            nodes=int(get_text(group, attributes, "nodes")),
            distinct_rhos=len(composition.cells),
            cells=composition.size,
            **{name: attributes[name] for name in _PLAIN},
        ),
        threshold_first=exact("threshold_first"),
        threshold_step=exact("threshold_step"),
        absolute_bound=attributes["absolute_bound"],
        cpu_seconds=attributes["cpu_seconds"],
        **arrays,
    )


def _composition(text: str) -> Composition:
    cells = (cell.split(":") for cell in text.split(";"))
    return Composition(tuple((Fraction(rho), int(count)) for rho, count in cells))


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
