"""Random compositions against independent references: `python -m tests.fuzz.compositions --cases 10000`.

A worker compares one case after the other; a case over its time limit, or one that ends the worker, is
counted and the run goes on. Every case is a line of OUT, and a run that is started again goes on where it
stopped. The last lines say what came out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.fuzz.compare import LIGHT, MIDDLE, TooLarge, compare
from tests.fuzz.draw import FINE, KINDS, WIDE, case

LIMIT = 180.0  # CPU seconds for one case
_WALL_LIMIT = 3600.0  # seconds
_LARGER, _ANY_SIZE, _ANY_FINE = 25, 500, 40  # one in so many cases may be larger, or of any size
_REDRAWN = 12


def one(seed: int, index: int) -> dict[str, Any]:
    """The outcome of one case. A composition that is too large for it is drawn anew, a few times."""
    for redrawn in range(_REDRAWN + 1):
        drawn = case(seed, index, redrawn)
        larger = drawn.kind == WIDE or index % _LARGER == 0
        any_size = index % _ANY_SIZE == 0 or (drawn.kind in FINE and index % _ANY_FINE == 0)
        most = math.inf if any_size else MIDDLE if larger else LIGHT
        try:
            record = asdict(compare(drawn, most))
            break
        except TooLarge:
            record = {"status": "too large", "kind": drawn.kind, "faults": []}
        except Exception:
            record = {"status": "crash", "reason": traceback.format_exc(), "kind": drawn.kind, "faults": []}
            break
    cells = {str(rho): count for rho, count in drawn.cells.items()}
    outcome = {"index": index, "redrawn": redrawn, "distinct": len(cells), **record}
    bad = record["faults"] or record["status"] == "crash"
    return outcome | ({"cells": cells, "asked": repr(drawn)} if bad else {})


def work(seed: int, first: int, last: int) -> None:
    """Print the outcome of every case, a line each."""
    for index in range(first, last):
        signal.setitimer(signal.ITIMER_PROF, LIMIT)  # ends the process, also inside compiled code
        print(json.dumps(one(seed, index)), flush=True)


def outcomes(seed: int, first: int, last: int) -> Iterator[dict[str, Any]]:
    """The outcomes of cases first .. last - 1, from a worker that is started again when it dies or hangs."""
    while first < last:
        command = [sys.executable, "-m", "tests.fuzz.compositions", "--seed", str(seed), "--work"]
        with subprocess.Popen([*command, str(first), str(last)], stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            buffer = b""
            while first < last:
                ready, _, _ = select.select([worker.stdout], [], [], _WALL_LIMIT)
                chunk = os.read(worker.stdout.fileno(), 1 << 16) if ready else b""
                if not chunk:
                    worker.kill()
                    code = worker.wait()
                    status = "hang" if code == -signal.SIGPROF or not ready else "crash"
                    yield {"index": first, "status": status, "reason": f"worker: {code}", "faults": []}
                    first += 1
                    break
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    yield json.loads(line)
                    first += 1


def summary(records: list[dict[str, Any]]) -> list[str]:
    """What came out, in lines."""
    lines = []
    states = Counter(record["status"] for record in records)
    lines.append(f"compositions: {len(records)}; " + ", ".join(f"{n} {s}" for s, n in states.most_common()))
    told = [record for record in records if "worst" in record]
    reasons = Counter(re.sub(r"[0-9.e+]*[0-9][0-9.e+]*", "#", r["reason"]) for r in told if r["reason"])
    lines += [f"refused: {number} x {reason}" for reason, number in reasons.most_common()]
    kinds = Counter((record["kind"], record["status"] == "refused") for record in told)
    shares = (f"{kind} {kinds[kind, True]} of {kinds[kind, True] + kinds[kind, False]}" for kind in KINDS)
    lines.append("refused by kind: " + ", ".join(shares))
    truths = Counter(record["truth"] for record in told if record["truth"])
    lines.append("references: " + ", ".join(f"{name} {number}" for name, number in truths.most_common()))
    lines.append(f"drawn anew because too large: {sum(record.get('redrawn', 0) for record in records)}")
    rated, held = (sum(record[key] for record in told) for key in ("rated", "held"))
    lines.append(f"comparisons: {held}, of them {rated} with a reference sharp enough to tell the error")
    for lumpy in (False, True):
        some = [record for record in told if record["lumpy"] is lumpy]
        lines.append(f"{'Some sigma^2 below' if lumpy else 'Every sigma^2 at least'} 1/5: {len(some)}")
        for quantity in sorted({name for record in some for name in record["worst"]}):
            worst = max(some, key=lambda record, name=quantity: record["worst"].get(name, -1.0))
            share = worst["worst"][quantity]
            lines.append(f"  worst error over bound, {quantity}: {share:.4g} (case {worst['index']})")
        for key, name in (("relative", "error"), ("widest", "bound")):
            most = max((record[key] for record in some), default=0.0)
            lines.append(f"  worst relative {name} of delta: {most:.3g}")
    slowest = max((record["seconds"] for record in told), default=0.0)
    lines.append(f"slowest answer: {slowest:.1f} s")
    faults = [record for record in records if record["faults"] or record["status"] in ("crash", "hang")]
    lines.append(f"faults, crashes, hangs: {len(faults)}")
    lines += [
        f"case {record['index']}: {record['faults'] or record['reason'].strip().splitlines()[-1]}"
        for record in faults[:20]
    ]
    return lines


def main() -> int:
    """Run, or go on with a run, and say what came out. Returns 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("results/fuzz/compositions.jsonl"))
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.seed, *given.work)
        return 0
    given.out.parent.mkdir(parents=True, exist_ok=True)
    known = given.out.read_text().splitlines(keepends=True) if given.out.exists() else []
    whole = [line for line in known if line.endswith("\n")]
    started = time.monotonic()
    with open(given.out, "w") as out:
        out.writelines(whole)
        for outcome in outcomes(given.seed, len(whole), given.cases):
            out.write(json.dumps(outcome) + "\n")
            out.flush()
    records = [json.loads(line) for line in given.out.read_text().splitlines()]
    print("\n".join([*summary(records), f"seconds: {time.monotonic() - started:.0f}"]))
    return int(any(record["faults"] or record["status"] in ("crash", "hang") for record in records))


if __name__ == "__main__":
    sys.exit(main())
