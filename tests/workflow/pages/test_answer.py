"""The last lines of `make report` and of an installation."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.paths import ROOT, TINY
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation
from workflow.pages.answer import answer
from workflow.results.tables import ReportError


def test_the_answer_is_that_of_the_tables_rounded_to_the_safe_side(tmp_path: Path) -> None:
    write_results(tmp_path / "tiny", load_allocation(TINY))
    first, second = answer(tmp_path / "tiny").splitlines()
    assert first == (
        "tiny, delta 1e-10: exact eps 11.2001 in the worst of 10 pairs, [M03, M03]; 13.3499 by the "
        "Census Bureau's zCDP conversion, for which the noise variance could be 28.19 % smaller"
    )
    assert second == f"report: {tmp_path}/tiny/report.html"


@pytest.mark.parametrize("delta", ["1e-8", "1e-400", "0.05", "1/3"])
def test_delta_stands_as_it_was_written(tmp_path: Path, delta: str) -> None:
    write_results(tmp_path / "tiny", replace(load_allocation(TINY), deltas=(Fraction(delta),)))
    assert f"tiny, delta {delta}: " in answer(tmp_path / "tiny")


def test_results_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"summary\.csv"):
        answer(tmp_path)


def pip_said(text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "pip_progress.py"), str(ROOT / "requirements.lock")]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_an_installation_says_how_far_it_is() -> None:
    done = pip_said("Collecting a==1 (from -r x)\n  Downloading a.whl\nInstalling collected packages: a\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "make: unpacking 1 packages\n", "")
    assert pip_said("Requirement already satisfied: a\n").stdout == ""


def test_a_failed_installation_fails() -> None:
    done = pip_said("Collecting a==1\nERROR: no matching distribution\npip: failed\n")
    assert (done.returncode, done.stderr) == (1, "ERROR: no matching distribution\n")
