"""A results folder with made-up figures: the report must print what the tables say, whatever it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import erfc, sqrt
from pathlib import Path

import numpy as np

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name, pair_composition, pairs
from kernels.accounting.composition import Composition
from tests.workflow.results.stored import stored
from workflow.digests import content_key, settings_of
from workflow.results.attack import AttackRow
from workflow.results.curves import CurveFile, Header, Identity, StoredResult
from workflow.results.tables import ReductionRow, SummaryRow, csv_text

BOUND = 4.2e-36


def write_results(folder: Path, allocation: Allocation) -> None:
    """Write the three tables and curves.h5 for all pairs and levels of an allocation."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = settings_of(allocation)
    header = Header(
        allocation.name, allocation.neighbours, "made up", settings, created_by={"exact-census": "<b>0</b>"}
    )
    results = [
        _result(Identity("pair", first, second), pair_composition(allocation, first, second), allocation)
        for first, second in pairs(allocation)
    ]
    results += [
        _result(Identity("level", level), allocation.level_composition(level), allocation)
        for level in allocation.levels
    ]
    CurveFile.write(folder / "curves.h5", header, results)
    names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
    of_pairs = [result for result in results if result.identity.kind == "pair"]
    attacks = (row for result in of_pairs for row in AttackRow.rows_of(result, names))
    (folder / "summary.csv").write_text(csv_text(SummaryRow, _summary(allocation, names)))
    (folder / "reductions.csv").write_text(csv_text(ReductionRow, _reductions(allocation, names)))
    (folder / "attack.csv").write_text(csv_text(AttackRow, attacks))


def _summary(allocation: Allocation, names: dict[str, str]) -> Iterator[SummaryRow]:
    for number, (first, second) in enumerate(pairs(allocation)):
        for row, delta in enumerate(allocation.deltas):
            yield SummaryRow(
                *(first, second, names[first], names[second]),
                total_rho=2 * allocation.total_rho,
                delta=delta,
                eps=Decimal(f"{10 + row}.200000{number:07d}"),
                eps_lower=Decimal(f"{10 + row}.199999{number:07d}"),
                eps_upper=Decimal(f"{10 + row}.200000{number:07d}"),
                eps_zcdp=Decimal(f"{12 + row}.34999999"),
                eps_cks20=Decimal(f"{11 + row}.1234567"),
                eps_gaussian_not_a_bound=Decimal(f"{10 + row}.1999"),
                lattice=Fraction(1, 8 * (number + 1)),
                nodes=1000 * (number + 1),
                survivors=31 + number,
                absolute_bound=Decimal(BOUND),
            )


def _reductions(allocation: Allocation, names: dict[str, str]) -> Iterator[ReductionRow]:
    subjects = [
        ("pair", f"{names[first]},{names[second]}", first, second) for first, second in pairs(allocation)
    ]
    subjects += [("level", level, "", "") for level in allocation.levels]
    for number, subject in enumerate(subjects):
        for row, delta in enumerate(allocation.deltas):
            yield ReductionRow(
                *subject,
                delta=delta,
                eps_zcdp=Decimal(f"{12 + row}.34999999"),
                reduction=Decimal(f"0.{29 - row}19{number:02d}9"),
                reduction_lower=Decimal(f"0.{29 - row}19{number:02d}9"),
                reduction_upper=Decimal(f"0.{29 - row}19{number:02d}99"),
                scale=Decimal("1.2799999"),
            )


def _result(identity: Identity, composition: Composition, allocation: Allocation) -> StoredResult:
    settings = settings_of(allocation)
    total = float(composition.total_rho)
    threshold = np.linspace(-5.0, 5.0, settings.thresholds)
    alpha = np.array([0.5 * erfc((t + total / 2) / sqrt(2 * total)) for t in threshold])
    eps = np.linspace(0.0, 30.0, settings.eps_points)
    log10_delta = -0.1 - 0.05 * eps**2
    rest = np.zeros((settings.thresholds, 2))
    enclosed = np.ones((len(settings.deltas), 3))
    made = stored(identity)
    figures = {"total_rho": composition.total_rho, "cells": composition.size, "total_bound": BOUND}
    figures |= {"lattice": Fraction(1, 8), "nodes": 1000, "distinct_rhos": len(composition.cells)}
    return replace(
        made,
        key=content_key(composition, settings),
        composition=composition,
        deltas=settings.deltas,
        summary=replace(made.summary, **figures),
        threshold=threshold,
        alpha=np.column_stack([alpha, rest]),
        beta=np.column_stack([alpha[::-1], rest]),
        absolute_bound=BOUND,
        eps=eps,
        delta=10.0**log10_delta,
        log10_delta=log10_delta,
        relative_bound=np.full(len(eps), 1e-13),
        **dict.fromkeys(("epsilon", "reduction", "eps_zcdp", "scale"), enclosed),
    )
