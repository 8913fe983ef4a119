"""Merging the shards of a plan and writing the tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from workflow.lib.atomic import write_text
from workflow.lib.result_tables import REDUCTIONS, SUMMARY, csv_text, reduction_rows, summary_rows
from workflow.lib.shard_run import header_of
from workflow.lib.store import Results, StoredResult, StoreError, merge_atomic, open_results
from workflow.lib.work_plan import WorkPlan


def aggregate(plan: WorkPlan, shards: Sequence[Path], curves: Path, summary: Path, reductions: Path) -> str:
    """Merge the shards' files (named SHARD.h5) into `curves`, and write both tables from what was read back.

    Returns the content digest. Raises StoreError, naming the file to make again, when a shard is missing,
    damaged or not of this plan.
    """
    summaries: list[dict[str, str]] = []
    reduced: list[dict[str, str]] = []

    def visit(result: StoredResult) -> None:
        reduced.extend(reduction_rows(result, plan.names))
        if result.identity.kind == "pair":
            summaries.extend(summary_rows(result, plan.names))

    with ExitStack() as stack:
        sources = _open_shards(plan, shards, stack)
        groups = ((path, sources[path]) for path in plan.entries)
        digest = merge_atomic(curves, header_of(plan), groups, visit)
    write_text(summary, csv_text(SUMMARY, summaries))
    write_text(reductions, csv_text(REDUCTIONS, reduced))
    return digest


def _open_shards(plan: WorkPlan, shards: Sequence[Path], stack: ExitStack) -> dict[str, Results]:
    """For the path of every entry, the open file that holds its result."""
    files = {path.stem: path for path in shards}
    sources: dict[str, Results] = {}
    for name, paths in plan.shards.items():
        if name not in files:
            raise StoreError(f"the file of shard {name} is missing")
        try:
            results = stack.enter_context(open_results(files[name]))
            _check(plan, name, results)
        except StoreError as error:
            raise StoreError(f"{error}; delete the file to have shard {name} made again") from None
        sources |= dict.fromkeys(paths, results)
    return sources


def _check(plan: WorkPlan, name: str, results: Results) -> None:
    """Every result that the plan gives to this shard must be there under its content key."""
    keys = {row["path"]: row["key"] for row in results.index()}
    for entry in plan.shard(name):
        path = entry.identity.path
        if keys.get(path) != entry.key:
            raise StoreError(f"{results.path}: {path} is {'outdated' if path in keys else 'missing'}")
