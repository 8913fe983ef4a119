"""`exact-census profile`: delta at given eps, and the two tails it is made of."""

from __future__ import annotations

from fractions import Fraction

import click

from workflow.cli.computing import accountant_of, answer_fields
from workflow.cli.output import Column, at_least, at_most, emit_rows, given, json_option
from workflow.cli.question import pair_options, read_question
from workflow.cli.rationals import ANY_REAL, list_option

COLUMNS = (
    Column("eps", "eps", given),
    Column("delta", "delta, at most", at_most),
    Column("alpha", "P(T > eps), at least", at_least),
    Column("power", "Q(T > eps), at most", at_most),
)
NOTES = (
    "delta(eps) = Q(T > eps) - e^eps P(T > eps); T is the log-likelihood ratio of two neighbours, P and Q.",
    "The test that decides for Q when T > eps has false-positive rate P(T > eps) and power Q(T > eps).",
)


@click.command("profile", short_help="Exact delta at given eps, with both tails.")
@pair_options
@list_option("--eps", ANY_REAL, "Values of eps", "0,24.5,49/2,-1")
@json_option
def profile(
    allocation: str | None, pair: str | None, cells: str | None, eps: tuple[Fraction, ...], as_json: bool
) -> None:
    """Exact delta at each eps: the release is (eps, delta)-differentially private.

    Also gives, at the same eps, the false-positive rate alpha = P(T > eps) and the power Q(T > eps) of the
    most powerful test between two neighbouring data sets.
    """
    question = read_question(allocation, pair, cells)
    with accountant_of(question) as (accountant, _):
        points = accountant.profile(eps)
    rows = [
        {"eps": point.eps, "delta": point.delta, "alpha": point.alpha, "power": point.power}
        for point in points
    ]
    fields = answer_fields("profile", question)
    emit_rows(fields, question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
