"""`exact-census attack`: what a guarantee means to someone who tests whether a record is as they think."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from kernels.accounting.attack import (
    FALSE_POSITIVE_RATES,
    doubt,
    exceeded,
    largest_factor,
    odds_factor,
    posterior,
)
from kernels.intervals.interval import Interval, from_floats
from workflow.cli.answer import (
    Column,
    at_least,
    at_most,
    emit_columns,
    emit_json,
    given,
    interval_fields,
    probability_at_most,
    row_fields,
)
from workflow.cli.computing import accountant_of, progress
from workflow.cli.options import INSIDE_UNIT, PROBABILITY, json_option, optional_list
from workflow.cli.question import Asked, pair_options
from workflow.cli.stored import stored_result
from workflow.errors import ConfigError
from workflow.results.attack import StoredAttack
from workflow.results.curves import StoredResult

if TYPE_CHECKING:  # the compiler behind it is loaded only when something is computed
    from kernels.accounting.accountant import Accountant

TESTS = (
    Column("alpha", "false-positive rate", given),
    Column("miss_rate", "false-negative rate, at least", at_least),
    Column("odds_factor", "odds times, at most", at_most),
    Column("prior", "prior", given),
    Column("posterior", "posterior, at most", lambda both: probability_at_most(*both)),
)
LOSSES = (
    Column("delta", "delta", given),
    Column("eps", "eps, at most", at_most),
    Column("odds_factor", "odds times e^eps, at most", at_most),
    Column("exceeded", "more than that with probability, at most", probability_at_most),
    Column("prior", "prior", given),
    Column("posterior", "posterior, at most", lambda both: probability_at_most(*both)),
)
NOTES = (
    "The attacker tells two neighbours apart and claims one of them. Prior, posterior: how likely the claim",
    "is right, before it and after. The odds grow by (1 - false negatives) / false positives at most.",
    "By eps: one release multiplies the odds by at most e^eps, but for the probability in the second table.",
)


@click.command()
@pair_options
@click.option(
    "--curves",
    metavar="FILE.h5",
    help="Instead of an allocation: answer from what a result file holds of --pair, computing nothing.",
)
@optional_list("--alpha", PROBABILITY, "False-positive rates, separated by commas; default 0.01,0.05,0.1.")
@optional_list(
    "--prior",
    PROBABILITY,
    "Probabilities that the attacker starts from, separated by commas; default 1/2.",
    Fraction(1, 2),
)
@optional_list(
    "--delta",
    INSIDE_UNIT,
    "Values of delta whose eps is told beside; default 1e-10, with --curves those of the file.",
)
@json_option
def attack(
    asked: Asked,
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
    rates = alpha or FALSE_POSITIVE_RATES
    if asked.curves is not None:
        if delta is not None:
            raise ConfigError("--curves cannot go with --delta: the deltas are those of the file.")
        question, result = stored_result(asked)
        try:
            figures = _of_stored(result, rates)
        except ValueError as error:  # bounds that enclose nothing
            raise ConfigError(f"{asked.curves}: damaged: {error}") from None
    else:
        question = asked.question()
        with progress(question.title):
            accountant = accountant_of(question.composition)
            figures = _of_accountant(accountant, rates, delta or (Fraction(1, 10**10),))
    tests, losses = list(_test_rows(figures, prior)), list(_loss_rows(figures, prior))
    if as_json:
        emit_json(
            {
                **question.fields("attack"),
                **interval_fields("advantage", figures.advantage),
                "rows": [_fields(row) for row in tests],
                "losses": [_fields(row) for row in losses],
            }
        )
        return
    advantage = f"Membership advantage, at most: {probability_at_most(figures.advantage)}."
    emit_columns([*question.heading(), advantage], TESTS, tests)
    emit_columns([], LOSSES, losses, notes=NOTES)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The advantage; alpha and f(alpha) of every test; delta, eps and Q(T > eps) of every delta."""

    advantage: Interval
    tests: list[tuple[Fraction, Interval]]
    losses: list[tuple[Fraction, Interval, Interval]]


def _of_accountant(
    accountant: Accountant, rates: tuple[Fraction, ...], deltas: tuple[Fraction, ...]
) -> _Figures:
    epsilons = [accountant.epsilon(delta) for delta in deltas]
    return _Figures(
        accountant.profile([Fraction(0)])[0].delta,
        [(rate, accountant.tradeoff(rate)) for rate in rates],
        [
            (delta, eps, exceeded(accountant.profile, eps))
            for delta, eps in zip(deltas, epsilons, strict=True)
        ],
    )


def _of_stored(result: StoredResult, rates: tuple[Fraction, ...]) -> _Figures:
    stored = StoredAttack(result)
    epsilons = [from_floats(*row) for row in result.epsilon.tolist()]
    return _Figures(
        stored.advantage,
        [(rate, stored.miss_rate(rate)) for rate in rates],
        [(delta, eps, stored.exceeded(eps)) for delta, eps in zip(result.deltas, epsilons, strict=True)],
    )


def _test_rows(figures: _Figures, priors: tuple[Fraction, ...]) -> Iterator[dict[str, Any]]:
    for alpha, miss in figures.tests:
        factor = odds_factor(alpha, miss)
        for prior in priors:
            yield {"alpha": alpha, "miss_rate": miss, "odds_factor": factor, **_belief(prior, factor)}


def _loss_rows(figures: _Figures, priors: tuple[Fraction, ...]) -> Iterator[dict[str, Any]]:
    for delta, eps, power in figures.losses:
        factor = largest_factor(eps)
        for prior in priors:
            row = {"delta": delta, "eps": eps, "odds_factor": factor, "exceeded": power}
            yield {**row, **_belief(prior, factor)}


def _belief(prior: Fraction, factor: Interval) -> dict[str, Any]:
    """The prior; and the posterior, with 1 - posterior."""
    return {"prior": prior, "posterior": (posterior(prior, factor), doubt(prior, factor))}


def _fields(row: dict[str, Any]) -> dict[str, str]:
    """JSON fields of a row."""
    return row_fields(row | {"posterior": row["posterior"][0]})
