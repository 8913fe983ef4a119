"""`exact-census reduction`: how much less noise would keep the promise that was made."""

from __future__ import annotations

from fractions import Fraction

import click

from workflow.cli.computing import accountant_of, answer_fields
from workflow.cli.output import Column, at_least, at_most, emit_rows, given, json_option, percent_at_least
from workflow.cli.question import pair_options, read_question
from workflow.cli.rationals import INSIDE_UNIT, list_option

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


@click.command("reduction", short_help="Share of the noise variance that is not needed.")
@pair_options
@click.option(
    "--level",
    metavar="LEVEL",
    help="Instead of --pair: one geographic level alone, its queries against themselves, such as Block.",
)
@list_option("--delta", INSIDE_UNIT, "Values of delta", "1e-6,1e-10,1e-11")
@json_option
def reduction(
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    level: str | None,
    delta: tuple[Fraction, ...],
    as_json: bool,
) -> None:
    """Variance reduction: the share of all noise variance that exact accounting shows to be unneeded.

    At each delta, eps is what the Census Bureau's zCDP formula promises; the reduction is how much every
    noise variance could shrink before the exact guarantee at that eps exceeds delta.
    """
    question = read_question(allocation, pair, cells, level, levels=True)
    with accountant_of(question, steps=len(delta)) as (accountant, advance):
        rows = []
        for each in delta:
            found = accountant.reduction(each)
            rows.append(
                {
                    "delta": each,
                    "eps_zcdp": found.eps_zcdp,
                    "reduction": found.reduction,
                    "scale": found.scale,
                }
            )
            advance()
    fields = answer_fields("reduction", question)
    emit_rows(fields, question.heading(), COLUMNS, rows, as_json=as_json, notes=NOTES)
