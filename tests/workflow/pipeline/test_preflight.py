"""What the pre-flight makes of what Slurm's commands say (as recorded), and of a machine without Slurm."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from workflow.pipeline.preflight import Answer, PreflightError, ask, preflight

CONFIG = "Configuration data\nMinJobAge               = {age} sec\nSLURM_VERSION           = 22.05.8\n"
MPI = "MPI plugin types are...\n\tpmix\n\tnone\n\tcray_shasta\n\tpmi2\n"
SRUN = "srun --mpi=pmi2 --kill-on-bad-exit=1"


class Slurm:
    """Recorded answers: to scontrol, to srun --mpi=list, and one after the other to sacct."""

    def __init__(self, age: int = 300, sacct: list[Answer] | None = None, config_code: int = 0) -> None:
        self.config = Answer(
            config_code, CONFIG.format(age=age), "slurm_load_ctl_conf error: Unable to contact"
        )
        self.sacct = sacct or [Answer(0, "", "")]
        self.paused = 0.0
        self.queue = ""

    def ask(self, command: str) -> Answer:
        if command.startswith("scontrol"):
            return self.config
        if command.startswith("srun"):
            return Answer(0, MPI, "MPI plugin types are...")
        if command.startswith("squeue"):
            return Answer(0, self.queue, "")
        return self.sacct.pop(0) if len(self.sacct) > 1 else self.sacct[0]

    def pause(self, seconds: float) -> None:
        self.paused += seconds

    def preflight(self, mpi: str = SRUN, missing: str = "") -> tuple[str, list[str]]:
        return preflight(
            mpi, self.ask, lambda name: None if name == missing else f"/usr/bin/{name}", self.pause
        )


FAILS = Answer(1, "sacct: error: slurm_persist_conn_open: Connection refused", "sacct: error: refused")
OFF = Answer(1, "Slurm accounting storage is disabled", "Slurm accounting storage is disabled")


SLURM_IN_WORDS = [
    ([], "", "sacct", f"Slurm 22.05.8 answers; sacct works: job states come from sacct; ranks by {SRUN}"),
    ([OFF], "", "squeue", "accounting is off: job states come from squeue, which remembers them for 300 s"),
    ([], "sacct", "squeue", "sacct is missing"),
    ([FAILS], "", "squeue", "sacct fails (sacct: error: refused)"),
]


@pytest.mark.parametrize(("sacct", "missing", "used", "told"), SLURM_IN_WORDS)
def test_where_job_states_come_from(sacct: list[Answer], missing: str, used: str, told: str) -> None:
    line, options = Slurm(sacct=sacct).preflight(missing=missing)
    assert options == ["--slurm-status-command", used]
    assert told in line
    assert "\n" not in line


def test_sacct_that_fails_for_a_while_is_waited_for() -> None:
    slurm = Slurm(sacct=[FAILS, FAILS, Answer(0, "", "")])
    assert slurm.preflight()[1] == ["--slurm-status-command", "sacct"]
    assert slurm.paused == 10.0


@pytest.mark.parametrize(
    ("age", "more"), [(300, []), (60, ["--slurm-init-seconds-before-status-checks", "20"])]
)
def test_first_look_comes_before_squeue_forgets(age: int, more: list[str]) -> None:
    assert Slurm(age, [OFF]).preflight()[1][2:] == more


REFUSED = [
    (Slurm(10, [OFF]), SRUN, r"accounting is off, and squeue forgets .* after 10 s"),
    (Slurm(config_code=1), SRUN, r"the scheduler does not answer \(slurm_load_ctl_conf"),
    (Slurm(), "srun --mpi=openmpi", r"does not offer openmpi, but pmi2, pmix, cray_shasta"),
]


@pytest.mark.parametrize(("slurm", "mpi", "told"), REFUSED)
def test_where_a_run_cannot_end_well_it_is_not_started(slurm: Slurm, mpi: str, told: str) -> None:
    with pytest.raises(PreflightError, match=told):
        slurm.preflight(mpi)


def test_other_launchers_are_not_judged() -> None:
    assert Slurm().preflight("mpirun")[0].endswith("; ranks by mpirun")
    assert Slurm().preflight("")[0].endswith("; one rank per shard")


def test_jobs_of_an_earlier_run_are_told() -> None:
    slurm = Slurm()
    slurm.queue = (
        f"12|rule_curves_wildcards_000|{os.getcwd()}\n13|rule_curves|/elsewhere\n14|(null)|{os.getcwd()}\n"
    )
    assert slurm.preflight()[0].endswith("jobs of an earlier run are still there, `scancel 12` saves time")


def test_no_slurm_is_one_line() -> None:
    command = [sys.executable, "-m", "workflow.pipeline.preflight"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/nowhere"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "preflight: sbatch is not in PATH: run this where jobs are submitted from\n"


def test_command_that_is_not_there() -> None:
    assert ask("no-such-command-of-slurm x").code == 127
