"""Kill tests on the two-node Slurm: SIGKILL at random moments, and the same command again until all is done.

python -m tests.cluster.kills --shard-kills 70 --run-kills 30 --pairs-of-tasks 50

A shard's task (srun with three ranks on both nodes) and whole runs (Snakemake as the driver) are killed: the
writer, another rank, a node with its steps, the driver, the controller of Slurm. After every kill each file
under its final name must verify, and every file that was complete before must still be there. When a run is
through, its digest must be the undisturbed run's. Prints the counts; exit code 1 when something was wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster import runs
from workflow.results.curves import open_results

SRUN = (
    "env",
    "MPIR_CVAR_CH4_NETMOD=ofi",  # as the workflow does: workflow/pipeline/settings.py says why
    "srun",
    "--mpi=pmi2",
    "--kill-on-bad-exit=1",
    "--account=none",
    "--quiet",
)
MPI = (*SRUN, "--nodes=2", "--ntasks=3", "--time=30")
_NO_OUTPUT = 1
SHARD_TARGETS = ("writer", "writer", "writer", "rank", "rank", "rank", "node")
RUN_TARGETS = ("driver", "driver", "writer", "rank", "node", "controller")


class Failure(Exception):
    """What was not as it should be."""


@dataclass
class Tally:
    """What happened."""

    kills: Counter[str] = field(default_factory=Counter)
    in_the_act: int = 0  # writers killed while their new file was there under its temporary name
    finished: int = 0  # runs that came to their end, all with the right digest
    files_verified: int = 0
    reruns: int = 0

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kills.items()))
        return (
            f"{self.kills.total()} kills ({kinds}); {self.in_the_act} while a file was being written; "
            f"{self.reruns} reruns; {self.finished} runs finished, every digest that of the undisturbed run; "
            f"{self.files_verified} files under final names verified after kills, none lost"
        )


@dataclass
class Subject:
    """A command that can be killed and run again, and the folder with its results."""

    folder: Path
    command: list[str]
    targets: tuple[str, ...]

    def complete_files(self) -> set[Path]:
        """Every result file under its final name, the pieces of an unfinished shard included."""
        return {path for path in (self.folder / "results").rglob("*.h5") if path.is_file()}

    def start(self) -> subprocess.Popen[bytes]:
        """Start the command, in a group of its own."""
        with (self.folder / "output.log").open("ab") as log:
            return subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def clear(self) -> None:
        """Delete all results."""
        shutil.rmtree(self.folder / "results", ignore_errors=True)


def ranks(folder: Path) -> dict[int, list[int]]:
    """Processes of curves.py that work in a folder, by their rank."""
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        mine = any(word.startswith(os.fsencode(folder)) for word in words)
        if mine and b"-m" in words and b"mpi4py" in words and b"srun" not in words[0]:
            for variable in environment:
                if variable.startswith(b"SLURM_PROCID="):
                    found.setdefault(int(variable[13:]), []).append(int(entry.name))
    return found


def kill(process: int) -> bool:
    """SIGKILL; False when the process is gone."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def output(*command: str) -> str:
    """What a command says."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def node_state(node: str) -> str:
    """What the scheduler thinks of a node."""
    return output("sinfo", "--noheader", f"--nodes={node}", "--format=%T")


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; Failure when it does not come about."""
    end = time.monotonic() + runs.PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"a condition did not come about in {runs.PATIENCE} s")
        time.sleep(0.2)


def lose_node(node: str, done: Callable[[], bool] = lambda: False) -> None:
    """Kill a node with all that runs on it; bring it back when Slurm has noticed, or it does not matter."""
    runs.cluster("kill-node", node)
    wait_until(lambda: done() or "down" in node_state(node))
    if runs.cluster("start-node", node).returncode != 0:
        raise Failure(f"{node} does not come back")


class Killer:
    """Starts a subject again and again and kills a part of it, until enough kills were made."""

    def __init__(self, subject: Subject, expected: str, duration: float, seed: int, tally: Tally) -> None:
        self.subject = subject
        self.expected = expected
        self.duration = duration
        self.random = random.Random(seed)
        self.tally = tally

    def run(self, kills: int) -> None:
        """Make `kills` kills, then let the last run come to its end."""
        self.subject.clear()
        goal, code = self.tally.kills.total() + kills, 0
        while self.tally.kills.total() < goal:
            before = self.subject.complete_files()
            process = self.subject.start()
            target = self.random.choice(self.subject.targets)
            moment = time.monotonic() + self.random.uniform(0.0, 1.1) * self.duration
            killed = self._kill(target, moment, process)
            code = self._wait(process)
            if killed:
                self.tally.kills[target] += 1
                self._check(before)
                print(f"{self.tally.kills.total()}/{goal} {target}, exit code {code}", flush=True)
            if code == 0:
                self._through()
            else:
                self.tally.reruns += 1
        if code != 0:
            self._finish()

    def _finish(self) -> None:
        """The same command until it is through: twice when jobs of a killed driver were in the way."""
        for _ in range(3):
            before = self.subject.complete_files()
            code = self._wait(self.subject.start())
            self._check(before)
            if code == 0:
                return self._through()
            self.tally.reruns += 1
        raise Failure(f"the run does not come to its end; see {self.subject.folder}/output.log")

    def _through(self) -> None:
        result = finished_digest(self.subject.folder)
        if result != self.expected:
            raise Failure(f"digest {result} instead of {self.expected}")
        self.tally.finished += 1
        self._leave_no_jobs()
        self.subject.clear()

    def _kill(self, target: str, moment: float, process: subprocess.Popen[bytes]) -> bool:
        """Kill at a moment, or, one time in three, a writer when its temporary file appears."""
        in_the_act = target == "writer" and self.random.random() < 1 / 3
        while process.poll() is None:
            if in_the_act and list((self.subject.folder / "results").rglob(".*.tmp")):
                time.sleep(self.random.uniform(0.0, 0.02))
                break
            if not in_the_act and time.monotonic() >= moment:
                break
            time.sleep(0.002 if in_the_act else 0.02)
        while process.poll() is None:
            if target == "driver":
                return kill(process.pid)
            if target == "controller":
                runs.cluster("kill-controller")
                time.sleep(self.random.uniform(1.0, 8.0))
                runs.cluster("start-controller")
                return True
            found = ranks(self.subject.folder)
            wanted = [id for rank, ids in found.items() for id in ids if (rank == 0) == (target == "writer")]
            if wanted and target == "node":
                lose_node(self.random.choice(("n1", "n2")), lambda: process.poll() is not None)
                return True
            if wanted and target != "node":
                temporary = list((self.subject.folder / "results").rglob(".*.tmp"))
                if kill(self.random.choice(wanted)):
                    self.tally.in_the_act += target == "writer" and bool(temporary)
                    return True
            time.sleep(0.02)
        return False

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        """Its exit code; srun can end with 0 when it has lost a node, which Snakemake, as it looks for the
        output, takes for a failure, too."""
        try:
            code = process.wait(runs.PATIENCE)
            return code if code or finished_files(self.subject.folder) else _NO_OUTPUT
        except subprocess.TimeoutExpired:
            kill(process.pid)
            raise Failure(f"a run hangs; see {self.subject.folder}/output.log") from None

    def _check(self, before: set[Path]) -> None:
        """Everything under a final name is whole, and nothing complete is gone; but the pieces of a shard may
        be, once the shard's own file is there."""
        after = self.subject.complete_files()
        for path in before - after:
            shard = path.parent.with_name(
                f"{path.parent.name.removeprefix('.').removesuffix('.unfinished')}.h5"
            )
            if ".unfinished" not in path.parent.name or not shard.exists():
                raise Failure(f"{path} was complete and is gone")
        for path in after:
            try:
                with open_results(path) as results:
                    results.verify()
            except FileNotFoundError:
                continue
            except Exception as error:
                if path.exists():  # a rank that still runs may just have put its pieces together
                    raise Failure(f"{path}: {error}") from error
                continue
            self.tally.files_verified += 1

    def _leave_no_jobs(self) -> None:
        subprocess.run(["scancel", "--partition", "test"], check=False)
        wait_until(lambda: not ranks(self.subject.folder) and not output("squeue", "--noheader"))


def finished_files(folder: Path) -> list[Path]:
    """curves.h5, or the only shard where there is no curves.h5."""
    results = folder / "results"
    return list(results.glob("*/curves.h5")) or list(results.glob("*/curves/*.h5"))


def finished_digest(folder: Path) -> str:
    """The digest of what is finished."""
    with open_results(finished_files(folder)[0]) as results:
        results.verify()
        return results.digest


def shard_command(folder: Path, checkpoint: float = 0.3, launcher: tuple[str, ...] = MPI) -> list[str]:
    """The task of a shard, as its rule starts it."""
    results = folder / "results" / "dhc_slice"
    prepare = f"mkdir -p {results}/curves; [ -f {results}/mechanisms.json ] || cp mechanisms.json {results}"
    task = [
        *(*launcher, sys.executable, "-m", "mpi4py", str(runs.ROOT / "workflow" / "scripts" / "curves.py")),
        *("--plan", f"{results}/mechanisms.json", "--shard", "000", "--progress", "lines"),
        *("--checkpoint", str(checkpoint), "--log", f"{folder}/shard.log"),
        *("--stats", f"{results}/curves/000.stats.json", "--out", f"{results}/curves/000.h5"),
    ]
    return ["bash", "-c", f"{prepare}; exec {shlex.join(task)}"]


def prepare(folder: Path) -> Path:
    """A plan of one shard with a slice of the DHC."""
    folder.mkdir(parents=True, exist_ok=True)
    allocation = runs.write_slice(
        folder, ("000000", "000001", "010000", "100000", "110000", "000011", "001001")
    )
    script = runs.ROOT / "workflow" / "scripts" / "mechanisms.py"
    command = [sys.executable, str(script), "--allocation", str(allocation), "--shards", "1"]
    subprocess.run(
        [*command, "--out", str(folder / "mechanisms.json")], check=True, stdout=subprocess.DEVNULL
    )
    return allocation


def undisturbed(subject: Subject) -> tuple[str, float]:
    """Digest and seconds of a run that nobody kills, with compiled kernels."""
    subject.clear()
    subprocess.run(subject.command, cwd=subject.folder, check=True, capture_output=True)
    subject.clear()
    start = time.monotonic()
    subprocess.run(subject.command, cwd=subject.folder, check=True, capture_output=True)
    seconds = time.monotonic() - start
    result = finished_digest(subject.folder)
    subject.clear()
    return result, seconds


def shard_subject(folder: Path) -> Subject:
    """The task of one shard."""
    prepare(folder)
    return Subject(folder, shard_command(folder), SHARD_TARGETS)


def kill_shards(folder: Path, kills: int, seed: int, tally: Tally) -> None:
    """Kill the task of one shard."""
    subject = shard_subject(folder)
    expected, seconds = undisturbed(subject)
    print(f"a shard undisturbed: {seconds:.1f} s, digest {expected[:12]}", flush=True)
    Killer(subject, expected, seconds, seed, tally).run(kills)


def kill_runs(folder: Path, kills: int, seed: int, tally: Tally) -> None:
    """Kill whole runs."""
    folder.mkdir(parents=True, exist_ok=True)
    allocation = prepare(folder)
    subject = Subject(folder, runs.cluster_command(folder, allocation), RUN_TARGETS)
    expected, seconds = undisturbed(subject)
    print(f"a run undisturbed: {seconds:.1f} s, digest {expected[:12]}", flush=True)
    Killer(subject, expected, seconds, seed, tally).run(kills)


def race(folder: Path, times: int) -> tuple[int, int]:
    """Start two tasks for one shard together, over and over: how often both ended well, and at least one."""
    prepare(folder)
    launchers = [(*SRUN, "--nodes=1", "--ntasks=1", f"--nodelist={node}") for node in ("n1", "n2")]
    commands = [shard_command(folder, 0.2, launcher) for launcher in launchers]
    both = one = 0
    digests = set()
    for i in range(times):
        shutil.rmtree(folder / "results", ignore_errors=True)
        processes = [subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) for command in commands]
        codes = [process.wait(runs.PATIENCE) for process in processes]
        both += codes == [0, 0]
        one += 0 in codes
        files = sorted(path.name for path in (folder / "results" / "dhc_slice" / "curves").iterdir())
        if files != ["000.h5", "000.stats.json"]:
            raise Failure(f"two tasks for one shard left {files}")
        digests.add(finished_digest(folder))
        print(f"{i + 1}/{times} two tasks together, exit codes {codes}", flush=True)
    if len(digests) > 1:
        raise Failure(f"two tasks for one shard: {len(digests)} different digests")
    return both, one


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shard-kills", type=int, default=70)
    parser.add_argument("--run-kills", type=int, default=30)
    parser.add_argument("--pairs-of-tasks", type=int, default=50)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()

    tally = Tally()
    scratch = Path(tempfile.mkdtemp(prefix="exact-census-kills-"))
    try:
        if options.pairs_of_tasks:
            both, one = race(scratch / "race", options.pairs_of_tasks)
            print(
                f"{options.pairs_of_tasks} times two tasks for one shard together: one valid file each time; "
                f"both tasks ended well {both} times, at least one {one} times"
            )
        if options.shard_kills:
            kill_shards(scratch / "shard", options.shard_kills, options.seed, tally)
        if options.run_kills:
            kill_runs(scratch / "run", options.run_kills, options.seed, tally)
    except Failure as failure:
        print(f"{tally}\nFAILED: {failure}\nkept: {scratch}", file=sys.stderr)
        sys.exit(1)
    print(tally)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
