"""What commands write replaces regular files only, whatever its name; pipes stand for devices such as
/dev/null."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.paths import TINY
from tests.workflow.cli.command_line import complaint, table
from workflow import files as atomic
from workflow.files import write_text

EXPORT = ("export", "--format", "table", "--allocation", str(TINY), "--output")


@pytest.fixture(params=["itself", "link"])
def pipe(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    if request.param == "link":
        (tmp_path / "link").symlink_to("pipe")
        return tmp_path / "link"
    return path


def test_a_device_is_not_replaced(pipe: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError, match="only a regular file is read or replaced"):
        write_text(pipe, "text")
    for force in ((), ("--force",)):
        assert "is no regular file; name another one" in complaint(2, *EXPORT, str(pipe), *force)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert sorted(tmp_path.iterdir()) == before


def test_certificate_does_not_replace_what_it_is_about(pipe: Path, tmp_path: Path) -> None:
    results = tmp_path / "curves.h5"
    results.write_text("results")
    asked = ("certify", str(results), "--out")
    assert "is no regular file; name another one" in complaint(2, *asked, str(pipe))
    assert "is the file to be certified" in complaint(2, *asked, str(tmp_path / "." / "curves.h5"))
    assert results.read_text() == "results"


@pytest.mark.parametrize("name", ["x**y", "**", "*", "a[b", "?"])
def test_names_are_no_patterns(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remains of killed writers are looked for by a pattern that holds the name."""
    monkeypatch.setattr(atomic, "_runs", lambda process: False)
    other = tmp_path / f".another.{atomic._host()}-1-00000000.tmp"
    other.touch()
    left = tmp_path / f".{name}.{atomic._host()}-1-00000000.tmp"
    left.touch()
    table(*EXPORT, str(tmp_path / name))
    assert (tmp_path / name).is_file()
    assert other.exists()
    assert not left.exists()


def test_names_are_printed_on_one_line(tmp_path: Path) -> None:
    """Line breaks, escape sequences and characters that turn the text around, as errors show them."""
    printed = table(*EXPORT, str(tmp_path / "a\n\x1b[31mb\u202ec.csv"))
    assert "a\\n\\x1b[31mb\\u202ec.csv: table" in printed
    assert not set(printed) & {"\x1b", "\u202e"}
