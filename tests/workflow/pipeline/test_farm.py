"""The MPI task farm on real ranks: every item once, no rank forgotten, nothing hangs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workflow.pipeline import farm

PROGRAM = Path(__file__).with_name("farm_program.py")
MPIEXEC = str(Path(sys.executable).with_name("mpiexec"))
SECONDS = 60  # after which a run counts as hanging


def start(ranks: int, items: int, mode: str) -> subprocess.CompletedProcess[str]:
    command = [MPIEXEC, "-n", str(ranks), sys.executable, "-m", "mpi4py", str(PROGRAM), str(items), mode]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def answers(ranks: int, items: int, mode: str = "uneven") -> dict[str, Any]:
    done = start(ranks, items, mode)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("ranks", "items"), [(1, 40), (2, 40), (3, 40), (7, 40), (7, 0), (7, 1), (7, 2), (7, 6)]
)
def test_every_item_is_computed_once_on_any_number_of_ranks(ranks: int, items: int) -> None:
    report = answers(ranks, items)
    assert report["answers"] == [[item**2] for item in range(items)]
    assert len(report["items"]) == ranks
    assert sum(report["items"]) == items
    assert all(seconds > 0 for seconds in report["cpu_seconds"]) or items < ranks


def test_large_answers_do_not_block() -> None:
    report = answers(3, 30, "large")
    assert report["answers"] == [[item**2] * 20_000 for item in range(30)]


def test_every_rank_works_rank_0_too() -> None:
    report = answers(3, 30, "slow")
    assert all(items >= 5 for items in report["items"])
    assert report["wall_seconds"] < 0.1 * 30, "one after the other"
    assert sum(report["cpu_seconds"]) < 0.5 * 3 * report["wall_seconds"] + 3, "waiting keeps cores busy"


@pytest.mark.parametrize("ranks", [2, 7])
def test_one_rank_of_a_node_compiles_for_all(tmp_path: Path, ranks: int) -> None:
    assert answers(ranks, 20, str(tmp_path))["answers"] == [[item**2] for item in range(20)]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("mode", "message"),
    [("fail", "this item cannot be computed"), ("fail in collect", "this answer cannot be stored")],
)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_exception_on_any_rank_ends_all_with_its_traceback(ranks: int, mode: str, message: str) -> None:
    done = start(ranks, 40, mode)
    assert done.returncode != 0
    assert f"ValueError: {message}" in done.stderr
    assert "Traceback" in done.stderr


@pytest.mark.parametrize("ranks", [2, 3])
def test_an_error_for_people_ends_all_ranks_with_its_line(ranks: int) -> None:
    done = start(ranks, 40, "refuse")
    assert done.returncode != 0
    assert re.search(rf"^rank \d of {ranks} failed: Refused: out of reach$", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ranks", [2, 3])
def test_rank_that_dies_ends_all(ranks: int) -> None:
    assert start(ranks, 40, "die").returncode != 0


def test_serial_run_needs_no_mpi() -> None:
    collected: dict[int, int] = {}
    ranks = farm.run(
        None, [3, 4, 5], lambda item: 10 * item, lambda i, answer, _: collected.update({i: answer})
    )
    assert collected == {0: 30, 1: 40, 2: 50}
    assert [rank.items for rank in ranks] == [3]


def test_serial_exception_is_raised() -> None:
    def work(item: int) -> int:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        farm.run(None, [1], work, lambda *_: None)


def test_farm_imports_without_mpi4py() -> None:
    program = (
        "import sys; sys.modules['mpi4py'] = None\n"
        "from workflow.pipeline import farm\n"
        "from workflow.pipeline.mpi_world import world\n"
        "assert world(1, {}) is None\n"
        "farm.run(world(None, {}), [1], str, print)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("0 1 ")
