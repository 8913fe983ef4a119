"""`exact-census export`: what other programs can read: budget tables, curves, privacy loss distributions."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from kernels.accounting.settings import Settings
from kernels.intervals.text import short
from workflow.allocation.budget_csv import table_text
from workflow.allocation.read import load_allocation
from workflow.cli.answer import bound_fields, emit_json, emit_table, exact_fields, relation
from workflow.cli.computing import accountant_of, progress
from workflow.cli.options import (
    POSITIVE,
    Rational,
    Words,
    check_output,
    force_option,
    json_option,
    output_option,
)
from workflow.cli.question import Asked, Question, pair_options
from workflow.cli.stored import stored_result
from workflow.errors import ConfigError
from workflow.files import write_text
from workflow.results.curve_csv import profile_csv, tradeoff_csv

FORMATS = ("table", "curve", "profile", "pld")
STYLES = ("rho", "shares", "percent", "long")
GRID = Fraction(1, 1000)

Told = tuple[dict[str, Any], dict[str, str]]
"""Fields at the head of the answer, and its row."""


@click.command()
@pair_options
@click.option(
    "--curves", metavar="FILE.h5", help="For curve and profile, instead of an allocation: a result file."
)
@click.option(
    "--format",
    "kind",
    type=Words(FORMATS),
    required=True,
    help="table: the allocation's budget, CSV. curve, profile: the pair's trade-off function or privacy "
    "profile, CSV. pld: its privacy loss distribution, JSON.",
)
@click.option("--style", type=Words(STYLES), default="rho", help="Style of a table; default rho.")
@click.option(
    "--grid",
    type=Rational(POSITIVE),
    default=GRID,
    metavar="G",
    help="Distance of the losses of a pld; default 1e-3.",
)
@output_option("FILE", "The file to write.", required=True)
@force_option
@json_option
def export(
    asked: Asked, kind: str, style: str, grid: Fraction, output: Path, force: bool, as_json: bool
) -> None:
    """Write a budget table, a curve or a privacy loss distribution to a file that other programs read.

    A table needs --allocation alone; the others need a pair. The distribution is pessimistic: each loss is
    rounded up to the grid, so that delta computed from it is at least the exact delta(eps) and at most
    delta(eps - G).
    """
    check_output(output, force)
    if kind == "table":
        fields, row = _table(asked, style, output)
    elif kind == "pld":
        if asked.curves is not None:
            raise ConfigError("--curves goes with --format curve or profile.")
        fields, row = _distribution(asked.question(), grid, output)
    else:
        fields, row = _curve(kind, asked, output)
    fields |= {"format": kind, "output": str(output)}
    if as_json:
        emit_json({**fields, "rows": [row]})
        return
    rows = [
        [name.replace("_", " "), text]
        for name, text in row.items()
        if not name.endswith(("_lower", "_upper", "_exact"))
    ]
    heading = [f"{output}: {kind} of {fields.get('allocation') or fields.get('cells')}."]
    emit_table([*heading, relation(fields["neighbours"])], ["what", "value"], rows, words=1)


def _table(asked: Asked, style: Any, output: Path) -> Told:
    if asked.allocation is None or asked != Asked(asked.allocation):
        raise ConfigError(
            "--format table needs --allocation NAME|FILE and nothing else to name what is meant."
        )
    allocation = load_allocation(asked.allocation)
    write_text(output, table_text(allocation, style))
    fields = {"command": "export", "neighbours": allocation.neighbours, "allocation": allocation.name}
    cells = sum(map(len, allocation.rho.values()))
    return fields, {"style": style, "numbers": str(cells), **exact_fields("total_rho", allocation.total_rho)}


def _distribution(question: Question, grid: Fraction, output: Path) -> Told:
    from kernels.accounting import loss_distribution  # loads the compiler

    step, most = float(grid), loss_distribution.MOST_POINTS
    if step == 0 or sum(loss_distribution.points_needed(question.composition.total_rho, step)) > most:
        raise ConfigError(f"--grid: {short(grid)} needs more than {most} losses here; take a wider one.")
    with progress(f"exporting {question.title}") as advance:
        accountant = accountant_of(question.composition)
        law = loss_distribution.loss_distribution(accountant, step, advance)
    head = question.fields("export")
    document = {
        "format": "exact-census privacy loss distribution 1",
        **{key: value for key, value in head.items() if key != "command"},
        "pessimistic": True,
        "discretization": law.grid,
        "lowest_loss": law.lowest,
        "infinity_mass": law.infinity_mass,
        "probabilities": law.probabilities.tolist(),
    }
    write_text(output, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    last = law.lowest + len(law.probabilities) - 1
    return head, {
        "grid": repr(law.grid),
        "losses": str(len(law.probabilities)),
        "lowest_loss": repr(law.lowest * law.grid),
        "highest_loss": repr(last * law.grid),
        **bound_fields("infinity_mass", law.infinity_mass),
    }


def _curve(kind: str, asked: Asked, output: Path) -> Told:
    csv_of = tradeoff_csv if kind == "curve" else profile_csv
    if asked.curves is not None:
        question, stored = stored_result(asked)
        text = csv_of(stored)
    else:
        question = asked.question()
        with progress(f"exporting {question.title}"):
            from kernels.accounting.evaluate import evaluate  # loads the compiler

            text = csv_of(evaluate([question.composition], Settings(deltas=()))[0])
    write_text(output, text)
    return question.fields("export"), {"points": str(text.count("\n") - 1)}
