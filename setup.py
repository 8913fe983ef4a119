"""What the wheel holds; pyproject.toml says all the rest.

In a checkout, and in an editable install of it, `kernels` and `workflow` are packages of their own. In the
wheel they and the shipped allocations lie below `exact_census`, so that nothing of such a general name lands
in anyone's site-packages, and every import of them is renamed.
"""

import ast
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

HOME, MOVED = "exact_census", ("kernels", "workflow")
DATA = ("allocations", "allocations.counts")
EDITABLE = "editable_wheel" in sys.argv  # setuptools' command for `pip install -e`


def renamed(source: str, file: str) -> str:
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


class RenamedImports(build_py):
    """Copies modules as setuptools does, with the imports renamed."""

    def build_module(self, module: str, module_file: str, package: str) -> tuple[str, bool]:
        """The copy, and whether it was made."""
        copy, made = super().build_module(module, module_file, package)
        if not EDITABLE:
            Path(copy).write_text(renamed(Path(copy).read_text("utf-8"), module_file), "utf-8")
        return copy, made


own = find_namespace_packages(include=[HOME, f"{HOME}.*"])
moved = [package for top in MOVED for package in find_namespace_packages(include=[top, f"{top}.*"])]
below = {} if EDITABLE else {f"{HOME}.{package}": package.replace(".", "/") for package in (*moved, *DATA)}
workflow = "workflow" if EDITABLE else f"{HOME}.workflow"

setup(
    cmdclass={"build_py": RenamedImports},
    packages=[*own, *(moved if EDITABLE else below)],
    package_dir=below,
    package_data={
        HOME: ["py.typed"],
        workflow: ["rules/*.smk", "templates/*", "profiles/*/*.yaml"],
        f"{HOME}.allocations": ["*.yaml"],
        f"{HOME}.allocations.counts": ["*"],
    },
)
