"""What is no regular file is refused at once, by every command that reads a file."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflow.cli.command_line import complaint
from workflow.files import check_regular

READERS = {
    "allocation": ("validate",),
    "cells": ("profile", "--eps", "1", "--cells"),
    "result file": ("info",),
    "budget table": ("import", "--like", "dhc_persons_us"),
    "geounits": ("patterns", "--allocation", "dhc_persons_us", "--geounits"),
}


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return str(path)


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        yield "./socket"


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_is_not_waited_for(reader: str, pipe: str) -> None:
    assert "cannot be read: it is a pipe; only a regular file is read" in complaint(2, *READERS[reader], pipe)


@pytest.mark.parametrize("reader", READERS)
def test_a_device_is_not_read(reader: str) -> None:
    assert "/dev/zero: cannot be read: it is a device" in complaint(2, *READERS[reader], "/dev/zero")


@pytest.mark.parametrize("reader", READERS)
def test_a_directory_is_named_as_such(reader: str, tmp_path: Path) -> None:
    assert "Is a directory" in complaint(2, *READERS[reader], str(tmp_path))


def test_a_socket_is_named_as_such(listening: str) -> None:
    assert "cannot be read: it is a socket" in complaint(2, "validate", listening)


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    check_regular(tmp_path / "link")
    (tmp_path / "gone").symlink_to("nowhere")
    with pytest.raises(FileNotFoundError):
        check_regular(tmp_path / "gone")


@pytest.mark.parametrize("long", ["x" * 5000, "x" * 5000 + ".yaml", "folder/" * 900 + "x"])
@pytest.mark.parametrize("reader", READERS)
def test_a_name_too_long_for_a_file_is_cut(reader: str, long: str) -> None:
    line = complaint(2, *READERS[reader], long)
    assert f"{long[:77]}..." in line
    assert long[:78] not in line


WRITERS = {
    "budget table": (1, "export", "--format", "table", "--allocation", "dhc_persons_us", "--output"),
    "allocation": (
        2,
        "tune",
        "--allocation",
        "dhc_persons_us",
        "--delta",
        "1e-10",
        "--target-eps",
        "26",
        "--output",
    ),
}


@pytest.mark.parametrize("long", ["x" * 5000, "folder/" * 900 + "x"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_name_too_long_for_a_file_to_write_is_cut(writer: str, long: str) -> None:
    code, *arguments = WRITERS[writer]
    line = complaint(code, *arguments, long)
    assert long[:70] in line
    assert len(line) < 500
