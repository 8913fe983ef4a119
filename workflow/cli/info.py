"""`exact-census info`: what a result file holds, and whether its content is what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import short
from workflow.cli.errors import BadInput
from workflow.cli.figures import bound_fields, exact_fields, given_fields
from workflow.cli.output import emit_json, emit_table, json_option, relation
from workflow.cli.progress import progress

if TYPE_CHECKING:
    from workflow.results.curves import CurveFile, Header


@click.command("info", short_help="What a result file holds, and whether it is whole.")
@click.argument("file", metavar="FILE.h5")
@json_option
def info(file: str, as_json: bool) -> None:
    """What a result FILE holds: allocation, pairs, levels, settings, versions, digest.

    Reads the whole file to check its content against the digests stored in it. If they differ, says so and
    ends with exit code 2.
    """
    from workflow.results.curves import open_results
    from workflow.results.file import StoreError

    try:
        with open_results(file) as results:
            header, problem = results.header(), _problem(results, file)
            rows, pairs, levels = results.index(), list(results.pairs()), list(results.levels())
            digest = results.digest
    except StoreError as error:
        raise BadInput(str(error)) from None
    mechanisms = list(dict.fromkeys(pattern for pair in pairs for pattern in pair))
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
                "versions": _versions(header),
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
                ["most surviving nodes", str(max((row["survivors"] for row in rows), default=0))],
                ["absolute error, at most", _largest_bound(rows)["total_bound"]],
                ["digest", digest],
                ["verifies", "yes" if problem is None else "NO"],
            ],
            words=2,
            notes=[
                "Levels alone: " + ", ".join(levels) + ".",
                "Versions: "
                + ", ".join(f"{name} {version}" for name, version in _versions(header).items())
                + ".",
            ],
        )
    if problem is not None:
        raise BadInput(problem)


def _problem(results: CurveFile, file: str) -> str | None:
    """Why the file does not verify, or None."""
    from workflow.results.file import StoreError

    with progress(f"checking {file}"):
        try:
            results.verify()
        except StoreError as error:
            return str(error)
    return None


def _versions(header: Header) -> dict[str, str]:
    return {"kernels": header.kernel_version, **header.created_by}


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
    most = max((row["survivors"] for row in rows), default=0)
    return {
        "kind": kind,
        "results": str(len(rows)),
        **exact_fields("most_survivors", most),
        **_largest_bound(rows),
    }


def _largest_bound(rows: list[dict[str, Any]]) -> dict[str, str]:
    return bound_fields("total_bound", max((row["total_bound"] for row in rows), default=0.0))
