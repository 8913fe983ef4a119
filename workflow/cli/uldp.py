"""`exact-census uldp`: the least error of distribution estimation when only some values need local
privacy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from kernels.intervals.interval import Interval, from_fraction
from kernels.intervals.text import plain_integer
from kernels.uldp.bounds import Certificate, Enclosure, certify
from kernels.uldp.domain import Domain
from kernels.uldp.saddle import solve
from workflow.cli.answer import (
    at_most,
    bound_fields,
    emit_json,
    emit_table,
    given,
    given_fields,
    interval_fields,
)
from workflow.cli.options import Range, json_option, list_option
from workflow.errors import ConfigError

MOST_SYMBOLS, MOST_SENSITIVE = 10**9, 10**5
EPS = Range("1e-6 to 100", Fraction(1, 10**6), Fraction(100))
NEIGHBOURS = "any two values of one client; only sensitive values are protected"
SHARE_DIGITS = 6


@click.command()
@click.option(
    "--w",
    "symbols",
    type=click.IntRange(2, MOST_SYMBOLS),
    metavar="W",
    required=True,
    help="Number of values.",
)
@click.option(
    "--v",
    "sensitive",
    type=click.IntRange(1, MOST_SENSITIVE),
    metavar="V",
    required=True,
    help="Number of sensitive values, at most W.",
)
@list_option("--eps", EPS, "Values of eps from 1e-6 to 100", "1,2.5,1/3")
@json_option
def uldp(symbols: int, sensitive: int, eps: tuple[Fraction, ...], as_json: bool) -> None:
    """The limit M* of estimating a distribution over W values, V of them sensitive, and what attains it.

    Every client sends one report. Sensitive values get eps-local differential privacy, the others must not
    give them away (utility-optimised local differential privacy). M* is the least worst-case n E||P_hat -
    P||^2 as the number n of clients grows. alpha_star is the probability of the sensitive values at the least
    favourable P, t_star the probabilities of the block sizes k of the optimal mechanism (k = 1: randomised
    response).
    """
    if sensitive > symbols:
        raise ConfigError(f"--v: {sensitive} is more than --w, {symbols}; allowed: 1 to {symbols}")
    answers = [_answer(Domain(symbols, sensitive), each) for each in eps]
    if as_json:
        emit_json(
            {
                "command": "uldp",
                "neighbours": NEIGHBOURS,
                "w": plain_integer(symbols),
                "v": plain_integer(sensitive),
                "rows": [_row(each, *answer) for each, answer in zip(eps, answers, strict=True)],
            }
        )
        return
    emit_table(
        [f"{symbols} values, {sensitive} of them sensitive.", f"Neighbours: {NEIGHBOURS}."],
        ["eps", "M*, at most", "alpha*", "t*", "gap, at most", "optimal"],
        [_cells(each, *answer) for each, answer in zip(eps, answers, strict=True)],
        notes=["M* is the least worst-case n E||P_hat - P||^2 of any mechanism, as n grows."],
    )


def _answer(domain: Domain, eps: Fraction) -> tuple[Certificate, str]:
    saddle = solve(domain, float(eps))
    return certify(saddle, eps), saddle.regime


def _row(eps: Fraction, certificate: Certificate, optimal: str) -> dict[str, Any]:
    return {
        **given_fields("eps", eps),
        **interval_fields("m_star", _interval(certificate.m_star)),
        **interval_fields("alpha_star", _interval(certificate.alpha)),
        "t_star": [
            {"k": plain_integer(k), **interval_fields("share", _interval(share))}
            for k, share in certificate.shares.items()
        ],
        **bound_fields("gap", certificate.gap),
        "optimal": optimal,
    }


def _cells(eps: Fraction, certificate: Certificate, optimal: str) -> Sequence[str]:
    shares = certificate.shares
    mixture = ", ".join(f"k = {k}: {float(share.value):.{SHARE_DIGITS}g}" for k, share in shares.items())
    return [
        given(eps),
        at_most(_interval(certificate.m_star)),
        f"{float(certificate.alpha.value):.{SHARE_DIGITS}g}",
        mixture if len(shares) > 1 else f"k = {next(iter(shares))}",
        bound_fields("gap", certificate.gap)["gap"],
        optimal,
    ]


def _interval(known: Enclosure) -> Interval:
    lower, upper = from_fraction(known.lower).lower, from_fraction(known.upper).upper
    return Interval(min(max(from_fraction(known.value).value, lower), upper), lower, upper)
