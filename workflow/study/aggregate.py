"""Merging the shards of the study and writing its tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from workflow.files import write_text
from workflow.results.file import StoreError
from workflow.results.survey_result import StudyResult
from workflow.results.surveys import StudyResults, write_study
from workflow.results.tables import csv_text
from workflow.study.plan import StudyPlan
from workflow.study.shard import header_of
from workflow.study.tables import LimitRow, SurveyRow


def aggregate_study(
    plan: StudyPlan, shards: Sequence[Path], results: Path, surveys: Path, limits: Path
) -> str:
    """Merge the shards' files (named SHARD.h5) into `results` and write both tables. Returns the digest.

    Raises StoreError, naming the file to delete, when a shard is missing, damaged or not of this plan.
    """
    files = {path.stem: path for path in shards}
    found: dict[str, tuple[StudyResult, float]] = {}
    with ExitStack() as stack:
        for name in plan.shards:
            if name not in files:
                raise StoreError(f"the file of shard {name} is missing")
            try:
                opened = stack.enter_context(StudyResults(files[name]))
                seconds = {row["path"]: row["cpu_seconds"] for row in opened.index()}
                for task in plan.shard(name):
                    result = opened.read(task.path)
                    if result.key != task.key:
                        raise StoreError(f"{files[name]}: {task.path} is outdated")
                    found[task.path] = result, seconds[task.path]
            except StoreError as error:
                raise StoreError(f"{error}; delete the file to have shard {name} made again") from None
    ordered = [found[path] for path in plan.tasks]
    digest = write_study(results, header_of(plan), ordered)
    every = [result for result, _ in ordered]
    for path, table in ((surveys, SurveyRow), (limits, LimitRow)):
        write_text(path, csv_text(table, (row for result in every for row in table.rows_of(result))))
    return digest
