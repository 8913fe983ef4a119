"""One shard from its plan to its result file, on any number of ranks."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernels.accounting.composition import Composition
from kernels.accounting.settings import Settings
from workflow.errors import computing
from workflow.files import write_text
from workflow.pipeline import farm
from workflow.pipeline.journal import Journal
from workflow.pipeline.plan import Entry, WorkPlan
from workflow.pipeline.reuse import find_results
from workflow.progress import BatchProgress, Mode
from workflow.results.curves import Header, StoredResult, StoreError, write_atomic
from workflow.script import versions

if TYPE_CHECKING:
    from kernels.accounting.result import PairResult

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Computation:
    """What a rank gets: one composition, and the pair or level that it is computed for first."""

    path: str
    composition: Composition
    settings: Settings


def compute(task: Computation) -> PairResult:
    """The result of one computation. An exception says which pair or level it concerns; Refused when the
    kernels refuse."""
    from kernels.accounting.evaluate import evaluate  # loads the compiled kernels, on ranks that have work

    with computing(task.path):
        return evaluate([task.composition], task.settings)[0]


def warm_up(plan: WorkPlan) -> None:
    """Have the kernels compiled into the cache: by the lightest level and the lightest pair, since a level's
    few distinct rho do not need all of them."""
    for kind in ("level", "pair"):
        entries = [entry for entry in plan.entries.values() if entry.identity.kind == kind]
        if entries:
            entry = min(entries, key=lambda entry: entry.cost)
            compute(Computation(entry.identity.path, entry.composition, plan.settings))


def follow(communicator: Any, log_file: Path) -> None:
    """Any rank but 0: compute what rank 0 hands out."""
    farm.run(communicator, [], compute, lambda *_: None, lambda text: append(log_file, text))


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """Where a shard's results, the cost of the run (JSON) and the log go."""

    out: Path
    stats: Path
    log: Path


def run_shard(
    communicator: Any, plan: WorkPlan, name: str, files: ShardFiles, mode: Mode, checkpoint: float
) -> None:
    """Rank 0 (or the only process): compute what no earlier result file holds, write the shard's file.

    Earlier results come from the file itself, from what a killed run left in its journal, from the merged
    curves.h5 and from the other shards, by content key. Finished results are kept every `checkpoint` seconds,
    and when the run ends early. Raises StoreError when the file cannot be written.
    """
    start = time.monotonic()
    out = files.out
    entries = plan.shard(name)
    header = header_of(plan)
    journal = Journal(out.parent / f".{name}.unfinished", header, checkpoint)
    results = find_results(
        (entry.key for entry in entries), earlier_files(out, journal), lambda line: log.warning("%s", line)
    )
    missing = {entry.key: entry for entry in reversed(entries) if entry.key not in results}
    todo = sorted(missing.values(), key=lambda entry: (-entry.cost, entry.identity.path))
    log.info(
        "shard %s: %d pairs and levels, %d distinct; %d reused, %d to compute: %s",
        *(name, len(entries), len(results) + len(todo), len(results), len(todo)),
        " ".join(entry.identity.path for entry in todo) or "-",
    )
    reused = len(results)
    tasks = [Computation(entry.identity.path, entry.composition, plan.settings) for entry in todo]
    in_hand: dict[int, int] = {}

    def given(index: int, rank: int) -> None:
        in_hand[index] = rank
        log.info("rank %d takes %s", rank, tasks[index].path)

    def ends_early(text: str) -> None:
        append(files.log, text)
        held = [f"{tasks[index].path} (rank {rank})" for index, rank in sorted(in_hand.items())]
        log.error("shard %s ends early, with %s in hand", name, ", ".join(held) or "nothing")
        _keep(journal.flush)

    with BatchProgress(f"curves {name}", len(todo), sum(entry.cost for entry in todo), mode) as progress:

        def collect(index: int, answer: PairResult, cpu_seconds: float) -> None:
            entry = todo[index]
            results[entry.key] = _stored(entry, plan.settings, answer, cpu_seconds)
            del in_hand[index]
            _keep(lambda: journal.add(results[entry.key]))
            progress.advance(entry.cost)

        try:
            ranks = farm.run(communicator, tasks, compute, collect, ends_early, given)
        except BaseException as error:  # of one process alone: of several ranks, farm.run ends all
            ends_early(f"{type(error).__name__}: {error}")
            raise
    digest = write_atomic(out, header, (for_entry(results[entry.key], entry) for entry in entries))
    journal.remove()
    set_aside_name(out).unlink(missing_ok=True)
    write_text(
        files.stats,
        json.dumps(_stats(name, ranks, reused, results, time.monotonic() - start), indent=1) + "\n",
    )
    log.info("%s: %d groups, digest %s", out, len(entries), digest)


def header_of(plan: WorkPlan) -> Header:
    """The header of result files made from a plan."""
    return Header(
        allocation=plan.allocation,
        neighbours=plan.neighbours,
        allocation_yaml=plan.allocation_yaml,
        settings=plan.settings,
        created_by=versions(),
    )


def earlier_files(out: Path, journal: Journal) -> list[Path]:
    """Files that may hold results of this shard, the likeliest first."""
    candidates = [
        out,
        set_aside_name(out),
        *journal.files(),
        out.parent.parent / "curves.h5",
        *sorted(out.parent.glob("*.h5")),
    ]
    return [path for path in dict.fromkeys(candidates) if path.is_file()]


def set_aside_name(out: Path) -> Path:
    """Where a shard's file is kept that was found damaged; what is whole in it is used again."""
    return out.with_name(f"{out.name}.damaged")


def for_entry(result: StoredResult, entry: Entry) -> StoredResult:
    """The same result under the identity of another pair or level with the same content key."""
    if result.identity == entry.identity:
        return result
    values = {name: getattr(result, name) for name in StoredResult.__dataclass_fields__}
    return StoredResult(**{**values, "identity": entry.identity})


def append(log_file: Path, text: str) -> None:
    """Add text to a log, from any rank."""
    with log_file.open("a", encoding="utf-8") as stream:
        stream.write(text.rstrip("\n") + "\n")


def _keep(write: Callable[[], None]) -> None:
    """Write to the journal; a failure costs a later run some time, no result."""
    try:
        write()
    except StoreError as error:
        log.warning("journal: %s", error)


def _stored(entry: Entry, settings: Settings, answer: PairResult, cpu_seconds: float) -> StoredResult:
    return StoredResult.of(entry.identity, entry.key, entry.composition, settings.deltas, answer, cpu_seconds)


def _stats(
    name: str, ranks: list[farm.Rank], reused: int, results: dict[str, StoredResult], wall_seconds: float
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
        "kernel_cpu_seconds": sum(result.cpu_seconds for result in results.values()),
        "wall_seconds": wall_seconds,
    }
