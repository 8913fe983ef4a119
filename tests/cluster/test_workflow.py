"""The workflow on a real Slurm: MPI ranks on both nodes, the local run's digest, few submissions."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster import runs
from tests.cluster.kills import MPI, prepare, ranks, shard_command, wait_until
from tests.paths import TINY

pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Started:
    """A command that runs while other tests do, and the folder of its results."""

    process: subprocess.Popen[bytes]
    folder: Path

    def output(self) -> str:
        """What the command has printed, the logs of failed jobs among it."""
        return (self.folder / "output.log").read_text()


def started(folder: Path, command: list[str]) -> Iterator[Started]:
    process = runs.start(command, folder)
    yield Started(process, folder)
    if process.poll() is None:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A scan through the profile, while other tests run."""
    folder = tmp_path_factory.mktemp("scan")
    (folder / "grid.yaml").write_text(
        f"name: grid\nbase: {TINY}\nshares: {{Block: [1/4, 1/2]}}\ntotal_rho: [2, 3]\ndenominator: 400\n"
    )
    command = runs.cluster_command(folder, TINY, scan=folder / "grid.yaml")
    yield from started(folder, [*command, "--", "scan"])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A local-privacy study through the profile, while other tests run: most of its time is waiting."""
    folder = tmp_path_factory.mktemp("study")
    yield from started(folder, [*runs.cluster_command(folder, TINY, study=runs.STUDY), "--", "uldp"])


@pytest.mark.usefixtures("scan", "study")
def test_tiny_allocation_through_the_driver_script(tmp_path: Path) -> None:
    """One sbatch for everything; the driver submits the rest from inside the cluster."""
    (tmp_path / "results").mkdir()
    for name in ("Snakefile", "slurm", "workflow", "kernels", "allocations"):
        (tmp_path / name).symlink_to(runs.ROOT / name)
    sbatch = ["sbatch", "--wait", "--mem=1000", "--time=60", "--output=driver.log"]
    done = subprocess.run(
        [*sbatch, "slurm/submit.sh", str(TINY)],
        cwd=tmp_path,
        env=runs.environment(PROFILE="slurm/test-cluster/profile"),
        capture_output=True,
        text=True,
        check=False,
        timeout=runs.PATIENCE,
    )
    log = (tmp_path / "driver.log").read_text()
    assert done.returncode == 0, log
    assert "preflight: Slurm" in log
    assert "accounting is off: job states come from squeue" in log
    assert runs.submitted(tmp_path) == 1 + 6, "the driver; mechanisms, 2 shards, aggregate, certify, report"

    local = tmp_path / "local"
    local.mkdir()
    assert runs.run(runs.local_command(local, TINY, tasks=2), local).returncode == 0
    assert runs.digest(tmp_path) == runs.digest(local)


def test_study_through_the_profile(study: Started, tmp_path: Path) -> None:
    assert study.process.wait(runs.PATIENCE) == 0, study.output()
    assert runs.submitted(study.folder) == 5, "plan, 2 shards, aggregate, report"
    surveys = study.folder / "results" / "tiny_study" / "surveys"
    assert [json.loads(stats.read_text())["ranks"] for stats in surveys.glob("*.stats.json")] == [3, 3]
    logs = "".join(log.read_text() for log in study.folder.glob("results/tiny_study/logs/surveys/*.log"))
    assert len(re.findall(r"ranks on nodes: .*n1.*n2", logs)) == 2
    local = runs.local_command(tmp_path, TINY, tasks=2, study=runs.STUDY)
    assert runs.run([*local, "--", "uldp"], tmp_path).returncode == 0
    assert runs.study_digest(study.folder) == runs.study_digest(tmp_path)


def test_scan_through_the_profile(scan: Started, tmp_path: Path) -> None:
    assert scan.process.wait(runs.PATIENCE) == 0, scan.output()
    assert runs.submitted(scan.folder) == 4, "plan, 2 shards, tables"
    made = scan.folder / "results" / "grid"
    assert [json.loads(stats.read_text())["ranks"] for stats in made.glob("curves/*.stats.json")] == [3, 3]
    assert (made / "scan.csv").read_text().count("\n") == 1 + 4 * 2, "a header, candidates by deltas"
    local = runs.local_command(tmp_path, TINY, tasks=2, scan=scan.folder / "grid.yaml")
    assert runs.run([*local, "--", "scan"], tmp_path).returncode == 0
    assert runs.digest(scan.folder) == runs.digest(tmp_path)
    for table in ("scan.csv", "summary.csv"):
        assert (made / table).read_bytes() == (tmp_path / "results" / "grid" / table).read_bytes()


def test_slice_of_the_dhc_on_both_nodes_with_a_killed_driver(tmp_path: Path, slice_allocation: Path) -> None:
    """The driver dies while shards run; the same command again finishes the work."""
    command = runs.cluster_command(tmp_path, slice_allocation)
    driver = runs.start(command, tmp_path)
    wait_until(lambda: any(tmp_path.glob("results/*/logs/curves/*.log")) or driver.poll() is not None)
    driver.kill()
    assert driver.wait() == -signal.SIGKILL
    done = runs.run(command, tmp_path)
    assert done.returncode == 0, done.stderr
    for stats in (tmp_path / "results" / "dhc_slice" / "curves").glob("*.stats.json"):
        cost = json.loads(stats.read_text())
        assert (cost["ranks"], set(cost["nodes_of_ranks"])) == (3, {"n1", "n2"})

    local = tmp_path / "local"
    local.mkdir()
    assert runs.run(runs.local_command(local, slice_allocation, tasks=2), local).returncode == 0
    assert runs.digest(tmp_path) == runs.digest(local)


def test_full_dhc_needs_few_submissions(tmp_path: Path) -> None:
    """Every job of the plan is one sbatch."""
    for profile in (runs.ROOT / "slurm" / "profile", runs.PROFILE):
        command = runs.cluster_command(tmp_path, runs.DHC)
        command[command.index("--profile") + 1] = str(profile)
        done = runs.run([*command, "--dry-run", "--quiet", "rules"], tmp_path)
        assert done.returncode == 0, done.stderr
        total = next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("total"))
        assert int(total) - 1 <= 30, "one of them, all, is no job"


def test_requests_of_ranks_fit_what_slurm_reads_at_once() -> None:
    """Of a longer one it would read 1,024 bytes."""
    command = [*MPI, sys.executable, "-c", "from mpi4py import MPI"]
    environment = runs.environment(PMI_DEBUG="1")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    requests = re.findall(r"send to fd=\d+ pmi: (.*)", done.stdout + done.stderr)
    assert len(requests) >= 3 * 5
    assert max(map(len, requests)) < 512


def test_copies_that_are_each_alone_are_stopped(tmp_path: Path) -> None:
    prepare(tmp_path)
    done = runs.run(shard_command(tmp_path, 1.0, ("srun", "--mpi=none", "--nodes=2", "--ntasks=2")), tmp_path)
    assert done.returncode != 0
    assert "2 copies were started (SLURM_STEP_NUM_TASKS=2), but each is alone" in done.stderr
    assert "srun --mpi=pmi2" in done.stderr


def test_scheduler_ends_a_shard_that_keeps_what_it_has(tmp_path: Path) -> None:
    """scancel, a time limit and preemption send SIGTERM first."""
    prepare(tmp_path)
    command = shard_command(tmp_path, 3600.0, (*MPI, "--job-name=to-be-ended"))
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    log = tmp_path / "shard.log"
    wait_until(lambda: log.exists() and log.read_text().count(" takes ") >= 8)
    subprocess.run(["scancel", "--name=to-be-ended"], check=True)
    assert process.wait(runs.PATIENCE) != 0
    text = log.read_text()
    assert "shard 000 ends early, with /" in text, "it says which pairs were in hand"
    assert "SIGTERM" in text
    assert list(tmp_path.rglob(".000.unfinished/*.h5")), "finished pairs were kept"
    wait_until(lambda: not ranks(tmp_path))

    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    stats = json.loads(next(tmp_path.rglob("000.stats.json")).read_text())
    assert stats["reused"] >= 3
