"""Result files that somebody else made: nothing outside the file is read, nothing large is believed, no type
is taken on trust."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.refused import refused
from tests.workflow.results.stored import HEADER, stored
from workflow.certificate.make import Request, certify
from workflow.results.curves import CurveFile, Identity, open_results
from workflow.results.file import StoreError
from workflow.results.values import put_array

PAIR = "/pairs/00,01"
EPS = f"{PAIR}/profile/eps"

Change = Callable[[h5py.File, Path], None]


def attribute(name: str, value: object, group: str = PAIR) -> Change:
    """Put a value in place of an attribute, as text of fixed length where it is text."""
    stored_value = np.bytes_(value.encode()) if isinstance(value, str) else value

    def change(file: h5py.File, _: Path) -> None:
        file[group].attrs[name] = stored_value

    return change


def column(name: str, value: bytes) -> Change:
    """Put a value in the first row of the index."""

    def change(file: h5py.File, _: Path) -> None:
        table = file["index"][...]
        table[name][0] = value
        file["index"][...] = table

    return change


def array(path: str, **described: object) -> Change:
    """Put another dataset in place of one."""

    def change(file: h5py.File, other: Path) -> None:
        if described.get("external"):
            described["external"] = [(str(other), 0, 40)]
        del file[path]
        file.create_dataset(path, **described)

    return change


def soft_link(file: h5py.File, _: Path) -> None:
    file.move(PAIR, "/moved")
    file[PAIR] = h5py.SoftLink("/moved")


def external_link(file: h5py.File, other: Path) -> None:
    del file[PAIR]
    file[PAIR] = h5py.ExternalLink(str(other), PAIR)


def external_array(file: h5py.File, other: Path) -> None:
    del file[EPS]
    file[EPS] = h5py.ExternalLink(str(other), EPS)


def group_for_array(file: h5py.File, _: Path) -> None:
    del file["index"]
    file.create_group("index")


def huge_claim(file: h5py.File, _: Path) -> None:
    del file["allocation_yaml"]
    put_array(file.id, "allocation_yaml", np.array(b"x" * 9000))
    file.create_dataset("claim", shape=(), dtype="S2000000000")
    del file["allocation_yaml"]
    file.move("claim", "allocation_yaml")


HOSTILE: dict[str, tuple[Change, str]] = {
    "a group by a soft link": (soft_link, "a link to somewhere else"),
    "a group of another file": (external_link, "a link to somewhere else"),
    "an array of another file": (external_array, "a link to somewhere else"),
    "bytes of another file": (
        array(EPS, shape=(5,), dtype="f8", external=True),
        "not stored plainly in the file itself",
    ),
    "an array of 80 terabytes": (
        array(EPS, shape=(10**13,), dtype="f8", chunks=(1000,)),
        "not stored plainly in the file itself",
    ),
    "a text of two gigabytes": (huge_claim, "bytes are not in the file"),
    "text of any length": (
        array("index", data=["a", "b"], dtype=h5py.string_dtype()),
        "not an array of numbers or of text",
    ),
    "an array of another shape": (array(EPS, data=np.zeros((5, 2))), "in place of float64"),
    "an array of another type": (array(EPS, data=np.zeros(5, dtype="f4")), "float32 (5,) in place of"),
    "a group for an array": (group_for_array, "damaged"),
    "an index of numbers": (array("index", data=np.zeros(5)), "damaged"),
    "an attribute that is an array": (
        attribute("kernel_version", np.zeros((50, 50)), "/"),
        "neither one number nor text",
    ),
    "an empty attribute": (attribute("first", h5py.Empty("f8")), "neither one number nor text"),
    "a number for a name": (attribute("first", 1.0), "float in place of str"),
    "text for a bound": (attribute("absolute_bound", "x"), "str in place of float"),
    "a fraction for a count": (attribute("survivors", 1.5), "float in place of int"),
    "a zero denominator": (attribute("cells", "1/0:3"), "damaged"),
    "a zero denominator in the index": (column("total_rho", b"1/0"), "damaged"),
    "text that is no UTF-8": (column("path", b"/pairs/\xff"), "damaged"),
    "escape sequences": (attribute("allocation", "\x1b[31mred", "/"), "text that cannot be printed"),
    "a path upwards": (column("path", b"/../x"), "does not match"),
    "settings of zero": (
        attribute("settings", '{"deltas": ["1/0"], "thresholds": 1, "eps_points": 1}', "/"),
        "damaged",
    ),
    "settings of nothing": (attribute("settings", "null", "/"), "damaged"),
    "versions that are none": (attribute("created_by", "[]", "/"), "damaged"),
}


def read_all(path: Path) -> None:
    """Header and every group of a result file."""
    with open_results(path) as results:
        results.header()
        results.verify()


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_result_file_is_refused_in_one_line(tmp_path: Path, what: str) -> None:
    path, other = tmp_path / "curves.h5", tmp_path / "other.h5"
    for file in (path, other):
        CurveFile.write(
            file, HEADER, [stored(Identity("pair", "00", "01")), stored(Identity("level", "Block"), 1)]
        )
    change, reason = HOSTILE[what]
    with h5py.File(path, "r+") as opened:
        change(opened, other)
    line = refused(read_all, path, error=StoreError)
    assert line.startswith(str(path))
    assert reason in line


def test_the_name_of_a_file_cannot_break_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a\n\x1b[31m.h5"
    path.write_bytes(b"nothing")
    refused(open_results, path, error=StoreError)


@pytest.mark.parametrize(
    "text", ["levels: x\nbudget: y\nbypass: z\ntotal_rho: 1\n", "[1, 2]", "", "a: &a [*a]\n"]
)
def test_a_hostile_allocation_inside_is_a_fault_of_the_certificate(tmp_path: Path, text: str) -> None:
    path = tmp_path / "curves.h5"
    CurveFile.write(path, replace(HEADER, allocation_yaml=text), [stored(Identity("pair", "00", "01"))])
    certificate = certify(path, Request(1), jobs=1)
    assert not certificate["verdict"]["passed"]
    assert "\n" not in certificate["verdict"]["faults"][0]
