"""A program for test_farm: items on the ranks of mpiexec, the collected answers as JSON from rank 0.

python -m mpi4py farm_program.py ITEMS MODE
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from kernels.errors import Refused
from workflow.pipeline import farm
from workflow.pipeline.mpi_world import world
from workflow.script import run


def work(item: int) -> list[float]:
    mode = sys.argv[2]
    if mode == "uneven":
        time.sleep(0.001 * (item % 7))
    if mode.startswith("/") and not list(Path(mode).iterdir()):  # a cache in which nothing is compiled yet
        time.sleep(0.3)
        Path(mode, str(os.getpid())).touch()
    if mode == "slow":
        time.sleep(0.1)
    if mode == "fail" and item == 5:
        raise ValueError("this item cannot be computed")
    if mode == "refuse" and item == 5:
        raise Refused("out of reach")
    if mode == "die" and item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return [item**2] * (20_000 if mode == "large" else 1)


def main() -> None:
    communicator = world()
    answers: dict[int, list[float]] = {}

    def collect(index: int, answer: list[float], cpu_seconds: float) -> None:
        assert index not in answers
        assert cpu_seconds >= 0
        if sys.argv[2] == "fail in collect" and index == 5:
            raise ValueError("this answer cannot be stored")
        answers[index] = answer

    items = list(range(int(sys.argv[1])))
    start = time.monotonic()
    ranks = farm.run(communicator, items, work, collect)
    if communicator is None or communicator.rank == 0:
        print(
            json.dumps(
                {
                    "answers": [answers[i] for i in sorted(answers)],
                    "items": [rank.items for rank in ranks],
                    "cpu_seconds": [rank.cpu_seconds for rank in ranks],
                    "wall_seconds": time.monotonic() - start,
                }
            )
        )


if __name__ == "__main__":
    run(main)
