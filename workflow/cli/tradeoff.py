"""`exact-census tradeoff`: the trade-off function f between the two errors of any test."""

from __future__ import annotations

from fractions import Fraction

import click

from kernels.accounting.tradeoff.tabulated import Curve
from workflow.cli.answer import Column, at_least, at_most, emit_rows, given
from workflow.cli.computing import accountant_of, each
from workflow.cli.options import PROBABILITY, json_option, list_option
from workflow.cli.question import Asked, pair_options
from workflow.cli.stored import stored_result

COLUMNS = (
    Column("alpha", "alpha", given),
    Column("beta", "beta, at least", at_least),
    Column("beta", "beta, at most", at_most),
)
NOTES = ("No test with false-positive rate alpha has a false-negative rate below beta = f(alpha).",)


@click.command()
@pair_options
@click.option(
    "--curves",
    metavar="FILE.h5",
    help="Instead of an allocation: answer from the stored curve of --pair in a result file, by chords and "
    "tangents, without computing anything.",
)
@list_option("--alpha", PROBABILITY, "False-positive rates alpha from 0 to 1", "0.05,1e-6,1/3")
@json_option
def tradeoff(asked: Asked, alpha: tuple[Fraction, ...], as_json: bool) -> None:
    """The trade-off function: the least false-negative rate beta of any test with false-positive rate alpha.

    This is what an attacker faces who tries to tell from the release whether a record is as they think
    (f-differential privacy). beta comes with the interval in which it is guaranteed to lie.
    """
    if asked.curves is not None:
        question, stored = stored_result(asked)
        first, step = stored.threshold_first, stored.threshold_step
        beta = Curve(first, step, stored.alpha, stored.beta, stored.absolute_bound).at
    else:
        question = asked.question()
        beta = accountant_of(question.composition).tradeoff
    rows = each(question.title, alpha, lambda rate: {"alpha": rate, "beta": beta(rate)})
    emit_rows(question.fields("tradeoff"), question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
