"""`exact-census epsilon`: the exact eps at given delta, beside what the usual conversions say."""

from __future__ import annotations

from fractions import Fraction

import click

from workflow.cli.computing import accountant_of, answer_fields
from workflow.cli.output import Column, at_most, emit_rows, given, json_option
from workflow.cli.question import pair_options, read_question
from workflow.cli.rationals import PROBABILITY, list_option

COLUMNS = (
    Column("delta", "delta", given),
    Column("eps", "eps, at most", at_most),
    Column("eps_zcdp", "zCDP conversion (Census)", at_most),
    Column("eps_cks20", "zCDP conversion (CKS20)", at_most),
    Column("eps_gaussian", "Gaussian limit (not a bound)", at_most),
)
SUM = Column("eps_sum", "sum of the products' eps", at_most)


@click.command("epsilon", short_help="Exact eps at given delta, beside the zCDP conversions.")
@pair_options
@list_option("--delta", PROBABILITY, "Values of delta", "1e-6,1e-10,1/3")
@json_option
def epsilon(
    allocation: str | None, pair: str | None, cells: str | None, delta: tuple[Fraction, ...], as_json: bool
) -> None:
    """Exact eps at each delta: the least eps for which the release is (eps, delta)-differentially private.

    Beside it stand the two conversions from zero-concentrated differential privacy (the Census Bureau's own
    formula, and the tighter one of Canonne, Kamath and Steinke 2020), which are never smaller, and the eps of
    the Gaussian limit, which is not a bound. For a joint allocation also the loose sum that is known without
    joint accounting: each product's exact eps at an equal part of delta.
    """
    question = read_question(allocation, pair, cells)
    with accountant_of(question, steps=len(delta)) as (accountant, advance):
        from kernels.accounting.accountant import Accountant
        from kernels.accounting.bounds import gaussian, zcdp
        from kernels.accounting.census.joint import loose_sum

        alone = [Accountant(part).epsilon for part in question.parts.values()]
        rho = question.composition.zcdp_rho
        rows = []
        for each in delta:
            rows.append(
                {
                    "delta": each,
                    "eps": accountant.epsilon(each),
                    "eps_zcdp": zcdp.epsilon(rho, each),
                    "eps_cks20": zcdp.epsilon_cks20(rho, each),
                    "eps_gaussian": gaussian.epsilon(rho, each),
                }
                | ({SUM.key: loose_sum(alone, each)} if alone else {})
            )
            advance()
    fields = answer_fields("epsilon", question) | {"not_a_bound": ["eps_gaussian"]}
    columns = (*COLUMNS, SUM) if question.parts else COLUMNS
    emit_rows(fields, question.heading(), columns, rows, as_json=as_json)
