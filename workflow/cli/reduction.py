"""`exact-census reduction`: how much less noise would keep the promise that was made."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from workflow.cli.answer import Column, at_least, at_most, emit_rows, given, percent_at_least
from workflow.cli.computing import accountant_of, each
from workflow.cli.options import INSIDE_UNIT, json_option, list_option
from workflow.cli.question import Asked, pair_options

COLUMNS = (
    Column("delta", "delta", given),
    Column("eps_zcdp", "eps by zCDP, at most", at_most),
    Column("reduction", "variance reduction, at least", percent_at_least),
    Column("scale", "every rho times, at least", at_least),
)
NOTES = (
    "With every noise variance divided by the scale, the release still keeps the (eps, delta) that the",
    "Census Bureau's zCDP formula states for it: reduction = 1 - 1/scale.",
)


@click.command()
@pair_options
@click.option(
    "--level",
    metavar="LEVEL",
    help="Instead of --pair: one geographic level alone, its queries against themselves, such as Block.",
)
@list_option("--delta", INSIDE_UNIT, "Values of delta", "1e-6,1e-10,1e-11")
@json_option
def reduction(asked: Asked, delta: tuple[Fraction, ...], as_json: bool) -> None:
    """Variance reduction: the share of all noise variance that exact accounting shows to be unneeded.

    At each delta, eps is what the Census Bureau's zCDP formula promises; the reduction is how much every
    noise variance could shrink before the exact guarantee at that eps exceeds delta.
    """
    question = asked.question("--pair PI,PJ or --level LEVEL")
    accountant = accountant_of(question.composition)

    def row(delta: Fraction) -> dict[str, Any]:
        saved = accountant.reduction(delta)
        return {
            "delta": delta,
            "eps_zcdp": saved.eps_zcdp,
            "reduction": saved.reduction,
            "scale": saved.scale,
        }

    rows = each(question.title, delta, row)
    emit_rows(question.fields("reduction"), question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
