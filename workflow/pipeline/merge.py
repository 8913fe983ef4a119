"""Merging the shards of a plan and writing the tables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from workflow.files import write_text
from workflow.pipeline.plan import Plan
from workflow.pipeline.shard import set_aside_name
from workflow.results.file import DamagedError, StoreError
from workflow.results.store import Record, ResultFile
from workflow.results.tables import Row, csv_text
from workflow.words import printable


class IncompleteError(StoreError):
    """Some shards cannot be used; the others were merged under other names. A line per shard and one more."""

    exit_code = 3

    def __init__(self, lines: Sequence[str]) -> None:
        Exception.__init__(self, "\n".join(map(printable, lines)))

    def line(self) -> str:
        """The message, of several lines."""
        return str(self)


def merge_script(
    description: str | None,
    kind: type[Plan[Any, Any, Any]],
    tables: Sequence[str],
    others: Sequence[str] = (),
) -> argparse.Namespace:
    """Read the command line of a script that merges shards, merge them, and say how it went.

    tables: names of the plan's tables, and others: of further files, each an option. Returns the options.
    Raises what `merge` raises.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--plan", required=True, type=Path, help="the plan")
    parser.add_argument("--results", required=True, type=Path, help="merged result file to write")
    for name in tables:
        parser.add_argument(f"--{name}", required=True, type=Path, help=f"{name}.csv to write")
    for name in others:
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("shards", nargs="+", type=Path, help="result files of the shards")
    options = parser.parse_args()
    plan = kind.read(options.plan)
    digest = merge(plan, options.shards, options.results, {name: getattr(options, name) for name in tables})
    print(f"{options.results}: {len(plan.tasks)} groups, digest {digest}")
    return options


def merge(
    plan: Plan[Any, Any, Any], shards: Sequence[Path], results: Path, tables: Mapping[str, Path]
) -> str:
    """Merge the shards' files (named SHARD.h5) into `results`, and write the plan's tables from what was read
    back. Returns the content digest.

    When a shard's file is missing, damaged or not of this plan, the others are merged into files named
    *.partial.* beside the final ones, which stay as they are; a damaged file is set aside, so that the next
    run makes it again; then IncompleteError names every such shard and its file.
    """
    partial = {name: _partial(path) for name, path in tables.items()}
    with ExitStack() as stack:
        sources, problems = _open_shards(plan, shards, stack)
        if not problems:
            digest = _merge(plan, sources, results, tables)
            for path in (_partial(results), *partial.values()):
                path.unlink(missing_ok=True)
            return digest
        _merge(plan, sources, _partial(results), partial)
    raise IncompleteError(
        [
            *problems,
            f"{len(sources)} of {len(plan.tasks)} results are in {_partial(results)}. "
            "Run the same command again to make the rest",
        ]
    )


def _partial(path: Path) -> Path:
    """Where the results of some shards go."""
    return path.with_name(f"{path.stem}.partial{path.suffix}")


def _merge(
    plan: Plan[Any, Any, Any],
    sources: Mapping[str, ResultFile[Any, Any]],
    results: Path,
    outputs: Mapping[str, Path],
) -> str:
    tables = plan.tables()
    rows: dict[str, list[Row]] = {name: [] for name in outputs}

    def visit(record: Record) -> None:
        for name, written in rows.items():
            written.extend(tables[name].rows(record))

    groups = ((path, sources[path]) for path in plan.tasks if path in sources)
    digest = plan.files.merge(results, plan.header(), groups, visit)
    for name, path in outputs.items():
        write_text(path, csv_text(tables[name].row, rows[name]))
    return digest


def _open_shards(
    plan: Plan[Any, Any, Any], shards: Sequence[Path], stack: ExitStack
) -> tuple[dict[str, ResultFile[Any, Any]], list[str]]:
    """For the path of every task of a good shard the open file with it; a line for every other shard."""
    files = {path.stem: path for path in shards}
    sources: dict[str, ResultFile[Any, Any]] = {}
    problems = []
    for name, paths in plan.shards.items():
        try:
            if name not in files:
                raise StoreError("its file was not named")
            results = stack.enter_context(plan.files(files[name]))
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


def _check(plan: Plan[Any, Any, Any], name: str, results: ResultFile[Any, Any]) -> None:
    """Every result that the plan gives to this shard must be there, undamaged, under its content key."""
    results.verify()
    keys = {row["path"]: row["key"] for row in results.index()}
    for task in plan.shard(name):
        if keys.get(task.path) != task.key:
            state = "outdated" if task.path in keys else "missing"
            raise DamagedError(f"{results.path}: {task.path} is {state}")
