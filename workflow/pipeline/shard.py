"""One shard from its plan to its result file, on any number of ranks."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from workflow.files import write_text
from workflow.pipeline import farm
from workflow.pipeline.journal import Journal
from workflow.pipeline.plan import Plan, Task
from workflow.progress import BatchProgress, Mode
from workflow.results.file import StoreError
from workflow.results.store import Record, find_results

log = logging.getLogger(__name__)

T = TypeVar("T", bound=Task)
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """Where a shard's results, the cost of the run (JSON) and the log go."""

    out: Path
    stats: Path
    log: Path


def follow(communicator: Any, compute: Callable[[T], R], log_file: Path) -> None:
    """Any rank but 0: compute what rank 0 hands out."""
    farm.run(communicator, [], compute, lambda *_: None, lambda text: append(log_file, text))


def run_shard(
    communicator: Any,
    plan: Plan[T, Any, R],
    compute: Callable[[T], R],
    name: str,
    files: ShardFiles,
    mode: Mode,
    checkpoint: float,
) -> None:
    """Rank 0 (or the only process): compute what no earlier result file holds, write the shard's file.

    Earlier results come from the file itself, from what a killed run left in its journal, from the merged
    file and from the other shards, by content key. Finished results are kept every `checkpoint` seconds,
    and when the run ends early. Raises StoreError when the shard's file cannot be written.
    """
    start = time.monotonic()
    tasks, header = plan.shard(name), plan.header()
    journal = Journal(plan.files, files.out.parent / f".{name}.unfinished", header, checkpoint)
    earlier = earlier_files(files.out, plan.merged, journal)
    records: dict[str, R] = find_results(
        plan.files, (task.key for task in tasks), earlier, lambda line: log.warning("%s", line)
    )
    reused = len(records)
    missing = {task.key: task for task in reversed(tasks) if task.key not in records}
    todo = sorted(missing.values(), key=lambda task: (-task.cost, task.path))
    log.info(
        "shard %s: %d tasks, %d distinct; %d reused, %d to compute: %s",
        *(name, len(tasks), reused + len(todo), reused, len(todo)),
        " ".join(task.path for task in todo) or "-",
    )
    title = f"{plan.stage} {name}"
    with BatchProgress(title, len(todo), sum(task.cost for task in todo), mode) as progress:
        run = _Run(name, todo, records, journal, progress, files.log)
        try:
            ranks = farm.run(communicator, todo, compute, run.collect, run.ends_early, run.given)
        except BaseException as error:  # of one process alone: of several ranks, farm.run ends all
            run.ends_early(f"{type(error).__name__}: {error}")
            raise
    digest = plan.files.write(files.out, header, (records[task.key].at(task.path) for task in tasks))
    journal.remove()
    set_aside_name(files.out).unlink(missing_ok=True)
    stats = _stats(name, ranks, reused, list(records.values()), time.monotonic() - start)
    write_text(files.stats, json.dumps(stats, indent=1) + "\n")
    log.info("%s: %d groups, digest %s", files.out, len(tasks), digest)


class _Run(Generic[T, R]):
    """What rank 0 does while its farm runs."""

    def __init__(
        self,
        name: str,
        todo: list[T],
        records: dict[str, R],
        journal: Journal[R],
        progress: BatchProgress,
        log_file: Path,
    ) -> None:
        self.name, self.todo, self.records = name, todo, records
        self.journal, self.progress, self.log_file = journal, progress, log_file
        self.in_hand: dict[int, int] = {}

    def given(self, index: int, rank: int) -> None:
        """A rank takes a task."""
        self.in_hand[index] = rank
        log.info("rank %d takes %s", rank, self.todo[index].path)

    def collect(self, index: int, record: R, cpu_seconds: float) -> None:
        """A record has arrived."""
        record = replace(record, cpu_seconds=cpu_seconds)  # type: ignore[type-var]
        self.records[record.key] = record
        del self.in_hand[index]
        _keep(lambda: self.journal.add(record))
        self.progress.advance(self.todo[index].cost)

    def ends_early(self, text: str) -> None:
        """Say why and what was in progress, and keep what is finished."""
        append(self.log_file, text)
        held = [f"{self.todo[index].path} (rank {rank})" for index, rank in sorted(self.in_hand.items())]
        log.error("shard %s ends early, with %s in progress", self.name, ", ".join(held) or "nothing")
        _keep(self.journal.flush)


def earlier_files(out: Path, merged: str, journal: Journal[Any]) -> list[Path]:
    """Files that may hold results of this shard, the likeliest first."""
    candidates = [
        *(out, set_aside_name(out), *journal.files()),
        *(out.parent.parent / merged, *sorted(out.parent.glob("*.h5"))),
    ]
    return [path for path in dict.fromkeys(candidates) if path.is_file()]


def set_aside_name(out: Path) -> Path:
    """Where a damaged shard file is kept; its intact results are used again."""
    return out.with_name(f"{out.name}.damaged")


def append(log_file: Path, text: str) -> None:
    """Add text to a log, from any rank."""
    with log_file.open("a", encoding="utf-8") as stream:
        stream.write(text.rstrip("\n") + "\n")


def _keep(write: Callable[[], None]) -> None:
    """Write to the journal; a failure costs a later run time, not results."""
    try:
        write()
    except StoreError as error:
        log.warning("journal: %s", error)


def _stats(
    name: str, ranks: list[farm.Rank], reused: int, records: list[R], wall_seconds: float
) -> dict[str, Any]:
    return {
        "shard": name,
        "computed": sum(rank.items for rank in ranks),
        "reused": reused,
        "ranks": len(ranks),
        "items_of_ranks": [rank.items for rank in ranks],
        "nodes_of_ranks": [rank.node for rank in ranks],
        "cpu_seconds": sum(rank.cpu_seconds for rank in ranks),
        "cpu_seconds_of_ranks": [rank.cpu_seconds for rank in ranks],
        "kernel_cpu_seconds": sum(record.cpu_seconds for record in records),
        "wall_seconds": wall_seconds,
    }
