"""The command line as a whole: its commands and their reference, what it imports, how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.paths import ROOT
from tests.workflow.allocation.small_geography import ALLOCATION, TABLE
from tests.workflow.cli.command_line import TINY, table
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation
from workflow.cli.main import COMMANDS as COMMANDS_OF_MAIN
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


def modules(*arguments: str) -> set[str]:
    """What is loaded when the command line has answered or complained, in a process of its own."""
    program = (
        "import sys\n"
        "from workflow.cli.main import main\n"
        "try:\n"
        f"    main({list(arguments)!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stderr.splitlines()[-1].split())


HEAVY = {"numba", "llvmlite", "matplotlib", "pandas", "mpi4py", "snakemake"}


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["--help"], None),
        (["validate", TINY], "validate"),
        (["convert", "--rho", "1/2", "--delta", "1e-6"], "convert"),
        (["epsilon", "--help"], "epsilon"),
    ],
)
def test_a_command_loads_its_own_module_and_nothing_heavy(arguments: list[str], module: str | None) -> None:
    loaded = modules(*arguments)
    assert loaded & (HEAVY | {"h5py"}) == set()
    every = {f"workflow.cli.{name}" for name, _ in COMMANDS_OF_MAIN.values()}
    assert loaded & every == ({f"workflow.cli.{module}"} if module else set())


def test_what_only_reads_files_does_not_load_the_compiler(tmp_path: Path) -> None:
    write_results(tmp_path, load_allocation(TINY))  # made-up figures, which tradeoff complains about
    curves = ("--curves", str(tmp_path / "curves.h5"), "--pair", "00,10")
    (tmp_path / "g.csv").write_text(TABLE)
    (tmp_path / "a.yaml").write_text(ALLOCATION)
    budget, copy = str(tmp_path / "budget.csv"), str(tmp_path / "curve.csv")
    for arguments in (
        ("info", str(tmp_path / "curves.h5")),
        ("tradeoff", *curves, "--alpha", "1/2"),
        ("export", *curves, "--format", "curve", "--output", copy),
        ("export", "--allocation", TINY, "--format", "table", "--output", budget),
        ("import", budget, "--like", TINY),
        ("patterns", "--geounits", str(tmp_path / "g.csv"), "--allocation", str(tmp_path / "a.yaml")),
    ):
        assert modules(*arguments) & HEAVY == set(), arguments


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
