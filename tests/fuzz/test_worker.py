"""Nothing that a case does ends a run of many; a run that was stopped says what came out, and goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fuzz.worker import STOPPED
from tests.paths import ROOT

COMMAND = (sys.executable, "-m", "tests.fuzz.unruly")
SIX = "0:told 1:crash 2:hang 3:told 4:told 5:told"


def run(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "--out", str(out), *options], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_a_run_outlives_crashes_and_hangs_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run(out, "--cases", "3")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:4] == [
        *("0:told 1:crash 2:hang", "faults, crashes, hangs: 2"),
        *("case 1: worker: 3", f"case 2: worker: {-signal.SIGPROF}"),
    ]
    assert "unruly, seed 1, from case 0: 3/3 done" in done.stderr
    with open(out, "a") as stream:
        stream.write('{"seed": 1, "ind')  # killed while it wrote
    kept = out.read_text().splitlines()[:3]
    done = run(out)
    assert done.stdout.splitlines()[:2] == [SIX, "faults, crashes, hangs: 3"]
    assert "from case 3: 3/3 done" in done.stderr
    lines = out.read_text().splitlines()
    assert lines[:3] == kept
    assert [json.loads(line)["index"] for line in lines] == list(range(6))


def test_a_run_of_another_seed_is_not_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run(out, "--cases", "1").returncode == 0
    done = run(out, "--cases", "1", "--seed", "2")
    assert done.returncode == 1
    assert "holds cases of another seed" in done.stderr


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_stop_says_what_came_out(tmp_path: Path, told: signal.Signals) -> None:
    out = tmp_path / "out.jsonl"
    fine = {"seed": 1, "status": "told", "reason": "", "faults": []}
    out.write_text("".join(json.dumps(fine | {"index": index}) + "\n" for index in range(5)))
    command = [*COMMAND, "--out", str(out), "--cases", "9"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        while out.read_text().count("\n") < 6:  # the next case sleeps
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(told)
        stdout, _ = running.communicate(timeout=30)
    assert running.returncode == STOPPED
    assert "5:told" in stdout
    assert "stopped after 6 of 9 cases; started again, it goes on there" in stdout
