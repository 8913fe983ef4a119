"""Files: only regular ones are read, and what is written appears whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import secrets
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from workflow.errors import ConfigError
from workflow.words import printable

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device or terminal",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def check_regular(path: str | Path) -> None:
    """Raise OSError unless this is a regular file: a pipe would be waited for, a device may have no end.

    Raises ValueError when no file can have this name.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
        raise OSError(errno.EINVAL, f"it is {kind}; only a regular file is read or replaced", str(path))


def exists(path: Path) -> bool:
    """Whether there is such a file or folder; False also for a name that is too long for any."""
    try:
        return path.exists()
    except OSError:
        return False


def check_free(path: Path, force: bool) -> None:
    """Raise ConfigError when there is such a file already; force: unless it is a regular one."""
    if path.is_dir() or (path.exists() and not (force and path.is_file())):
        hint = "exists already; name another file, or add --force"
        if not path.is_file():
            hint = "is a folder" if path.is_dir() else "is no regular file; name another one"
        raise ConfigError(f"{printable(str(path))}: {hint}")


def read_json(path: Path) -> Any:
    """The content of a JSON file that the workflow wrote, and that may have been damaged since.

    Raises OSError, and ValueError when it is not JSON or nested too deeply.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def whole(value: Any) -> int:
    """A value of such a file that must be a count. Raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r:.80} is not a count")
    return value


@contextmanager
def atomic_path(path: Path, verify: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """A temporary path in the same directory, which takes the final name when the block ends without error.

    This holds also when the writer is killed or two writers race. The data is synced before `verify` looks at
    it, and the directory after the renaming. When the block or `verify` raises, the temporary file is removed
    and what was at `path` stays. Raises OSError when that is no regular file: the renaming would put a file
    in the place of a device such as /dev/null.
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
