"""Finished results of a shard that still runs, in small result files, so that a killed run loses little."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from workflow.results.store import Record, ResultFile

R = TypeVar("R", bound=Record)


class Journal(Generic[R]):
    """Writes new results as one more file in `folder` every `interval` seconds of wall time, which is what a
    kill can cost at most, besides the tasks being computed."""

    def __init__(self, kind: type[ResultFile[Any, R]], folder: Path, header: Any, interval: float) -> None:
        self.folder = folder
        self.interval = interval
        self._kind = kind
        self._header = header
        self._run = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._waiting: list[R] = []
        self._written = 0
        self._last = time.monotonic()

    def files(self) -> list[Path]:
        """The files that earlier runs and this one have left."""
        return sorted(self.folder.glob("*.h5"))

    def add(self, result: R) -> None:
        """Keep a result; write all that wait when it is time to."""
        self._waiting.append(result)
        if time.monotonic() - self._last >= self.interval:
            self.flush()

    def flush(self) -> None:
        """Write the results that wait, if any. Raises StoreError when that fails; they go on waiting."""
        self._last = time.monotonic()
        if self._waiting:
            path = self.folder / f"{self._run}-{self._written:04d}.h5"
            self._kind.write(path, self._header, self._waiting)
            self._written += 1
            self._waiting = []

    def remove(self) -> None:
        """Delete all files, after the shard's own file was written. Another run may do the same meanwhile."""
        for path in self.folder.glob("*"):
            with suppress(OSError):
                path.unlink()
        with suppress(OSError):
            self.folder.rmdir()
