"""Finding input files: by a name in allocations/, or by a path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workflow.errors import ConfigError
from workflow.files import exists
from workflow.input.model import is_slug
from workflow.input.tree import read_text_tree
from workflow.origin import recorded_file
from workflow.words import listing, printable, shorten, suggestion


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of files in allocations/: its name in messages, and keys of which each file has one at least."""

    name: str
    keys: frozenset[str]


def folders() -> tuple[Path, ...]:
    """The folders in which a file is found by its name: beside the packages, and in the working directory."""
    return Path(__file__).resolve().parents[2] / "allocations", Path("allocations")


def by_name(text: str) -> Path | None:
    """The file of this name in one of the folders, if there is one."""
    if not is_slug(text):
        return None
    return next((path for folder in folders() if (path := folder / f"{text}.yaml").is_file()), None)


def find_file(name_or_path: str | Path, kind: Kind) -> Path:
    """The file of this name, or at this path. Raises ConfigError, which lists the names of that kind."""
    try:
        return find_from(Path(), str(name_or_path), kind)
    except ValueError as error:
        raise ConfigError(f"{shorten(str(name_or_path))}: {error}") from None


def find_from(folder: Path, text: str, kind: Kind) -> Path:
    """The same with paths relative to `folder`. Raises ValueError, to which the caller adds who asked."""
    named = by_name(text)
    if named is not None:
        return named
    if Path(text).suffix or "/" in text or exists(Path(text)):
        return folder / text
    files = (path for known in folders() for path in known.glob("*.yaml"))
    names = sorted({path.stem for path in files if _may_be(kind, path)})
    file = _meant(text, kind, folder)
    hint = f"did you mean the file {shorten(file, limit=400)}? " if file else suggestion(text, names)
    raise ValueError(f"no such {kind.name}; {hint}allowed: the path of a file, or one of {listing(names)}")


def check_name(text: str, path: Path, name: str) -> None:
    """Raise ConfigError when a file that `text` found by name gives itself another name."""
    if path.stem != name and path == by_name(text):
        found = f"{printable(str(path))}: name = {shorten(name)}"
        raise ConfigError(f"{found}: must be {path.stem}, the name by which the file is found")


def _meant(text: str, kind: Kind, folder: Path) -> str | None:
    """The path, from `folder`, of the file of this name there, or of the one from which results/ of this
    name were made."""
    if exists(folder / f"{text}.yaml"):
        return f"{text}.yaml"
    file = recorded_file(Path("results", text))
    if file is None or not _may_be(kind, file):
        return None
    return os.path.relpath(file, os.path.realpath(folder))


def _may_be(kind: Kind, path: Path) -> bool:
    """Whether a file has one of the kind's keys; one that cannot be read may be of any kind."""
    try:
        root = read_text_tree(path).root
    except ConfigError:
        return True
    return isinstance(root, dict) and not kind.keys.isdisjoint(root)
