"""Before a run on Slurm: what is there, what does not work, and what Snakemake is told accordingly.

python -m workflow.pipeline.preflight [--mpi "srun --mpi=pmi2"]

One line on standard error says what was found and chosen; options for snakemake go to standard output.
Exit code 2 and one line when jobs cannot be submitted or their ends could not be noticed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

_TRIES, _PAUSE = 3, 5.0  # sacct may fail for a while, when its database restarts
_FIRST_CHECK = 30  # seconds, in slurm/profile
_LEAST_JOB_AGE = 60  # seconds; squeue is asked every three minutes at the latest


class PreflightError(Exception):
    """One line that says what is missing, and what to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended, and the first line that it wrote to either stream."""

    code: int
    text: str
    first_line: str


Ask = Callable[[str], Answer]
Which = Callable[[str], str | None]


def ask(command: str) -> Answer:
    """Run a command of Slurm."""
    try:
        done = subprocess.run(command.split(), capture_output=True, text=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return Answer(124, "", "no answer within 30 s")
    except OSError as error:
        return Answer(127, "", error.strerror or "cannot be run")
    lines = (done.stdout + done.stderr).strip().splitlines()
    return Answer(done.returncode, done.stdout + done.stderr, lines[0] if lines else "")


def preflight(
    mpi: str = "",
    ask: Ask = ask,
    which: Which = shutil.which,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[str, list[str]]:
    """The line that says what was found, and options for snakemake. Raises PreflightError."""
    for program in ("sbatch", "squeue", "scontrol"):
        if not which(program):
            raise PreflightError(f"{program} is not in PATH: run this where jobs are submitted from")
    config = ask("scontrol show config")
    if config.code != 0:
        raise PreflightError(f"the scheduler does not answer ({config.first_line}): try again later")
    version = _setting(config.text, "SLURM_VERSION") or "of unknown version"
    age = int(re.sub(r"\D.*", "", _setting(config.text, "MinJobAge") or "") or 300)

    problem = _sacct_problem(ask, which, pause)
    if problem is None:
        states = ["sacct works: job states come from sacct"]
        options = ["--slurm-status-command", "sacct"]
    elif age < _LEAST_JOB_AGE:
        raise PreflightError(
            f"{problem}, and squeue forgets finished jobs after {age} s (MinJobAge): nobody can say how jobs "
            "end. Run inside one allocation instead; see slurm/README.md, 'One allocation'"
        )
    else:
        states = [f"{problem}: job states come from squeue, which remembers them for {age} s"]
        options = ["--slurm-status-command", "squeue"]
        if age < 3 * _FIRST_CHECK:  # else the plugin turns back to sacct, or misses the end of jobs
            options += ["--slurm-init-seconds-before-status-checks", str(age // 3)]
    return f"Slurm {version} answers; " + "; ".join([*states, _ranks(mpi, ask), *_left_over(ask)]), options


def _sacct_problem(ask: Ask, which: Which, pause: Callable[[float], None]) -> str | None:
    if not which("sacct"):
        return "sacct is missing"
    for attempt in range(_TRIES):
        if attempt:
            pause(_PAUSE)
        answer = ask("sacct -X --noheader --starttime now-1hour --format JobIDRaw,State")
        if answer.code == 0 and "disabled" not in answer.text:
            return None
        if "disabled" in answer.text:
            return "accounting is off"
    return f"sacct fails ({answer.first_line or f'exit code {answer.code}'})"


def _ranks(mpi: str, ask: Ask) -> str:
    """Says how ranks are started. Raises PreflightError when this Slurm cannot start them in that way."""
    kind = re.search(r"\bsrun\b.*--mpi[= ](\S+)", mpi)
    if not kind:
        return f"ranks by {mpi}" if mpi else "one rank per shard"
    known = re.findall(r"\w+", ask("srun --mpi=list").text)
    if kind[1] not in known:
        offered = ", ".join(name for name in ("pmi2", "pmix", "cray_shasta") if name in known) or "none"
        raise PreflightError(
            f"mpi = {mpi}: this Slurm does not offer {kind[1]}, but {offered}; see slurm/README.md, 'MPI'"
        )
    return f"ranks by {mpi}"


def _left_over(ask: Ask) -> list[str]:
    """Jobs that an earlier driver submitted from this folder: harmless, but they compute the same."""
    rows = (line.split("|") for line in ask("squeue --me --noheader --format %i|%k|%Z").text.splitlines())
    here = os.getcwd()
    jobs = [row[0] for row in rows if len(row) == 3 and row[1].startswith("rule_") and row[2] == here]
    return [f"jobs of an earlier run are still there, `scancel {' '.join(jobs)}` saves time"] if jobs else []


def _setting(config: str, name: str) -> str | None:
    found = re.search(rf"^{name}\s*=\s*(.*)$", config, re.MULTILINE)
    return found[1].strip() if found else None


def main() -> None:
    """The command: see above."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--mpi", default="", help="how ranks are started, to be checked")
    try:
        line, options = preflight(parser.parse_args().mpi)
    except PreflightError as error:
        print(f"preflight: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"preflight: {line}", file=sys.stderr)
    print(" ".join(options))


if __name__ == "__main__":
    main()
