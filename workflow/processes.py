"""Work spread over the cores of this machine, results in order and the same on any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(
    work: Callable[[Item], Answer], items: Sequence[Item], jobs: int | None = None, chunk: int = 1
) -> Iterator[Answer]:
    """work(item) of every item, in order, in `jobs` processes (one per core by default).

    chunk: items that a process is given at a time; what is not worth a second chunk stays in this process.
    """
    jobs = min(jobs or available_cores(), -(-len(items) // chunk))
    if jobs <= 1:
        yield from map(work, items)
        return
    # Fresh processes: forking one with threads (a progress bar, MPI) can hang.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items, chunksize=chunk)
