"""Values in result files: groups, arrays and attributes, written and read back.

A result file holds thousands of small datasets, so the low-level calls of h5py are used: they are several
times faster than its usual interface.

Anybody may have made the file that is read. HDF5 files can point to other files, claim arrays of any size,
and hold types of any kind. Only what this project writes is accepted: hard links, arrays stored plainly and
whole in the file itself, scalars of three types, printable text. Everything else raises ValueError, which
`file.reading` turns into one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

LONGEST_ATTRIBUTE = 8192  # bytes; HDF5 allows 64 KiB for all attributes together, so long text is a dataset
COMPACT = 8192  # bytes; arrays up to this size are stored inside the object's header

_PLAIN = (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS)

Kind = TypeVar("Kind")


def get_group(parent: Any, path: str) -> Any:
    """A group below a low-level one. Raises KeyError when it is absent."""
    return h5py.h5g.open(parent, _hard(parent, path))


def get_array(group: Any, name: str) -> NDArray[Any]:
    """A dataset as an array. Raises KeyError when it is absent."""
    dataset = h5py.h5d.open(group, _hard(group, name))
    shape, kind = dataset.shape, dataset.dtype
    stored = dataset.get_create_plist()
    if shape is None or kind.hasobject:
        raise ValueError(f"{name}: not an array of numbers or of text of fixed length")
    if stored.get_layout() not in _PLAIN or stored.get_external_count():
        raise ValueError(f"{name}: not stored plainly in the file itself")
    size = kind.itemsize
    for length in shape:
        size *= length
    if size != dataset.get_storage_size() or size > h5py.h5i.get_file_id(group).get_filesize():
        raise ValueError(f"{name}: its {size} bytes are not in the file")
    array = np.empty(shape, dtype=kind)
    dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, array)
    return array


def get_attributes(target: Any) -> dict[str, Any]:
    """All attributes of a low-level object: printable text, int and float."""
    values: dict[str, Any] = {}
    for i in range(h5py.h5a.get_num_attrs(target)):
        attribute = h5py.h5a.open(target, index=i)
        name, kind = attribute.name.decode(), attribute.dtype
        if attribute.shape != () or kind.kind not in "ifS":
            raise ValueError(f"attribute {name}: neither one number nor text of fixed length")
        content = np.empty((), dtype=kind)
        attribute.read(content)
        value = content.item()
        values[name] = printable_text(value) if isinstance(value, bytes) else value
    return values


def get_text(group: Any, attributes: Mapping[str, Any], name: str) -> str:
    """Text stored by put_text. Raises KeyError when it is absent."""
    return expect(attributes[name], str) if name in attributes else get_bytes(group, name).decode("utf-8")


def get_bytes(group: Any, name: str) -> bytes:
    """A dataset that holds one text. Raises KeyError when it is absent."""
    return expect(get_array(group, name).item(), bytes)


def expect(value: Any, kind: type[Kind]) -> Kind:
    """The value, if it is of this type."""
    if not isinstance(value, kind):
        raise ValueError(f"{type(value).__name__} in place of {kind.__name__}")
    return value


def printable_text(value: Any) -> str:
    """UTF-8 text of a file, if all of it can be printed."""
    text = value.decode("utf-8") if isinstance(value, bytes) else expect(value, str)
    if not text.isprintable():
        raise ValueError("text that cannot be printed")
    return text


def _hard(parent: Any, path: str) -> bytes:
    """The path, if it leads through hard links only."""
    steps = path.encode().strip(b"/").split(b"/")
    for end in range(1, len(steps) + 1):
        step = b"/".join(steps[:end])
        if parent.links.get_info(step).type != h5py.h5l.TYPE_HARD:
            raise ValueError(f"{path}: a link to somewhere else")
    return b"/".join(steps)


_SCALAR = h5py.h5s.create(h5py.h5s.SCALAR)


def _untimed(kind: Any) -> Any:
    """Creation properties without time stamps, so that equal contents do not differ by them."""
    properties = h5py.h5p.create(kind)
    properties.set_obj_track_times(False)
    return properties


_GROUP = _untimed(h5py.h5p.GROUP_CREATE)
_GROUP.set_attr_phase_change(64, 48)  # keep all attributes in the header, which is much faster to read
_DATASET, _SMALL_DATASET = _untimed(h5py.h5p.DATASET_CREATE), _untimed(h5py.h5p.DATASET_CREATE)
for _properties in (_DATASET, _SMALL_DATASET):
    _properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)  # every element is written
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


@cache
def _stored_type(kind: np.dtype) -> Any:
    return h5py.h5t.py_create(kind, logical=True)
