"""`exact-census convert`: eps of a bare zCDP budget, when nothing is known of the mechanisms behind it."""

from __future__ import annotations

from fractions import Fraction

import click

from kernels.accounting.bounds import zcdp
from workflow.cli.answer import Column, at_most, emit_rows, given, given_fields
from workflow.cli.options import POSITIVE, PROBABILITY, Rational, json_option, list_option

NEIGHBOURS = "that of the zCDP budget given"
COLUMNS = (
    Column("delta", "delta", given),
    Column("eps_zcdp", "eps, Census formula, at most", at_most),
    Column("eps_cks20", "eps, CKS20, at most", at_most),
)


@click.command()
@click.option(
    "--rho",
    type=Rational(POSITIVE),
    metavar="R",
    required=True,
    help="The zCDP budget, read exactly: 4.9622 or 1/2.",
)
@list_option("--delta", PROBABILITY, "Values of delta", "1e-6,1e-10")
@json_option
def convert(rho: Fraction, delta: tuple[Fraction, ...], as_json: bool) -> None:
    """Convert a zCDP budget rho to eps at each delta, without knowing the mechanisms.

    Gives the Census Bureau's own formula, rho + 2 sqrt(rho ln(1/delta)), and the tighter conversion of
    Canonne, Kamath and Steinke (2020). Both hold for every rho-zCDP release; where the cells are known,
    `epsilon` gives the exact, smaller eps. At delta 1 both are 0, as any release is (0, 1)-private.
    """
    rows = [
        {"delta": each, "eps_zcdp": zcdp.epsilon(rho, each), "eps_cks20": zcdp.epsilon_cks20(rho, each)}
        for each in delta
    ]
    fields = {"command": "convert", "neighbours": NEIGHBOURS, **given_fields("rho", rho)}
    heading = [f"zCDP budget rho = {given(rho)}", f"Neighbours: {NEIGHBOURS}."]
    emit_rows(fields, heading, COLUMNS, rows, as_json=as_json)
