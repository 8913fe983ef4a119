"""`exact-census import`: a published budget table becomes an allocation file."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.design.rescale import with_rho
from kernels.intervals.text import short
from workflow.allocation.budget_csv import read_budget
from workflow.allocation.read import load_allocation
from workflow.allocation.write import allocation_name, checked_text, prose
from workflow.cli.answer import emit_json, emit_table, exact_fields, relation
from workflow.cli.options import POSITIVE, Rational, check_output, force_option, json_option, output_option
from workflow.files import write_text


@click.command()
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@click.option(
    "--like",
    metavar="NAME|FILE",
    required=True,
    help="The allocation whose levels, bypass patterns, deltas and resolution the new one gets.",
)
@click.option(
    "--total-rho", type=Rational(POSITIVE), metavar="R", help="The total rho, where the table does not say."
)
@click.option("--title", metavar="TEXT", help="Title of the new allocation; default: the table's file name.")
@click.option("--source", metavar="TEXT", help="Where the numbers come from; default: the table's file name.")
@output_option("FILE.yaml", "The allocation file to write; without it the table is only checked.")
@force_option
@json_option
def import_table(
    file: Path,
    like: str,
    total_rho: Fraction | None,
    title: str | None,
    source: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Read a budget table FILE.csv, wide or long, and write it as an allocation file.

    Numbers are rhos or, with a row of the levels' shares, shares as fractions or per cent
    (docs/allocations.md). Nothing is rounded: shares must add up to exactly 1, rhos to the total.
    """
    check_output(output, force)
    base = load_allocation(like)
    queries = list(dict.fromkeys(query for asked in base.rho.values() for query in asked))
    made = replace(
        with_rho(base, read_budget(file, base.levels, queries, total_rho)),
        name=allocation_name(output) if output else base.name,
        title=prose(title or f"Imported from {file.name}"),
        source=prose(source or f"{file.name}, by exact-census import"),
    )
    text = checked_text(made, [f"Imported from {file.name} by exact-census; bypass as in {base.name}."])
    if output is not None:
        write_text(output, text)
    if as_json:
        _print_json(file, made, output)
        return
    emit_table(
        [f"{file}: right; total rho {short(made.total_rho)}.", relation(made.neighbours)],
        ["level", "queries", "rho"],
        [[level, str(len(made.rho[level])), short(made.level_rho(level))] for level in made.levels],
        words=1,
        notes=[f"Written: {output}." if output else "Nothing was written; --output FILE.yaml writes it."],
    )


def _print_json(file: Path, made: Allocation, output: Path | None) -> None:
    emit_json(
        {
            "command": "import",
            "file": str(file),
            "neighbours": made.neighbours,
            "allocation": made.name,
            "output": None if output is None else str(output),
            **exact_fields("total_rho", made.total_rho),
            "rows": [
                {"level": level, "query": query, **exact_fields("rho", made.rho[level][query])}
                for level in made.levels
                for query in made.rho[level]
            ],
        }
    )
