"""File systems on which locks fail: no lock is needed, and a demanded one that fails is explained."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflow.results.stored import HEADER, stored
from workflow.results.curves import CurveFile, Identity

PROGRAM = """
import sys
from pathlib import Path
from workflow.results.curves import CurveFile, open_results
from workflow.results.file import StoreError
path = Path(sys.argv[1])
try:
    with open_results(path) as results:
        results.verify()
        CurveFile.write(path.with_name("copy.h5"), results.header(), [results.read("/levels/US")])
except StoreError as error:
    sys.exit(str(error))
"""

# What a file system without locks does: flock fails, here always with the number in FLOCK_ERRNO.
NO_LOCKS = """
#include <errno.h>
#include <stdlib.h>
int flock(int fd, int op) { (void)fd; (void)op; errno = atoi(getenv("FLOCK_ERRNO")); return -1; }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "000.h5"
    CurveFile.write(path, HEADER, [stored(Identity("level", "US"))])
    return path


def copy(file: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(file)]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture(scope="module")
def no_locks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler for the library that refuses locks")
    library = tmp_path_factory.mktemp("no_locks") / "no_locks.so"
    source = library.with_suffix(".c")
    source.write_text(NO_LOCKS)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


@pytest.mark.parametrize("number", [37, 11, 524])
def test_no_lock_is_needed(file: Path, no_locks: Path, number: int) -> None:
    done = copy(file, LD_PRELOAD=str(no_locks), FLOCK_ERRNO=str(number))
    assert done.returncode == 0, done.stderr
    assert (file.parent / "copy.h5").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("number", [37, 11, 524])
def test_demanded_lock_that_fails_is_explained(file: Path, no_locks: Path, number: int) -> None:
    done = copy(file, LD_PRELOAD=str(no_locks), FLOCK_ERRNO=str(number), HDF5_USE_FILE_LOCKING="TRUE")
    assert f"{file}: cannot be read: HDF5 was told to lock files and cannot (errno {number})" in done.stderr
    assert "HDF5_USE_FILE_LOCKING" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_file_locked_by_another_program_is_read(file: Path) -> None:
    with file.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert copy(file).returncode == 0
        done = copy(file, HDF5_USE_FILE_LOCKING="TRUE")
    assert "cannot (errno 11)" in done.stderr
