"""Files that commands write for users: allocations made from others; nothing is overwritten unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from workflow.allocation.read import parse_allocation
from workflow.allocation.standalone import written_out
from workflow.errors import ConfigError
from workflow.files import write_text
from workflow.input.model import MAX_PROSE, is_slug
from workflow.words import printable, shorten


def check_free(path: Path, force: bool) -> None:
    """Raise ConfigError when there is such a file already, unless it may be overwritten: regular ones may."""
    if path.is_dir() or (path.exists() and not (force and path.is_file())):
        hint = "exists already; name another file, or add --force"
        if not path.is_file():
            hint = "is a folder" if path.is_dir() else "is no regular file; name another one"
        raise ConfigError(f"{printable(str(path))}: {hint}")


def allocation_name(path: Path) -> str:
    """The name of the allocation in this file. Raises ConfigError when the file cannot have that name."""
    if path.suffix not in (".yaml", ".yml") or not is_slug(path.stem):
        name = shorten(str(path), quote="", limit=300)
        raise ConfigError(
            f"{name}: an allocation file is called NAME.yaml, NAME being at most 64 letters, digits, _ and -"
        )
    return path.stem


def write_allocation(path: Path, allocation: Allocation, comments: Sequence[str]) -> None:
    """Write an allocation under the name of its file. The caller has called check_free.

    Raises ConfigError when the text would not be a right allocation file.
    """
    write_text(path, checked_text(replace(allocation, name=allocation_name(path), products=()), comments))


def checked_text(allocation: Allocation, comments: Sequence[str]) -> str:
    """The text of an allocation file. Raises ConfigError when it would not be read as this allocation."""
    text = written_out(allocation, comments)
    if parse_allocation(text, allocation.name) != allocation:
        raise ConfigError(f"{allocation.name}: the written file would not be read as it was meant")
    return text


def prose(text: str) -> str:
    """Text for a title or a source, cut to the length that is allowed."""
    return text if len(text) <= MAX_PROSE else shorten(text, quote="", limit=MAX_PROSE)
