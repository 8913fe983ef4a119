"""Merging the shards of a plan and writing the tables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from workflow.files import write_text
from workflow.pipeline.plan import WorkPlan
from workflow.pipeline.shard import header_of, set_aside_name
from workflow.results.attack import AttackRow
from workflow.results.curves import (
    DamagedError,
    Results,
    StoredResult,
    StoreError,
    merge_atomic,
    open_results,
)
from workflow.results.tables import ReductionRow, SummaryRow, csv_text
from workflow.words import printable


class Outputs(NamedTuple):
    """The files that aggregate writes; each is an option of its scripts by the name that it has here."""

    curves: Path
    summary: Path
    reductions: Path
    attack: Path

    @classmethod
    def add_options(cls, parser: argparse.ArgumentParser) -> None:
        """One required option for each file."""
        for name in cls._fields:
            kind = "merged result file" if name == "curves" else f"{name}.csv"
            parser.add_argument(f"--{name}", required=True, type=Path, help=f"{kind} to write")

    @classmethod
    def chosen(cls, options: argparse.Namespace) -> Self:
        """The files that the options name."""
        return cls(*(getattr(options, name) for name in cls._fields))

    @property
    def partial(self) -> Self:
        """Where the results of some shards go."""
        return type(self)(*(path.with_name(f"{path.stem}.partial{path.suffix}") for path in self))


class IncompleteError(StoreError):
    """Some shards cannot be used; the others were merged under other names. A line per shard and one more."""

    exit_code = 3

    def __init__(self, lines: Sequence[str]) -> None:
        Exception.__init__(self, "\n".join(map(printable, lines)))


def aggregate(plan: WorkPlan, shards: Sequence[Path], outputs: Outputs) -> str:
    """Merge the shards' files (named SHARD.h5) into one, and write the tables from what was read back.

    Returns the content digest. When a shard's file is missing, damaged or not of this plan, the others are
    merged into files named *.partial.* beside the final ones, which stay as they are; a damaged file is set
    aside, so that the next run makes it again; then IncompleteError names every such shard and its file.
    """
    with ExitStack() as stack:
        sources, problems = _open_shards(plan, shards, stack)
        if not problems:
            digest = _merge(plan, sources, outputs)
            for path in outputs.partial:
                path.unlink(missing_ok=True)
            return digest
        _merge(plan, sources, outputs.partial)
    raise IncompleteError(
        [
            *problems,
            f"{len(sources)} of {len(plan.entries)} pairs and levels are in {outputs.partial.curves}. "
            "Run the same command again to make the rest",
        ]
    )


def _merge(plan: WorkPlan, sources: dict[str, Results], outputs: Outputs) -> str:
    summaries: list[SummaryRow] = []
    reductions: list[ReductionRow] = []
    attacks: list[AttackRow] = []

    def visit(result: StoredResult) -> None:
        reductions.extend(ReductionRow.rows_of(result, plan.names))
        if result.identity.kind == "pair":
            summaries.extend(SummaryRow.rows_of(result, plan.names))
            attacks.extend(AttackRow.rows_of(result, plan.names))

    groups = ((path, sources[path]) for path in plan.entries if path in sources)
    digest = merge_atomic(outputs.curves, header_of(plan), groups, visit)
    write_text(outputs.summary, csv_text(SummaryRow, summaries))
    write_text(outputs.reductions, csv_text(ReductionRow, reductions))
    write_text(outputs.attack, csv_text(AttackRow, attacks))
    return digest


def _open_shards(
    plan: WorkPlan, shards: Sequence[Path], stack: ExitStack
) -> tuple[dict[str, Results], list[str]]:
    """For the path of every entry of a good shard the open file with it; a line for every other shard."""
    files = {path.stem: path for path in shards}
    sources: dict[str, Results] = {}
    problems = []
    for name, paths in plan.shards.items():
        try:
            if name not in files:
                raise StoreError("its file was not named")
            results = stack.enter_context(open_results(files[name]))
            _check(plan, name, results)
        except DamagedError as error:
            aside = set_aside_name(files[name])
            os.replace(files[name], aside)
            problems.append(f"shard {name} must be made again: {error}; set aside as {aside.name}")
        except StoreError as error:
            problems.append(f"shard {name} cannot be used: {error}")
        else:
            sources |= dict.fromkeys(paths, results)
    return sources, problems


def _check(plan: WorkPlan, name: str, results: Results) -> None:
    """Every result that the plan gives to this shard must be there, undamaged, under its content key."""
    results.verify()
    keys = {row["path"]: row["key"] for row in results.index()}
    for entry in plan.shard(name):
        path = entry.identity.path
        if keys.get(path) != entry.key:
            raise DamagedError(f"{results.path}: {path} is {'outdated' if path in keys else 'missing'}")
