"""Imports point down only: scripts, commands, lib, kernels, numerics; what checks the kernels is apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

#: Package: the packages of this project that it may import from, besides itself.
MAY_IMPORT = {
    "kernels/numerics": (),
    "kernels/accounting": ("kernels.intervals", "kernels.numerics"),
    "kernels/uldp": ("kernels.numerics",),
    "kernels/certificate": (),
    "kernels/intervals": ("kernels.numerics",),
    "workflow/input": ("workflow", "kernels"),
    "tests/reference": (),
}


def imported(file: Path) -> Iterator[str]:
    """Full names of this project's modules that a file imports, at its top or inside a function."""
    package = ".".join(file.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            yield from (f"{module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_point_down(folder: str) -> None:
    allowed = (folder.replace("/", "."), *MAY_IMPORT[folder])
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        for name in imported(file):
            if name.split(".")[0] in ("kernels", "workflow", "tests", "benchmarks"):
                assert name.startswith(tuple(f"{one}." for one in allowed)), f"{file}: {name}"
