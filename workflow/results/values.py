"""Reading values out of result files that anybody may have made.

HDF5 files can point to other files, claim arrays of any size, and hold types of any kind. Taken is only what
the project's own writer makes: hard links, arrays stored plainly and whole in the file itself, scalars of
three types, printable text. Everything else is a ValueError, which `hdf5_file.reading` turns into a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

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
