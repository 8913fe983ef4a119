"""What the whole tree keeps to: no code from input, pinned dependencies, files only where they belong."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from workflow.allocation.read import load_allocation
from workflow.errors import ConfigError
from workflow.input.model import is_slug

SOURCES = sorted(
    path
    for folder in ("kernels", "workflow", "exact_census", "tools")
    for path in (ROOT / folder).rglob("*.py")
)
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "yaml", "importlib"}
#: What may do one of these, and why.
EXCEPTIONS = {
    ("workflow/cli/main.py", "importlib"): "the modules of the fixed table of commands",
    ("exact_census/__init__.py", "importlib"): "the modules of the fixed table of names",
    ("tools/notebook.py", "importlib.util"): "whether a library is installed",
    ("tools/notebook.py", "exec"): "the examples of docs/python.md in this repository",
    ("tools/notebook.py", "compile"): "the same",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_code_comes_from_input(path: Path) -> None:
    """Nothing runs text as code, loads objects from bytes, or hands text to a shell."""
    file = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            assert name not in RUNS_TEXT or (file, name) in EXCEPTIONS, f"line {node.lineno}: {name}"
            assert not (
                isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in ("os.system", "os.popen")
            )
            assert not any(word.arg in ("shell", "allow_pickle") for word in node.keywords), (
                f"line {node.lineno}"
            )
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            for name in names:
                allowed = name == "importlib.metadata" or (file, name) in EXCEPTIONS
                assert allowed or name.split(".")[0] not in UNSAFE_MODULES, name


def test_paths_reach_a_shell_quoted_only() -> None:
    """In the rules, whatever may hold a path is quoted by Snakemake."""
    rules = sorted((ROOT / "workflow" / "rules").glob("*.smk"))
    assert rules
    for path in rules:
        for found in re.finditer(
            r"\{((?:input|output|log|RUN\.(?:python|scripts|folder))[^}]*)\}", path.read_text()
        ):
            line = path.read_text()[: found.start()].rsplit("\n", 1)[-1]
            in_shell = line.lstrip().startswith('"') and 'f"' not in line
            assert not in_shell or found[1].endswith(":q"), f"{path.name}: {found[0]}"


def test_every_dependency_is_pinned_with_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[A-Za-z0-9])", text) if not entry.startswith("#")]
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^ ]+ ", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]
    assert "--require-hashes" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "../up",
        "/tmp/x",
        "a/b",
        "..",
        ".",
        "",
        ".hidden",
        "-rf",
        "a b",
        "a\0b",
        "a\n",
        "x" * 65,
        "ä",
        "a\u202eb",
        "~",
        "$(id)",
    ],
)
def test_a_name_that_is_no_plain_name_makes_no_folder(tmp_path: Path, name: str) -> None:
    assert not is_slug(name)
    text = (ROOT / "tests" / "data" / "tiny.yaml").read_text(encoding="utf-8")
    file = tmp_path / "a.yaml"
    quoted = "".join(f"\\U{ord(letter):08x}" for letter in name)
    file.write_text(text.replace("name: tiny", f'name: "{quoted}"'), encoding="utf-8")
    with pytest.raises(ConfigError, match="must be a plain name"):
        load_allocation(file)
