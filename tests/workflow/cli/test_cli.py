"""The command line as a whole: its commands and their reference, what it imports, how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.paths import ROOT
from tests.workflow.cli.command_line import TINY, table
from workflow.cli.main import main

COMMANDS = ("attack", "certify", "compare", "convert", "epsilon", "export", "import", "info", "patterns")
COMMANDS += ("plan", "profile", "reduction", "tradeoff", "tune", "uldp", "validate")


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def test_help_names_every_command() -> None:
    assert tuple(main.list_commands(click.Context(main))) == COMMANDS
    printed = table("--help")
    assert all(f"  {command} " in printed for command in COMMANDS)
    for command in COMMANDS:
        assert "--json" in table(command, "--help")


def test_the_reference_documents_every_command_and_option() -> None:
    reference = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"## {name}\n" in reference
        for parameter in command(name).params:
            assert all(text in reference for text in parameter.opts if text.startswith("-"))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["validate", TINY], ["convert", "--rho", "1/2", "--delta", "1e-6"]]
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from workflow.cli.main import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code\n"
        "heavy = {'numba', 'llvmlite', 'matplotlib', 'pandas', 'h5py', 'mpi4py', 'snakemake'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stderr == "[]\n"


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workflow.cli.main"]
    arguments = ["convert", "--rho", "1/2", "--delta", "1e-6", "--json"]
    done = subprocess.run(command + arguments, capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(done.stdout)["rho"] == "0.5"
    assert done.stderr == ""
    failed = subprocess.run([*command, "validate", str(tmp_path)], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_a_full_disk_is_one_line() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    command = [sys.executable, "-m", "workflow.cli.main", "convert", "--rho", "1/2", "--delta", "1e-6"]
    with full.open("w") as sink:
        failed = subprocess.run(command, stdout=sink, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
