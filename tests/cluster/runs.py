"""What the tests on the two-node Slurm share: the cluster's command, the workflow on it and without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT
from workflow.results.curves import open_results
from workflow.results.surveys import SurveyFile

CLUSTER = ROOT / "slurm" / "test-cluster" / "cluster"
PROFILE = ROOT / "slurm" / "test-cluster" / "profile"
DHC = ROOT / "allocations" / "dhc_persons_us.yaml"
STUDY = ROOT / "tests" / "workflow" / "study" / "tiny_study.yaml"

# What takes longer hangs. It is long because Slurm waits two minutes before it starts a job of a lost node
# again, and Snakemake looks at a job after 1, 12, 33, 64, 105, ... seconds: a slow machine is slower still.
PATIENCE = 1200  # seconds


def cluster(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the cluster's command; its outcome is the caller's to judge. There is no pipe for its output, since
    daemons would keep it open."""
    with open(os.devnull) as nothing:
        return subprocess.run(
            [str(CLUSTER), *arguments],
            stdin=nothing,
            text=True,
            check=False,
            timeout=PATIENCE,
            stdout=subprocess.DEVNULL,
        )


def write_slice(folder: Path, patterns: tuple[str, ...] = ("000000", "000001", "010000", "110100")) -> Path:
    """The DHC allocation with a few of its bypass patterns."""
    text = re.sub(r"patterns: default", f"patterns: [{', '.join(patterns)}]", DHC.read_text())
    text = re.sub(r"^name: .*$", "name: dhc_slice", text, flags=re.MULTILINE)
    path = folder / "dhc_slice.yaml"
    path.write_text(text)
    return path


def local_command(folder: Path, allocation: Path, **config: object) -> list[str]:
    """The workflow on this machine's cores."""
    profile = ROOT / "workflow" / "profiles" / "default"
    return _command(folder, allocation, ["--workflow-profile", str(profile), "--cores", "2"], config)


def cluster_command(folder: Path, allocation: Path, **config: object) -> list[str]:
    """The workflow through the two-node Slurm."""
    return _command(folder, allocation, ["--profile", str(PROFILE)], config)


def _command(folder: Path, allocation: Path, options: list[str], config: dict[str, object]) -> list[str]:
    settings = {"allocation": allocation, "results": folder / "results"} | config
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), *options),
        *("--config", *(f"{key}={value}" for key, value in settings.items())),
    ]


def environment(**variables: str) -> dict[str, str]:
    """This environment with the interpreter of the tests, for slurm/submit.sh."""
    return os.environ | {"PYTHON": sys.executable} | variables


def start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a command of the workflow in a folder, where Snakemake's records and the command's output,
    output.log, go, in a group of its own."""
    with (folder / "output.log").open("ab") as log:
        return subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def run(command: list[str], folder: Path, timeout: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=timeout)


def digest(folder: Path) -> str:
    """Content digest of the one finished allocation in a folder, after verifying it."""
    (path,) = (folder / "results").glob("*/curves.h5")
    with open_results(path) as results:
        results.verify()
        return results.digest


def study_digest(folder: Path) -> str:
    """The same for the one finished study."""
    (path,) = (folder / "results").glob("*/study.h5")
    with SurveyFile(path) as results:
        for row in results.index():
            results.read(row["path"])
        return results.digest


def submitted(folder: Path) -> int:
    """How many jobs the cluster was given from a folder; it remembers them for an hour after their end."""
    jobs = subprocess.run(
        ["squeue", "--noheader", "--states=all", "--format=%Z"], capture_output=True, text=True, check=True
    )
    return jobs.stdout.splitlines().count(str(folder))
