"""`exact-census info`: what a result file holds, and whether its content is what was written."""

from __future__ import annotations

from typing import Any

import click

from kernels.intervals.text import short
from workflow.cli.answer import (
    bound_fields,
    emit_json,
    emit_table,
    exact_fields,
    given_fields,
    relation,
)
from workflow.cli.computing import progress
from workflow.cli.options import json_option
from workflow.results.curves import CurveFile, Header, open_results
from workflow.results.file import StoreError


@click.command()
@click.argument("file", metavar="FILE.h5")
@json_option
def info(file: str, as_json: bool) -> None:
    """What a result FILE holds: allocation, pairs, levels, settings, versions, digest.

    Reads the whole file to check its content against the digests stored in it. If they differ, says so and
    ends with exit code 2.
    """
    with open_results(file) as results:
        header, problem = results.header(), _problem(results, file)
        rows, pairs, levels = results.index(), list(results.pairs()), list(results.levels())
        digest = results.digest
    mechanisms = list(dict.fromkeys(pattern for pair in pairs for pattern in pair))
    versions = {"kernels": header.kernel_version, **header.created_by}
    if as_json:
        emit_json(
            {
                "command": "info",
                "file": file,
                "neighbours": header.neighbours,
                "allocation": header.allocation,
                "pairs": str(len(pairs)),
                "levels": levels,
                "mechanisms": mechanisms,
                "settings": _settings(header),
                "versions": versions,
                "digest": digest,
                "verified": problem is None,
                "rows": [_group_fields(kind, rows) for kind in ("pair", "level")],
            }
        )
    else:
        emit_table(
            [f"{file}: results for {header.allocation}.", relation(header.neighbours)],
            ["what", "value"],
            [
                ["pairs", str(len(pairs))],
                ["mechanisms", str(len(mechanisms))],
                ["levels alone", str(len(levels))],
                ["deltas", ", ".join(map(short, header.settings.deltas))],
                ["thresholds of a trade-off curve, at least", str(header.settings.thresholds)],
                ["points of a privacy profile", str(header.settings.eps_points)],
                ["most surviving nodes", str(_most_survivors(rows))],
                ["absolute error, at most", _largest_bound(rows)["total_bound"]],
                ["digest", digest],
                ["verifies", "yes" if problem is None else "NO"],
            ],
            words=2,
            notes=[
                "Levels alone: " + ", ".join(levels) + ".",
                "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
            ],
        )
    if problem is not None:
        raise problem


def _problem(results: CurveFile, file: str) -> StoreError | None:
    """Why the file does not verify, or None."""
    with progress(f"checking {file}"):
        try:
            results.verify()
        except StoreError as error:
            return error
    return None


def _settings(header: Header) -> dict[str, Any]:
    settings = header.settings
    return {
        "deltas": [given_fields("delta", delta)["delta"] for delta in settings.deltas],
        "thresholds": str(settings.thresholds),
        "eps_points": str(settings.eps_points),
    }


def _group_fields(kind: str, index: list[dict[str, Any]]) -> dict[str, str]:
    """How many results of one kind there are, the most nodes that survived, the largest error bound."""
    rows = [row for row in index if row["kind"] == kind]
    return {
        "kind": kind,
        "results": str(len(rows)),
        **exact_fields("most_survivors", _most_survivors(rows)),
        **_largest_bound(rows),
    }


def _most_survivors(rows: list[dict[str, Any]]) -> int:
    return max((row["survivors"] for row in rows), default=0)


def _largest_bound(rows: list[dict[str, Any]]) -> dict[str, str]:
    return bound_fields("total_bound", max((row["total_bound"] for row in rows), default=0.0))
