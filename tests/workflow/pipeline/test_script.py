"""How the scripts of the rules end: an error that can be expected is one line, whoever raises it."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from kernels.accounting.composition import Composition
from kernels.accounting.design.rescale import Unmet
from kernels.accounting.settings import Settings
from kernels.errors import Refused
from kernels.uldp.saddle import Unsolved
from tests.paths import ROOT
from workflow.census.compute import compute
from workflow.census.plan import CurveTask
from workflow.errors import ConfigError
from workflow.pipeline.merge import IncompleteError
from workflow.pipeline.mpi_world import LaunchError
from workflow.pipeline.plan import PlanError
from workflow.results.curves import Identity
from workflow.results.file import StoreError
from workflow.results.tables import ReportError
from workflow.script import run

LOUD = Composition.from_counts({Fraction(10_000): 1})  # far more rho in a cell than the kernels take
LOUD_FILE = """\
name: loud
title: Hardly any noise
source: this test
neighbours: bounded
total_rho: 10001
levels: [Region, Block]
queries: [total]
budget:
  Region: {rho: {total: 10000}}
  Block: {rho: {total: 1}}
bypass: {levels: [Region], patterns: complete}
"""
EXPECTED: dict[str, tuple[Exception, int, str]] = {
    "input": (ConfigError("a.yaml:1: wrong"), 2, "script: a.yaml:1: wrong"),
    "ranks": (LaunchError("too few"), 2, "script: too few"),
    "file": (StoreError("x.h5: cut"), 2, "script: x.h5: cut"),
    "plan": (PlanError("x: old"), 2, "script: x: old"),
    "report": (ReportError("x: none"), 2, "script: x: none"),
    "shards": (IncompleteError(["x: gone", "again"]), 3, "script: x: gone\nagain"),
    "unmet": (Unmet("too coarse"), 1, "script: too coarse"),
    "unsolved": (Unsolved("a gap"), 1, "script: a gap"),
    "memory": (MemoryError(), 1, "script: this needs more memory than there is"),
    "disk": (OSError(errno.ENOSPC, "No space left", "x"), 1, "script: x: No space left"),
}


def raising(error: Exception) -> Callable[[], None]:
    def main() -> None:
        raise error

    return main


@pytest.mark.parametrize("kind", EXPECTED)
def test_an_expected_error_is_one_line(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    error, code, line = EXPECTED[kind]
    with pytest.raises(SystemExit) as caught:
        run(raising(error), "script")
    assert caught.value.code == code
    assert capsys.readouterr().err == line + "\n"


@pytest.mark.parametrize("error", [ValueError("a mistake of ours"), KeyError("x"), ZeroDivisionError()])
def test_an_error_of_the_program_keeps_its_traceback(error: Exception) -> None:
    with pytest.raises(type(error)):
        run(raising(error), "script")


def test_a_computation_that_the_kernels_refuse_names_itself() -> None:
    with pytest.raises(Refused, match=r"^/pairs/0,1: out of reach: a cell's rho is above 4000"):
        compute(CurveTask(Identity("pair", "0", "1"), LOUD, Settings(), "key", 1.0))


def test_a_refused_allocation_ends_the_stage_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "loud.yaml").write_text(LOUD_FILE)
    script = ROOT / "workflow" / "scripts" / "mechanisms.py"
    options = ("--allocation", "loud.yaml", "--shards", "1", "--out", "mechanisms.json")
    done = subprocess.run(
        [sys.executable, str(script), *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("mechanisms: /levels/Region: out of reach")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "mechanisms.json").exists()


def test_every_script_of_a_rule_ends_so() -> None:
    for path in (ROOT / "workflow" / "scripts").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "    run(" in text or path.name == "tune.py", path.name
