"""`exact-census epsilon`: the exact eps at given delta, beside what the usual conversions say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from kernels.accounting.bounds import gaussian, zcdp
from kernels.accounting.census.joint import loose_sum
from workflow.cli.answer import Column, at_most, emit_rows, given
from workflow.cli.computing import accountant_of, each
from workflow.cli.options import PROBABILITY, json_option, list_option
from workflow.cli.question import Asked, pair_options

COLUMNS = (
    Column("delta", "delta", given),
    Column("eps", "eps, at most", at_most),
    Column("eps_zcdp", "zCDP conversion (Census)", at_most),
    Column("eps_cks20", "zCDP conversion (CKS20)", at_most),
    Column("eps_gaussian", "Gaussian limit (not a bound)", at_most),
)
SUM = Column("eps_sum", "sum of the products' eps", at_most)


@click.command()
@pair_options
@list_option("--delta", PROBABILITY, "Values of delta", "1e-6,1e-10,1/3")
@json_option
def epsilon(asked: Asked, delta: tuple[Fraction, ...], as_json: bool) -> None:
    """Exact eps at each delta: the least eps for which the release is (eps, delta)-differentially private.

    Beside it stand the two conversions from zero-concentrated differential privacy (the Census Bureau's own
    formula, and the tighter one of Canonne, Kamath and Steinke 2020), which are never smaller, and the eps of
    the Gaussian limit, which is not a bound. For a joint allocation also the loose sum that is known without
    joint accounting: each product's exact eps at an equal part of delta.
    """
    question = asked.question()
    accountant = accountant_of(question.composition)
    alone = [accountant_of(part).epsilon for part in question.parts.values()]
    rho = question.composition.zcdp_rho

    def row(delta: Fraction) -> dict[str, Any]:
        return {
            "delta": delta,
            "eps": accountant.epsilon(delta),
            "eps_zcdp": zcdp.epsilon(rho, delta),
            "eps_cks20": zcdp.epsilon_cks20(rho, delta),
            "eps_gaussian": gaussian.epsilon(rho, delta),
            **({SUM.key: loose_sum(alone, delta)} if alone else {}),
        }

    rows = each(question.title, delta, row)
    fields = question.fields("epsilon") | {"not_a_bound": ["eps_gaussian"]}
    columns = (*COLUMNS, SUM) if question.parts else COLUMNS
    emit_rows(fields, question.heading(), columns, rows, as_json=as_json)
