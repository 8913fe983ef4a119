"""`exact-census profile`: delta at given eps, and the two tails it is made of."""

from __future__ import annotations

from fractions import Fraction

import click

from workflow.cli.answer import Column, at_least, at_most, emit_rows, given
from workflow.cli.computing import accountant_of, progress
from workflow.cli.options import ANY_REAL, json_option, list_option
from workflow.cli.question import Asked, pair_options

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


@click.command()
@pair_options
@list_option("--eps", ANY_REAL, "Values of eps", "0,24.5,49/2,-1")
@json_option
def profile(asked: Asked, eps: tuple[Fraction, ...], as_json: bool) -> None:
    """Exact delta at each eps: the release is (eps, delta)-differentially private.

    Also gives, at the same eps, the false-positive rate alpha = P(T > eps) and the power Q(T > eps) of the
    most powerful test between two neighbouring data sets.
    """
    question = asked.question()
    with progress(question.title):
        points = accountant_of(question.composition).profile(eps)
    rows = [
        {"eps": point.eps, "delta": point.delta, "alpha": point.alpha, "power": point.power}
        for point in points
    ]
    emit_rows(question.fields("profile"), question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
