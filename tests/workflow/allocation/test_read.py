"""Allocation files: found by name or path, and their bytes read."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.accounting.census.mechanism import pairs
from tests.paths import TINY
from tests.refused import refused
from tests.workflow.allocation.made_up_allocation import BASE, write
from workflow.allocation.read import find_allocation, load_allocation
from workflow.input.find import folders
from workflow.origin import Origin


def missing(name: str) -> str:
    """The one line that says that there is no such allocation."""
    line = refused(load_allocation, name)
    assert line.startswith(f"'{name}': no such allocation; ")
    return line


def test_the_tiny_allocation_has_ten_pairs() -> None:
    allocation = load_allocation(TINY)
    assert allocation.patterns == ("00", "01", "10", "11")
    assert len(pairs(allocation)) == 10


SHIPPED = sorted(
    path
    for path in folders()[0].glob("*.yaml")
    if not path.stem.startswith("uldp")  # studies
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_allocation_is_found_by_its_name(path: Path) -> None:
    assert find_allocation(path.stem) == path
    assert load_allocation(path.stem).name == path.stem


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    cases = {
        write(tmp_path, "latin.yaml", b"title: caf\xe9"): "not UTF-8 text (byte 10 of the file)",
        write(
            tmp_path, "huge.yaml", b"#" * (2 << 20)
        ): "the file is too large; at most 1048576 bytes are read",
        write(tmp_path, "empty.yaml", b""): "the file is empty",
        tmp_path / "missing.yaml": "cannot be read: No such file or directory",
        tmp_path: "cannot be read: Is a directory",
    }
    for path, reason in cases.items():
        assert refused(load_allocation, path) == f"{path}: {reason}"
    assert "not a file name" in refused(load_allocation, "a\0b.yaml")


def test_a_byte_order_mark_is_not_part_of_the_first_key(tmp_path: Path) -> None:
    assert load_allocation(write(tmp_path, "bom.yaml", b"\xef\xbb\xbf" + BASE.encode())).name == "made_up"


def test_an_allocation_is_found_in_the_working_directory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "allocations").mkdir()
    write(tmp_path / "allocations", "made_up.yaml", BASE)
    assert load_allocation("made_up").name == "made_up"
    write(tmp_path / "allocations", "renamed.yaml", BASE)
    assert "name = 'made_up': must be renamed" in refused(load_allocation, "renamed")
    assert load_allocation("allocations/renamed.yaml").name == "made_up"
    assert "did you mean 'made_up'? allowed: " in missing("made_op")
    assert "../made_up: cannot be read: No such file" in refused(load_allocation, "../made_up")


def test_a_name_is_answered_with_the_file_that_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of this name in the working directory, or the one from which results were made."""
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path, "made_up.yaml", BASE)
    assert "did you mean the file 'made_up.yaml'?" in missing("made_up")
    for folder in ("own", "results/made_up"):
        Path(folder).mkdir(parents=True)
    own = file.rename("own/made_up.yaml")
    Origin(str(own), "0", "results/made_up").record()
    assert "did you mean the file 'own/made_up.yaml'?" in missing("made_up")
    own.write_text("w: 10\n")  # a study's file, say
    assert "did you mean" not in missing("made_up")
    own.unlink()
    assert "did you mean" not in missing("made_up")


def test_a_missing_name_is_answered_with_allocations_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "allocations"
    folder.mkdir()
    (folder / "unreadable.yaml").write_text("levels: [")
    (folder / "mine.yaml").write_text(TINY.read_text())
    monkeypatch.chdir(tmp_path)
    line = missing("uldp_defalt")
    assert "uldp_default" not in line
    assert "did you mean" not in line
    assert {"dhc_persons_us", "joint_persons_us", "mine", "unreadable"} <= set(line.replace(",", " ").split())
