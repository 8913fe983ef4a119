"""Builds the wheel; pyproject.toml says all the rest.

In a checkout `kernels` and `workflow` are packages of their own. In the wheel they lie below `exact_census`,
so that nothing of such a general name lands in anyone's site-packages, and every import of them is renamed.
An editable install leaves everything as it is.
"""

import ast
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOME, MOVED = "exact_census", ("kernels", "workflow")


def renamed(source: str, file: Path) -> str:
    """The source with `from kernels...` and `from workflow...` renamed, and nothing else changed."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(name.name.split(".")[0] in MOVED for name in node.names):
            raise SystemExit(
                f"{file}:{node.lineno}: write `from package import module`, which can be renamed"
            )
        if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).split(".")[0] in MOVED:
            line, start = lines[node.lineno - 1], node.col_offset  # of indentation, so bytes are characters
            statement = line[start:].replace(f"from {node.module}", f"from {HOME}.{node.module}", 1)
            lines[node.lineno - 1] = line[:start] + statement
    return "".join(lines)


class BuildPackages(build_py):
    """As setuptools builds packages, then moved and renamed, with the shipped allocations beside them."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        built = Path(self.build_lib)
        shutil.rmtree(built, ignore_errors=True)  # what an earlier build left would be packed, too
        super().run()
        for package in MOVED:
            (built / package).rename(built / HOME / package)
        shutil.copytree("allocations", built / HOME / "allocations")
        for file in built.rglob("*.py"):
            file.write_text(renamed(file.read_text("utf-8"), file), "utf-8")


setup(cmdclass={"build_py": BuildPackages})
