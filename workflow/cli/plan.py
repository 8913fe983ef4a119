"""`exact-census plan`: what a computation will take and what its errors add up to, before it is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kernels.intervals.text import plain_integer, short
from workflow.cli.answer import bound_fields, emit_json, emit_table, exact_fields
from workflow.cli.computing import accountant_of, progress
from workflow.cli.options import json_option
from workflow.cli.question import Asked, pair_options

if TYPE_CHECKING:  # the compiler behind it is loaded only when something is computed
    from kernels.accounting.accountant import PlanSummary

FINE = "the lattice is so fine that more nodes matter at 1e-35 than can be summed"
NO_PLAN = (
    "There is no plan, so no curve. Single questions (profile, epsilon, reduction, tradeoff) may still have",
    "an answer: they take up to two kinds of cells out first.",
)
SHARPER = (
    "Single questions (profile, epsilon, reduction, tradeoff) may be sharper than that: they take up to two",
    "kinds of cells out first.",
)
BUDGET = ("truncation_bound", "sieve_bound", "rounding_bound", "total_bound")


@click.command()
@pair_options
@json_option
def plan(asked: Asked, as_json: bool) -> None:
    """The plan of a pair: lattice, nodes, surviving nodes, error budget, predicted memory and time.

    The log-likelihood ratio takes values on a lattice of step h. Its law is a sum over N nodes, of which only
    the surviving ones can matter. The error budget holds for every probability that is computed from them.
    A composition that is out of reach gets a prediction; single questions about it may still have an answer.
    """
    question = asked.question()
    with progress(question.title):
        summary = accountant_of(question.composition).plan_summary()
    if as_json:
        emit_json(question.fields("plan") | {"rows": [_row(summary)]})
    else:
        emit_table(question.heading(), ["quantity", "value"], _lines(summary), words=1, notes=_notes(summary))


def _row(summary: PlanSummary) -> dict[str, str]:
    row: dict[str, str] = {}
    for name in ("lattice", "nodes", "survivors", "survivors_half", "cells", "distinct_rhos"):
        row |= exact_fields(name, getattr(summary, name))
    for name in BUDGET:
        row |= bound_fields(name, getattr(summary, name))
    return row | {
        "predicted_seconds": f"{summary.cost:.2g}",
        "predicted_bytes": plain_integer(summary.memory),
        "within_reach": "true" if summary.within_reach else "false",
        "reaches_1e-35": "true" if summary.reaches_tolerance else "false",
    }


def _notes(summary: PlanSummary) -> tuple[str, ...]:
    """What single questions can do that the plan cannot."""
    if not summary.within_reach:
        return NO_PLAN
    return () if summary.reaches_tolerance else SHARPER


def _lines(summary: PlanSummary) -> list[list[str]]:
    truncation, sieve, rounding, total = (bound_fields(name, getattr(summary, name))[name] for name in BUDGET)
    return [
        ["cells", plain_integer(summary.cells)],
        ["distinct rhos", plain_integer(summary.distinct_rhos)],
        ["lattice step h", short(summary.lattice)],
        ["nodes N", plain_integer(summary.nodes)],
        ["surviving nodes", plain_integer(summary.survivors)],
        ["surviving nodes with theta > 0", plain_integer(summary.survivors_half)],
        ["error by truncation, at most", truncation],
        ["error by the sieve, at most", sieve],
        ["error by rounding, at most", rounding],
        ["error in all, at most", total if summary.reaches_tolerance else f"{total} ({FINE})"],
        ["predicted memory", f"{summary.memory / 2**20:.1f} MiB"],
        ["predicted time", f"{summary.cost:.2g} s"],
        ["within reach", "yes" if summary.within_reach else "no; all but h and N is predicted"],
    ]
