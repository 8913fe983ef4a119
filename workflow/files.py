"""Files that appear whole or not at all, also when the writer is killed or two writers race."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from workflow.input.input_file import check_regular


@contextmanager
def atomic_path(path: Path, verify: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """A temporary path in the same directory, which takes the final name when the block ends without error.

    The data is synced before `verify` looks at it, and the directory after the renaming. When the block or
    `verify` raises, the temporary file is removed and what was at `path` stays. Raises OSError when that is
    no regular file: the renaming would put a file in the place of a device such as /dev/null.
    """
    if path.exists():
        check_regular(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    temporary = path.with_name(f".{path.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        _sync(temporary)
        if verify is not None:
            verify(temporary)
        os.replace(temporary, path)
        _sync_directory(path.parent)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_directory(folder: Path) -> None:
    with suppress(OSError):  # some file systems cannot sync a directory; the renaming is atomic all the same
        _sync(folder)


def _host() -> str:
    return socket.gethostname().replace("-", "_") or "host"


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of `path` left by writers of this host that no longer run."""
    for left in path.parent.glob(f".{escape(path.name)}.{escape(_host())}-*-*.tmp"):
        process = left.name.rsplit("-", 2)[1]
        if process.isdigit() and not _runs(int(process)):
            with suppress(OSError):
                left.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
