"""`exact-census export`: what other programs can read: budget tables, curves, privacy loss distributions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import short
from workflow.cli.choices import Words
from workflow.cli.computing import answer_fields, refusals
from workflow.cli.errors import BadInput
from workflow.cli.figures import bound_fields, exact_fields
from workflow.cli.output import emit_json, emit_table, json_option, relation
from workflow.cli.progress import counted
from workflow.cli.question import Question, pair_options, read_allocation, read_question
from workflow.cli.rationals import POSITIVE, Rational
from workflow.cli.stored import stored_result

if TYPE_CHECKING:
    from kernels.accounting.result import PairResult
    from workflow.results.curves import StoredResult

FORMATS = ("table", "curve", "profile", "pld")
STYLES = ("rho", "shares", "percent", "long")
GRID = Fraction(1, 1000)


@click.command("export", short_help="Budget table, curve or privacy loss distribution for other programs.")
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
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", required=True, help="The file to write."
)
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@json_option
def export(
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    curves: str | None,
    kind: str,
    style: str,
    grid: Fraction,
    output: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Write a budget table, a curve or a privacy loss distribution to a file that other programs read.

    A table needs --allocation alone; the others need a pair. The distribution is pessimistic: each loss is
    rounded up to the grid, so that delta computed from it is at least the exact delta(eps) and at most
    delta(eps - G).
    """
    from workflow.errors import ConfigError
    from workflow.files import check_free

    try:
        check_free(output, force)
    except ConfigError as error:
        raise BadInput(f"--output: {error}.") from None
    if kind == "table":
        fields, told = _table(allocation, pair or cells or curves, style, output)
    elif kind == "pld":
        if curves is not None:
            raise BadInput("--curves goes with --format curve or profile.")
        fields, told = _distribution(read_question(allocation, pair, cells), grid, output)
    else:
        fields, told = _curve(kind, allocation, pair, cells, curves, output)
    fields |= {"format": kind, "output": str(output)}
    if as_json:
        emit_json({**fields, "rows": [told]})
        return
    rows = [
        [name.replace("_", " "), text]
        for name, text in told.items()
        if not name.endswith(("_lower", "_upper", "_exact"))
    ]
    heading = [f"{output}: {kind} of {fields.get('allocation') or fields.get('cells')}."]
    emit_table([*heading, relation(fields["neighbours"])], ["what", "value"], rows, words=1)


def _table(
    allocation: str | None, other: str | None, style: Any, output: Path
) -> tuple[dict[str, Any], dict[str, str]]:
    from workflow.allocation.budget_csv import table_text
    from workflow.files import write_text

    if allocation is None or other is not None:
        raise BadInput("--format table needs --allocation NAME|FILE and nothing else to name what is meant.")
    loaded = read_allocation(allocation)
    write_text(output, table_text(loaded, style))
    fields = {"command": "export", "neighbours": loaded.neighbours, "allocation": loaded.name}
    cells = sum(len(asked) for asked in loaded.rho.values())
    return fields, {"style": style, "numbers": str(cells), **exact_fields("total_rho", loaded.total_rho)}


def _distribution(question: Question, grid: Fraction, output: Path) -> tuple[dict[str, Any], dict[str, str]]:
    import json

    from kernels.accounting.accountant import Accountant
    from kernels.accounting.loss_distribution import MOST_POINTS, loss_distribution, points_needed
    from workflow.files import write_text

    step = float(grid)
    if step == 0 or sum(points_needed(question.composition.total_rho, step)) > MOST_POINTS:
        raise BadInput(f"--grid: {short(grid)} needs more than {MOST_POINTS} losses here; take a wider one.")
    with counted(f"exporting {question.title}") as advance, refusals():
        found = loss_distribution(Accountant(question.composition), step, advance)
    head = answer_fields("export", question)
    document = {
        "format": "exact-census privacy loss distribution 1",
        **{key: value for key, value in head.items() if key != "command"},
        "pessimistic": True,
        "discretization": found.grid,
        "lowest_loss": found.lowest,
        "infinity_mass": found.infinity_mass,
        "probabilities": found.probabilities.tolist(),
    }
    write_text(output, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    last = found.lowest + len(found.probabilities) - 1
    told = {
        "grid": repr(found.grid),
        "losses": str(len(found.probabilities)),
        "lowest_loss": repr(found.lowest * found.grid),
        "highest_loss": repr(last * found.grid),
        **bound_fields("infinity_mass", found.infinity_mass),
    }
    return head, told


def _curve(
    kind: str,
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    curves: str | None,
    output: Path,
) -> tuple[dict[str, Any], dict[str, str]]:
    from workflow.files import write_text
    from workflow.results.curve_csv import profile_csv, tradeoff_csv

    result: StoredResult | PairResult
    if curves is not None:
        if allocation is not None or cells is not None or pair is None:
            raise BadInput("--curves goes with --pair PI,PJ, and neither with --allocation nor --cells.")
        question, result = stored_result(curves, pair)
    else:
        question = read_question(allocation, pair, cells)
        with counted(f"exporting {question.title}"), refusals():
            from kernels.accounting.evaluate import evaluate
            from kernels.accounting.settings import Settings

            result = evaluate([question.composition], Settings(deltas=()))[0]
    text = (tradeoff_csv if kind == "curve" else profile_csv)(result)
    write_text(output, text)
    return answer_fields("export", question), {"points": str(text.count("\n") - 1)}
