"""The architecture: rooms import downwards only and never in a circle; functions and classes are short.

A room is a folder of code, or a file that stands beside folders. `python -m tests.test_layers` prints the
figures of the tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.paths import ROOT

#: For every folder that holds folders: its sub-rooms, bottom to top. Each may import from those on its left.
FLOORS = {
    "": "kernels workflow exact_census benchmarks tools",
    "kernels": "intervals numerics accounting uldp certificate",
    "kernels/numerics": "arithmetic nodes absolute relative",
    "kernels/accounting": "bounds tradeoff census design closeness",
    "kernels/uldp": "sampling",
    "workflow": "input allocation results certificate pipeline census study design pages cli scripts",
}

#: Pairs of rooms that must not import from each other at all: the certificate and the checker judge the rest.
STRANGERS = [
    ("kernels/certificate", "kernels"),
    ("kernels/intervals", "kernels/numerics"),
    ("kernels/numerics/absolute", "kernels/numerics/relative"),
    ("kernels/accounting", "kernels/uldp"),
    ("tools", "kernels"),
]

MOST_FUNCTION_LINES, MOST_CLASS_LINES, MOST_INNER_IMPORTS = 60, 200, 10
CODE = ("kernels", "workflow", "exact_census", "benchmarks", "tools")


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of every file of code, by its path from the root."""
    files = sorted(file for top in CODE for file in (ROOT / top).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def named(file: str, node: ast.stmt) -> list[str]:
    """Full names of the modules, or of what is in them, that a statement imports."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if isinstance(node, ast.ImportFrom):
        package = file.split("/")[: -node.level] if node.level else []
        module = ".".join([*package, *filter(None, [node.module])])
        return [module, *(f"{module}.{name.name}" for name in node.names)]
    return []


@cache
def arrows() -> dict[str, set[str]]:
    """The files of code that each file imports, at its top or inside a function."""
    modules = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in trees()}

    def targets(path: str) -> Iterator[str]:
        for node in ast.walk(trees()[path]):
            yield from (modules[name] for name in named(path, node) if name in modules)

    return {
        path: {target for target in targets(path) if target != path and not target.endswith("__init__.py")}
        for path in trees()
    }


def rooms(folder: str) -> dict[str, set[str]]:
    """What stands in a folder, files and folders, and which of its neighbours each imports."""
    prefix = f"{folder}/" if folder else ""

    def room(path: str) -> str:
        return path.removeprefix(prefix).split("/")[0]

    inside: dict[str, set[str]] = {}
    for path, targets in arrows().items():
        if path.startswith(prefix):
            here = inside.setdefault(room(path), set())
            here |= {room(target) for target in targets if target.startswith(prefix)} - {room(path)}
    return inside


def folders() -> list[str]:
    """Every folder of code, the root first."""
    parents = {path.rsplit("/", 1)[0] for path in trees()}
    return ["", *sorted({"/".join(one.split("/")[:depth]) for one in parents for depth in range(1, 6)})]


def circle(graph: dict[str, set[str]]) -> list[str]:
    """What is left when everything that imports nothing left is taken away, again and again."""
    left = dict(graph)
    while ends := [name for name, targets in left.items() if not targets & set(left)]:
        for name in ends:
            del left[name]
    return sorted(left)


def upward(folder: str, floors: list[str]) -> list[str]:
    """Imports of a sub-room from one that stands above it, as 'a -> b'."""
    height = {room: floor for floor, room in enumerate(floors)}
    return [
        f"{room} -> {target}"
        for room, targets in rooms(folder).items()
        for target in targets
        if height.get(target, -1) > height.get(room, len(floors))
    ]


def definitions(kind: type[ast.AST]) -> Iterator[tuple[int, str]]:
    """Lines and place of every definition of a kind."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, kind):
                yield node.end_lineno - node.lineno + 1, f"{path}: {node.name}"  # type: ignore[attr-defined]


def inner_imports() -> list[str]:
    """Places of the imports that stand inside functions."""
    return sorted(
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


@pytest.mark.parametrize("folder", FLOORS)
def test_rooms_import_downwards(folder: str) -> None:
    floors = FLOORS[folder].split()
    assert upward(folder, floors) == []
    assert {room for room in rooms(folder) if "." not in room} == set(floors), "every sub-room has its floor"


def test_every_folder_with_sub_rooms_has_its_floors() -> None:
    assert {folder for folder in folders() if any("." not in room for room in rooms(folder))} == set(FLOORS)


@pytest.mark.parametrize("folder", folders())
def test_nothing_runs_in_a_circle(folder: str) -> None:
    assert circle(rooms(folder)) == []


def test_no_files_import_each_other() -> None:
    assert circle(arrows()) == []


@pytest.mark.parametrize(("room", "other"), STRANGERS)
def test_strangers_share_nothing(room: str, other: str) -> None:
    def stands_in(path: str, folder: str) -> bool:
        return path.startswith(f"{folder}/")

    for path, targets in arrows().items():
        for target in targets:
            for here, there in ((path, target), (target, path)):
                within = stands_in(here, room) and not stands_in(there, room)
                assert not (within and stands_in(there, other)), f"{path} -> {target}"


def test_functions_and_classes_are_short() -> None:
    assert [place for lines, place in definitions(ast.FunctionDef) if lines > MOST_FUNCTION_LINES] == []
    assert [place for lines, place in definitions(ast.ClassDef) if lines > MOST_CLASS_LINES] == []


def test_imports_stand_at_the_top_but_for_a_stated_reason() -> None:
    assert len(inner_imports()) <= MOST_INNER_IMPORTS
    for place in inner_imports():
        file, line = place.rsplit(":", 1)
        around = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 2 : int(line)]
        assert any("# " in text for text in around), place


def main() -> None:
    """Print the figures of the tree."""
    lines = {path: (ROOT / path).read_text(encoding="utf-8").count("\n") for path in trees()}
    between = [
        (path, target)
        for path, targets in arrows().items()
        for target in targets
        if path.rsplit("/", 1)[0] != target.rsplit("/", 1)[0]
    ]
    figures = {
        "files": len(lines),
        "lines": sum(lines.values()),
        "imports between files": sum(map(len, arrows().values())),
        "imports between rooms": len(between),
        "imports that run up": sum(len(upward(folder, floors.split())) for folder, floors in FLOORS.items()),
        "circles": sum(bool(circle(rooms(folder))) for folder in folders()),
        "imports inside functions": len(inner_imports()),
        f"functions over {MOST_FUNCTION_LINES} lines": sum(
            size > MOST_FUNCTION_LINES for size, _ in definitions(ast.FunctionDef)
        ),
        f"classes over {MOST_CLASS_LINES} lines": sum(
            size > MOST_CLASS_LINES for size, _ in definitions(ast.ClassDef)
        ),
    }
    for name, figure in figures.items():
        print(f"{name:28} {figure:6}")


if __name__ == "__main__":
    main()
