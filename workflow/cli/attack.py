"""`exact-census attack`: what a guarantee means to someone who tests whether a record is as they think."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from workflow.cli.computing import accountant_of, answer_fields
from workflow.cli.errors import BadInput
from workflow.cli.figures import certified_fields
from workflow.cli.output import (
    Column,
    at_least,
    at_most,
    emit_json,
    emit_table,
    given,
    json_option,
    probability_at_most,
    row_fields,
)
from workflow.cli.question import pair_options, read_question
from workflow.cli.rationals import INSIDE_UNIT, PROBABILITY, RationalList
from workflow.cli.stored import stored_result

if TYPE_CHECKING:
    from kernels.accounting.accountant import Accountant
    from kernels.intervals.interval import Interval
    from workflow.results.curves import StoredResult

TESTS = (
    Column("alpha", "false-positive rate", given),
    Column("miss_rate", "false-negative rate, at least", at_least),
    Column("odds_factor", "odds times, at most", at_most),
    Column("prior", "prior", given),
    Column("posterior", "posterior, at most", lambda found: probability_at_most(*found)),
)
LOSSES = (
    Column("delta", "delta", given),
    Column("eps", "eps, at most", at_most),
    Column("odds_factor", "odds times e^eps, at most", at_most),
    Column("exceeded", "more than that with probability, at most", probability_at_most),
    Column("prior", "prior", given),
    Column("posterior", "posterior, at most", lambda found: probability_at_most(*found)),
)
NOTES = (
    "The attacker tells two neighbours apart and claims one of them. Prior, posterior: how likely the claim",
    "is right, before it and after. The odds grow by (1 - false negatives) / false positives at most.",
    "By eps: one release multiplies the odds by at most e^eps, but for the probability in the second table.",
)


@click.command("attack", short_help="Posterior odds, false-negative rates and advantage of an attacker.")
@pair_options
@click.option(
    "--curves",
    metavar="FILE.h5",
    help="Instead of an allocation: answer from what a result file holds of --pair, computing nothing.",
)
@click.option(
    "--alpha",
    type=RationalList(PROBABILITY),
    metavar="LIST",
    help="False-positive rates, separated by commas; default 0.01,0.05,0.1.",
)
@click.option(
    "--prior",
    type=RationalList(PROBABILITY),
    metavar="LIST",
    default=(Fraction(1, 2),),
    help="Probabilities that the attacker starts from, separated by commas; default 1/2.",
)
@click.option(
    "--delta",
    type=RationalList(INSIDE_UNIT),
    metavar="LIST",
    help="Values of delta whose eps is told beside; default 1e-10, with --curves those of the file.",
)
@json_option
def attack(
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    curves: str | None,
    alpha: tuple[Fraction, ...] | None,
    prior: tuple[Fraction, ...],
    delta: tuple[Fraction, ...] | None,
    as_json: bool,
) -> None:
    """What the guarantee means to an attacker who tests whether a record is as they think.

    Gives the least false-negative rate of any test at each false-positive rate, by how much its claim can
    multiply the odds, the posterior from each prior, the membership advantage (true-positive minus
    false-positive rate of the best test, the total variation distance), and the same by eps.
    """
    if curves is not None:
        if allocation is not None or cells is not None or pair is None or delta is not None:
            raise BadInput("--curves goes with --pair PI,PJ, and not with --allocation, --cells or --delta.")
        question, result = stored_result(curves, pair)
        try:
            found = _of_stored(result, alpha)
        except ValueError as error:  # bounds that enclose nothing
            raise BadInput(f"{curves}: damaged: {error}") from None
    else:
        question = read_question(allocation, pair, cells)
        with accountant_of(question) as (accountant, _):
            found = _of_accountant(accountant, alpha, delta or (Fraction(1, 10**10),))
    tests, losses = list(_test_rows(found, prior)), list(_loss_rows(found, prior))
    if as_json:
        emit_json(
            {
                **answer_fields("attack", question),
                **certified_fields("advantage", found.advantage),
                "rows": [_fields(row) for row in tests],
                "losses": [_fields(row) for row in losses],
            }
        )
        return
    heading = [*question.heading(), f"Membership advantage, at most: {probability_at_most(found.advantage)}."]
    emit_table(heading, *_cells(TESTS, tests))
    emit_table([], *_cells(LOSSES, losses), notes=NOTES)


@dataclass(frozen=True, slots=True)
class _Found:
    """The advantage; alpha and f(alpha) of every test; delta, eps and Q(T > eps) of every delta."""

    advantage: Interval
    tests: list[tuple[Fraction, Interval]]
    losses: list[tuple[Fraction, Interval, Interval]]


def _of_accountant(
    accountant: Accountant, alpha: tuple[Fraction, ...] | None, delta: tuple[Fraction, ...]
) -> _Found:
    from kernels.accounting.attack import FALSE_POSITIVE_RATES, exceeded

    epsilons = {each: accountant.epsilon(each) for each in delta}
    return _Found(
        accountant.profile([Fraction(0)])[0].delta,
        [(each, accountant.tradeoff(each)) for each in alpha or FALSE_POSITIVE_RATES],
        [(each, eps, exceeded(accountant.profile, eps)) for each, eps in epsilons.items()],
    )


def _of_stored(result: StoredResult, alpha: tuple[Fraction, ...] | None) -> _Found:
    from kernels.accounting.attack import FALSE_POSITIVE_RATES
    from kernels.intervals.interval import from_floats
    from workflow.results.attack import StoredAttack

    stored = StoredAttack(result)
    epsilons = [from_floats(*row) for row in result.epsilon.tolist()]
    return _Found(
        stored.advantage,
        [(each, stored.miss_rate(each)) for each in alpha or FALSE_POSITIVE_RATES],
        [(each, eps, stored.exceeded(eps)) for each, eps in zip(result.deltas, epsilons, strict=True)],
    )


def _posterior(prior: Fraction, factor: Interval) -> tuple[Interval, Interval]:
    """The posterior, and 1 - posterior."""
    from kernels.accounting.attack import doubt, posterior

    return posterior(prior, factor), doubt(prior, factor)


def _test_rows(found: _Found, prior: tuple[Fraction, ...]) -> Iterator[dict[str, Any]]:
    from kernels.accounting.attack import odds_factor

    for alpha, miss in found.tests:
        factor = odds_factor(alpha, miss)
        for each in prior:
            yield {
                "alpha": alpha,
                "miss_rate": miss,
                "odds_factor": factor,
                "prior": each,
                "posterior": _posterior(each, factor),
            }


def _loss_rows(found: _Found, prior: tuple[Fraction, ...]) -> Iterator[dict[str, Any]]:
    from kernels.accounting.attack import largest_factor

    for delta, eps, exceeded in found.losses:
        factor = largest_factor(eps)
        for each in prior:
            yield {
                "delta": delta,
                "eps": eps,
                "odds_factor": factor,
                "exceeded": exceeded,
                "prior": each,
                "posterior": _posterior(each, factor),
            }


def _fields(row: dict[str, Any]) -> dict[str, str]:
    """JSON fields of a row."""
    return row_fields(row | {"posterior": row["posterior"][0]})


def _cells(columns: tuple[Column, ...], rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Titles and texts of a table."""
    return (
        [column.title for column in columns],
        [[column.show(row[column.key]) for column in columns] for row in rows],
    )
