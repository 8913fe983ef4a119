"""`exact-census tradeoff`: the trade-off function f between the two errors of any test."""

from __future__ import annotations

from fractions import Fraction

import click

from workflow.cli.computing import accountant_of, answer_fields
from workflow.cli.errors import BadInput
from workflow.cli.output import Column, at_least, at_most, emit_rows, given, json_option
from workflow.cli.question import pair_options, read_question
from workflow.cli.rationals import PROBABILITY, list_option
from workflow.cli.stored import stored_curve

COLUMNS = (
    Column("alpha", "alpha", given),
    Column("beta", "beta, at least", at_least),
    Column("beta", "beta, at most", at_most),
)
NOTES = ("No test with false-positive rate alpha has a false-negative rate below beta = f(alpha).",)


@click.command("tradeoff", short_help="Least false-negative rate of any test, given its false-positive rate.")
@pair_options
@click.option(
    "--curves",
    metavar="FILE.h5",
    help="Instead of an allocation: answer from the stored curve of --pair in a result file, by chords and "
    "tangents, without computing anything.",
)
@list_option("--alpha", PROBABILITY, "False-positive rates alpha from 0 to 1", "0.05,1e-6,1/3")
@json_option
def tradeoff(
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    curves: str | None,
    alpha: tuple[Fraction, ...],
    as_json: bool,
) -> None:
    """The trade-off function: the least false-negative rate beta of any test with false-positive rate alpha.

    This is what an attacker faces who tries to tell from the release whether a record is as they think
    (f-differential privacy). beta comes with the interval in which it is guaranteed to lie.
    """
    if curves is not None:
        if allocation is not None or cells is not None or pair is None:
            raise BadInput("--curves goes with --pair PI,PJ, and neither with --allocation nor --cells.")
        question, curve = stored_curve(curves, pair)
        rows = [{"alpha": each, "beta": curve.at(each)} for each in alpha]
    else:
        question = read_question(allocation, pair, cells)
        with accountant_of(question, steps=len(alpha)) as (accountant, advance):
            rows = []
            for each in alpha:
                rows.append({"alpha": each, "beta": accountant.tradeoff(each)})
                advance()
    fields = answer_fields("tradeoff", question)
    emit_rows(fields, question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
