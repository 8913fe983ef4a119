"""Settings of a run: defaults, and every mistake in one line."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.paths import TINY
from tests.refused import refused
from workflow.pipeline.settings import configure

BAD_CONFIG = {
    "unknown key": ({"allocaton": "tiny"}, "allocaton"),
    "unknown allocation": ({"allocation": "no_such_allocation"}, "no_such_allocation"),
    "no shards": ({"shards": 0}, "shards"),
    "shards in words": ({"shards": "many"}, "shards"),
    "negative tasks": ({"tasks": -1}, "tasks"),
    "negative memory": ({"mem_mb_per_task": -5}, "mem_mb_per_task"),
    "no time": ({"runtime": 0}, "runtime"),
    "no folder": ({"results": ""}, "results"),
}


@pytest.mark.parametrize("problem", BAD_CONFIG)
def test_bad_setting_is_told_in_one_line(problem: str) -> None:
    config, named = BAD_CONFIG[problem]
    assert named in refused(configure, {"allocation": str(TINY), **config}, 2)


def test_settings_have_defaults_for_this_machine() -> None:
    run = configure({"allocation": str(TINY)}, cores=2)
    assert (run.folder, run.shards, run.tasks) == ("results/tiny", ["000"], 2)


@pytest.mark.parametrize(("mpi", "asked"), [("srun --mpi=pmi2", True), ("mpirun --map-by core", False)])
def test_slurm_starts_ranks_with_short_addresses_unless_a_netmod_is_set(mpi: str, asked: bool) -> None:
    launch = configure({"allocation": str(TINY), "mpi": mpi, "tasks": 3}, cores=2).launch
    assert launch.endswith(f"{mpi} -n 3")
    shell = launch.replace(f"{mpi} -n 3", "printenv MPIR_CVAR_CH4_NETMOD")
    for environment, netmod in (({}, "ofi" if asked else ""), ({"MPIR_CVAR_CH4_NETMOD": "ucx"}, "ucx")):
        variables = {"PATH": os.defpath} | environment
        done = subprocess.run(
            ["bash", "-c", shell], env=variables, stdout=subprocess.PIPE, text=True, check=False
        )
        assert done.stdout.strip() == netmod
