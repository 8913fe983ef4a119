"""Opening and making result files, and the errors that this can give."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from workflow.errors import PlainError
from workflow.files import atomic_path, check_regular
from workflow.words import printable, unreadable

# Low enough for readers with HDF5 1.8, high enough for groups whose small headers hold many attributes.
LIBVER = ("v108", "latest")


#: What reading a damaged file can raise.
_RAISED = (
    *(OSError, LookupError, ValueError, ArithmeticError, TypeError, RuntimeError, AttributeError),
    *(MemoryError, SystemError),
)


class StoreError(PlainError):
    """One line that names the file and says what is wrong with it."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class DamagedError(StoreError):
    """The file is there and readable, but its content is not that of a whole result file: make it again."""


def open_file(path: Path) -> h5py.File:
    """A file for reading. Raises StoreError when it is missing, empty, cut off or not an HDF5 file."""
    try:
        check_regular(path)
    except FileNotFoundError:
        raise StoreError(f"{path}: no such file") from None
    except OSError as error:
        raise StoreError(unreadable(path, error)) from None
    try:
        if path.stat().st_size == 0:
            raise DamagedError(f"{path}: the file is empty (0 bytes)")
        # Files are complete before they have their name and are never changed, so no lock is needed, and
        # file systems on which locking fails do no harm.
        return h5py.File(path, "r", locking=False)
    except OSError as error:
        raise _unreadable(path, error) from None


@contextmanager
def new_file(path: Path, verify: Callable[[Path], None]) -> Iterator[Path]:
    """A temporary path that takes the final name when the block ends and `verify` is content with the file.

    Raises StoreError when it cannot be written.
    """
    try:
        with atomic_path(path, verify) as temporary:
            yield temporary
    except OSError as error:
        if "unable to lock file" in str(error):
            reason = str(_unreadable(path, error)).replace("cannot be read", "cannot be written")
            raise StoreError(reason) from error
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error


def _unreadable(path: Path, error: OSError) -> StoreError:
    if "unable to lock file" in str(error):
        return StoreError(
            f"{path}: cannot be read: HDF5 was told to lock files and cannot (errno {error.errno}). "
            "No lock is needed here: unset HDF5_USE_FILE_LOCKING or set it to FALSE"
        )
    if error.errno:
        return StoreError(f"{path}: cannot be read: {os.strerror(error.errno)}")
    return DamagedError(f"{path}: cannot be read: not an HDF5 file, or cut off")


@contextmanager
def reading(path: Path, group: str = "") -> Iterator[None]:
    """Turn what h5py and the parsers raise on damaged files into a StoreError."""
    try:
        yield
    except _RAISED as error:
        where = f"{path}: {group}" if group else str(path)
        reason = " ".join(str(error).split())[:200]
        if isinstance(error, OSError) and error.errno:
            raise StoreError(f"{where}: cannot be read: {os.strerror(error.errno)}") from error
        raise DamagedError(f"{where}: damaged: {reason}") from error
