"""Whether the ranks of a run are as many as were asked for and started; the wrong launcher is told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workflow.pipeline.mpi_world import LaunchError, check_world


@pytest.mark.parametrize("name", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_copies_that_do_not_see_each_other_are_stopped(name: str) -> None:
    with pytest.raises(LaunchError, match=r"8 copies were started .*srun --mpi=pmi2") as caught:
        check_world(1, None, {name: "8"}, "about")
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_number_of_ranks_is_stopped() -> None:
    with pytest.raises(LaunchError, match="4 ranks were asked for, but MPI sees 2"):
        check_world(2, 4, {}, "about")


def test_right_worlds_pass() -> None:
    check_world(1, 1, {"PMI_SIZE": "1", "SLURM_NTASKS": "8"}, "about")
    check_world(8, 8, {"SLURM_STEP_NUM_TASKS": "8"}, "about")
    check_world(1, None, {}, "about")


def test_world_of_copies_started_by_a_foreign_launcher() -> None:
    """As `srun --mpi=none` does: several processes, each alone."""
    program = "from workflow.pipeline.mpi_world import world\nworld(4)"
    command, launched = (
        [sys.executable, "-c", program],
        {"PATH": "/usr/bin:/bin", "SLURM_STEP_NUM_TASKS": "4"},
    )
    done = subprocess.run(command, env=launched, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "4 copies were started (SLURM_STEP_NUM_TASKS=4)" in done.stderr
