"""One shard of the study, from the plan to its result file, on any number of ranks."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workflow.files import write_text
from workflow.pipeline import farm
from workflow.pipeline.shard import ShardFiles, append
from workflow.progress import BatchProgress, Mode
from workflow.results.survey_result import StudyResult
from workflow.results.surveys import StudyHeader, find_study_results, write_study
from workflow.script import versions
from workflow.study.plan import StudyPlan
from workflow.study.tasks import Survey, Task

log = logging.getLogger(__name__)


def do(task: Task) -> StudyResult:
    """The result of a task."""
    from workflow.study.compute import compute  # loads the compiled kernels, on ranks that have work

    return compute(task)


def follow(communicator: Any, log_file: Path) -> None:
    """Any rank but 0: do the tasks that rank 0 hands out."""
    farm.run(communicator, [], do, lambda *_: None, lambda text: append(log_file, text))


def run_study_shard(
    communicator: Any, plan: StudyPlan, name: str, files: ShardFiles, mode: Mode, checkpoint: float
) -> None:
    """Rank 0 (or the only process): do the tasks whose results no earlier file holds, write the shard's file.

    Earlier results come from the shard's file, from what a killed run has left, from study.h5 and from the
    other shards, by content key. Finished results are kept every `checkpoint` seconds and when the run ends
    early. Raises StoreError when a file cannot be written.
    """
    start = time.monotonic()
    tasks = plan.shard(name)
    header = header_of(plan)
    kept = files.out.with_name(f".{name}.unfinished.h5")
    results = find_study_results(
        {task.key for task in tasks}, _earlier(files.out, kept), lambda line: log.warning("%s", line)
    )
    todo = sorted(
        (task for task in tasks if task.key not in results), key=lambda task: (-task.cost, task.path)
    )
    reused = len(results)
    log.info("shard %s: %d tasks, %d reused, %d to do", name, len(tasks), reused, len(todo))
    last = time.monotonic()

    def keep() -> None:
        nonlocal last
        write_study(kept, header, _renamed(results, tasks))
        last = time.monotonic()

    def ends_early(text: str) -> None:
        append(files.log, text)
        if len(results) > reused:
            keep()

    with BatchProgress(f"surveys {name}", len(todo), sum(task.cost for task in todo), mode) as progress:

        def collect(index: int, answer: StudyResult, cpu_seconds: float) -> None:
            results[answer.key] = answer, cpu_seconds
            progress.advance(todo[index].cost)
            if time.monotonic() - last >= checkpoint:
                keep()

        try:
            ranks = farm.run(communicator, todo, do, collect, ends_early)
        except BaseException as error:  # of one process alone: of several ranks, farm.run ends all
            ends_early(f"{type(error).__name__}: {error}")
            raise
    digest = write_study(files.out, header, _renamed(results, tasks))
    kept.unlink(missing_ok=True)
    stats = {
        "shard": name,
        "computed": sum(rank.items for rank in ranks),
        "reused": reused,
        "ranks": len(ranks),
        "items_of_ranks": [rank.items for rank in ranks],
        "cpu_seconds": sum(rank.cpu_seconds for rank in ranks),
        "wall_seconds": time.monotonic() - start,
    }
    write_text(files.stats, json.dumps(stats, indent=1) + "\n")
    log.info("%s: %d groups, digest %s", files.out, len(tasks), digest)


def header_of(plan: StudyPlan) -> StudyHeader:
    """The header of result files made from a plan."""
    return StudyHeader(plan.study, plan.study_yaml, plan.labels, created_by=versions())


def _earlier(out: Path, kept: Path) -> list[Path]:
    candidates = [out, kept, out.parent.parent / "study.h5", *sorted(out.parent.glob("*.h5"))]
    return [path for path in dict.fromkeys(candidates) if path.is_file()]


def _renamed(
    results: dict[str, tuple[StudyResult, float]], tasks: list[Task]
) -> Iterable[tuple[StudyResult, float]]:
    """The results that are there, in the order of the tasks, each under its task's path."""
    for task in tasks:
        if task.key in results:
            found, seconds = results[task.key]
            attributes = dict(found.attributes)
            if isinstance(task, Survey):
                attributes["source"] = task.source
            yield StudyResult(task.path, task.key, attributes, found.arrays), seconds
