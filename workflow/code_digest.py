"""Digest of the code that a stage runs: its script, and every file of the project that this imports."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Files that a module reads when it runs, by its path.
_READ = {"workflow/pages/template.py": "workflow/templates/*"}


@cache
def code_digest(script: str) -> str:
    """SHA-256 (hexadecimal) of the code that runs with a script, named by its path from the root.

    Imports are followed wherever they stand, inside functions too. Python counts by its syntax tree, so that
    comments do not, other files by their bytes. Modification times never count.
    """
    left, seen = [ROOT / script], set()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += _code(path)[1]
    names = {path.relative_to(ROOT).as_posix(): path for path in seen}
    lines = (f"{name} {_code(path)[0]}\n" for name, path in sorted(names.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def _code(path: Path) -> tuple[str, list[Path]]:
    """Digest of one file, and the files that it imports or reads."""
    content = path.read_bytes()
    if path.suffix != ".py":
        return hashlib.sha256(content).hexdigest(), []
    tree = ast.parse(content)
    others = [file for name in _imported(path, tree) for file in _files(name)]
    if pattern := _READ.get(path.relative_to(ROOT).as_posix()):
        others += ROOT.glob(pattern)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), others


def _imported(path: Path, tree: ast.Module) -> Iterator[str]:
    """Full names of the modules, or of what is in them, that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            module = ".".join([*package, *filter(None, [node.module])])
            yield from (f"{module}.{name.name}" for name in node.names)


def _files(name: str) -> Iterator[Path]:
    """Files of the project that importing a name runs: its module, and the packages around it."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        place = ROOT.joinpath(*parts[:end])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path
