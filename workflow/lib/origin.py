"""From which file a folder of results was made: two files of the same name must not share one unnoticed.

The first stage of a run records its file, by a path relative to the folder so that both can be moved
together, and the digest of what it says. A file that was edited, moved or renamed is the same one; a second
file beside it, of the same name and with other content, is not.

The record is an output of that stage, and the digest is part of its name. So results of a file that says
something else by now are made again, also where nothing but their folder was kept.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from workflow.lib.atomic import write_text
from workflow.lib.text_tree import ConfigError, printable

_RECORD, _DIGITS = "origin-{}.json", 16  # hexadecimal ones of the digest


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a run is about, the digest of what it says, and the folder of its results."""

    file: str
    digest: str
    folder: str

    @property
    def record_file(self) -> str:
        """Where it is recorded that the folder's results are made from what the file says."""
        return f"{self.folder}/{_RECORD.format(self.digest[:_DIGITS])}"

    def checked_file(self) -> str:
        """The file. Raises ConfigError when the folder holds results of another file that is still there and
        says something else."""
        for path in self._records():
            other = self._other(path)
            if other is not None:
                name = Path(self.folder).name
                raise ConfigError(
                    printable(
                        f"{self.file}: its results would replace those of {other} in {self.folder}, since "
                        f"both files have the name {name}; change `name` in one of them, or delete "
                        "that folder"
                    )
                )
        return self.file

    def _records(self) -> list[Path]:
        return sorted(Path(self.folder).glob(_RECORD.format("*")))

    def _other(self, path: Path) -> str | None:
        """The file that a record names, where it is another one, still there, that said something else."""
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            other, digest = os.path.realpath(Path(self.folder).resolve() / record["file"]), record["digest"]
        except (OSError, ValueError, LookupError, TypeError):  # not known by whom it was made
            return None
        same = digest == self.digest or other == os.path.realpath(self.file) or not os.path.isfile(other)
        return None if same else other

    def record(self) -> None:
        """Write down that the folder's results are made from the file, in place of what was recorded."""
        kept = Path(self.record_file)
        path = os.path.relpath(os.path.realpath(self.file), os.path.realpath(self.folder))
        write_text(kept, json.dumps({"file": path, "digest": self.digest}) + "\n")
        for old in self._records():
            if old.name != kept.name:
                old.unlink(missing_ok=True)
