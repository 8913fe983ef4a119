"""Runs of many cases: a case over its time limit, or one that ends the process, does not end the run.

A worker process does one case after the other and is started again after a case that it did not survive.
Every case is a line of JSON in a file, and a run that is started again goes on where it stopped. Told to
stop (SIGTERM, Ctrl-C), a run says what came out so far.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow.progress import BatchProgress

STOPPED = 130  # exit code
_WALL_LIMIT = 3600.0  # seconds

#: What came out of one case, as JSON holds it, with the keys
#: `index`, `status`, `reason` and `faults` at least.
Outcome = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """What a run consists of."""

    module: str
    """Its main() calls `main` with this program."""
    doc: str
    one: Callable[[int, int], Outcome]
    """The outcome of the case with this seed and index."""
    summary: Callable[[list[Outcome]], list[str]]
    """What came out of all cases, in lines."""
    out: Path
    cases: int
    limit: float
    """CPU seconds for one case."""


def main(program: Program) -> int:
    """Run, or go on with a run, and say what came out. Returns 1 when anything is wrong, 130 when stopped."""
    given = _arguments(program)
    if given.work:
        _work(program, given.seed, *given.work)
        return 0
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, signal.default_int_handler)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    started, stopped = time.monotonic(), False
    records = _known(given.out, given.seed)[: given.cases]
    first, left = len(records), given.cases - len(records)
    title = f"{program.module.rpartition('.')[2]}, seed {given.seed}, from case {first}"
    try:
        with (
            open(given.out, "a") as out,
            BatchProgress(title, left, left) as progress,
            closing(outcomes(program, given.seed, first, given.cases)) as told,
        ):
            for outcome in told:
                out.write(json.dumps({"seed": given.seed} | outcome) + "\n")
                out.flush()
                records.append(outcome)
                progress.advance(1.0)
    except KeyboardInterrupt:
        stopped = True
    print("\n".join([*program.summary(records), *_faults(records)]))
    print(f"seconds: {time.monotonic() - started:.0f}")
    if stopped:
        print(f"stopped after {len(records)} of {given.cases} cases; started again, it goes on there")
    return 1 if any(map(is_bad, records)) else STOPPED if stopped else 0


def outcomes(program: Program, seed: int, first: int, last: int) -> Generator[Outcome]:
    """The outcomes of cases first .. last - 1, from a worker that is started again when it dies or hangs."""
    while first < last:
        command = [sys.executable, "-m", program.module, "--seed", str(seed), "--work", str(first), str(last)]
        # In a process group of its own it does not get the Ctrl-C that is meant for the run.
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, process_group=0
        ) as worker:
            try:
                for outcome in _told(worker):
                    yield outcome
                    first += 1
            finally:
                silent = worker.poll() is None
                worker.kill()
        if first < last:
            status = "hang" if silent or worker.returncode == -signal.SIGPROF else "crash"
            yield {"index": first, "status": status, "reason": f"worker: {worker.returncode}", "faults": []}
            first += 1


def is_bad(record: Outcome) -> bool:
    """Whether something is wrong with a case."""
    return bool(record["faults"]) or record["status"] in ("crash", "hang")


def _told(worker: subprocess.Popen[bytes]) -> Iterator[Outcome]:
    """What the worker prints, until it ends or prints nothing for too long."""
    assert worker.stdout is not None
    buffer = b""
    while select.select([worker.stdout], [], [], _WALL_LIMIT)[0]:
        chunk = os.read(worker.stdout.fileno(), 1 << 16)
        if not chunk:
            worker.wait()
            return
        *lines, buffer = (buffer + chunk).split(b"\n")
        yield from map(json.loads, lines)


def _work(program: Program, seed: int, first: int, last: int) -> None:
    """Print the outcome of every case, a line each."""
    for index in range(first, last):
        signal.setitimer(signal.ITIMER_PROF, program.limit)  # ends the process, also inside compiled code
        print(json.dumps(program.one(seed, index)), flush=True)


def _known(out: Path, seed: int) -> list[Outcome]:
    """The outcomes in the file of a run that was stopped. A line that was being written is taken away."""
    text = out.read_bytes() if out.exists() else b""
    whole = text[: text.rfind(b"\n") + 1]
    records = [json.loads(line) for line in whole.splitlines()]
    if any(record.pop("seed", None) != seed for record in records):
        sys.exit(f"{out}: holds cases of another seed; name another file with --out, or delete it")
    if whole != text:
        os.truncate(out, len(whole))
    return records


def _faults(records: list[Outcome]) -> list[str]:
    bad = [record for record in records if is_bad(record)]
    lines = [f"faults, crashes, hangs: {len(bad)}"]
    for record in bad[:20]:
        told = record["faults"] or record["reason"].strip().splitlines()[-1]
        lines.append(f"case {record['index']}: {told}")
    return lines


def _arguments(program: Program) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=program.doc)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=program.cases)
    parser.add_argument("--out", type=Path, default=program.out, help="one line of JSON per case")
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()
