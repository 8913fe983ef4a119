"""Where results come from: the file a folder of results was made from, and the versions that made them.

Two files of the same name must not share a folder unnoticed. The first stage of a run records its file, by a
path relative to the folder so that both can be moved together, and the digest of what it says. A file that
was edited, moved or renamed is the same one; a second file beside it, of the same name and with other
content, is not. The digest tells that the file was edited where Snakemake's own records of a run are gone and
only the results were kept.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workflow.errors import ConfigError
from workflow.files import read_json, write_text
from workflow.words import printable

_RECORD = "origin.json"
_PACKAGES = ("exact-census", "h5py", "mpi4py", "numba", "numpy", "python-flint", "snakemake")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def recorded_file(folder: str | Path) -> Path | None:
    """The file that a folder of results was made from, if it is known and still there."""
    file, _ = _recorded(folder)
    return Path(file) if file is not None and os.path.isfile(file) else None


def _recorded(results: str | Path) -> tuple[str | None, str | None]:
    """The file that the folder was made from, and its digest; None if there is no readable record."""
    folder = os.path.realpath(results)
    try:
        record = read_json(Path(folder, _RECORD))
        return os.path.realpath(os.path.join(folder, record["file"])), record["digest"]
    except (OSError, ValueError, LookupError, TypeError):
        return None, None


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a run is about, the digest of what it says, and the folder of its results."""

    file: str
    digest: str
    folder: str

    def checked_file(self) -> str:
        """The file. Raises ConfigError when the folder holds results of another file that is still there and
        says something else."""
        other, digest = _recorded(self.folder)
        if other is None or digest == self.digest or other == os.path.realpath(self.file):
            return self.file
        if not os.path.isfile(other):
            return self.file
        name = Path(self.folder).name
        raise ConfigError(
            printable(
                f"{self.file}: its results would replace those of {other} in {self.folder}, since both files "
                f"have the name {name}; change `name` in one of them, or delete that folder"
            )
        )

    def is_recorded(self) -> bool:
        """Whether the folder's results are made from what the file says now."""
        return _recorded(self.folder)[1] == self.digest

    def record(self) -> None:
        """Write down that the folder's results are made from the file."""
        folder = os.path.realpath(self.folder)
        path = os.path.relpath(os.path.realpath(self.file), folder)
        write_text(Path(folder, _RECORD), json.dumps({"file": path, "digest": self.digest}) + "\n")
