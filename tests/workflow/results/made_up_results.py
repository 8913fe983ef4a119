"""A results folder with made-up figures: the report must print what the tables say, whatever it is."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from math import erfc, sqrt
from pathlib import Path

import numpy as np

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism_name, pair_composition, pairs
from kernels.accounting.composition import Composition
from kernels.accounting.result import PlanFigures
from workflow.digests import content_key, settings_of
from workflow.results.attack import attack_rows
from workflow.results.curves import Header, Identity, StoredResult, write_atomic

BOUND = 4.2e-36


def write_results(folder: Path, allocation: Allocation) -> None:
    """Write the three tables and curves.h5 for all pairs and levels of an allocation."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / "summary.csv", _summary(allocation))
    _write_table(folder / "reductions.csv", _reductions(allocation))
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
    write_atomic(folder / "curves.h5", header, results)
    names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
    attacks = (
        row for result in results if result.identity.kind == "pair" for row in attack_rows(result, names)
    )
    _write_table(folder / "attack.csv", attacks)


def _summary(allocation: Allocation) -> Iterator[dict[str, object]]:
    for number, (first, second) in enumerate(pairs(allocation)):
        for row, delta in enumerate(allocation.deltas):
            yield {
                "first": first,
                "second": second,
                "first_name": mechanism_name(allocation, first),
                "second_name": mechanism_name(allocation, second),
                "total_rho": 2 * allocation.total_rho,
                "delta": delta,
                "eps": f"{10 + row}.2000000{number:07d}",
                "eps_lower": f"{10 + row}.1999999{number:07d}",
                "eps_upper": f"{10 + row}.2000000{number:07d}",
                "eps_zcdp": f"{12 + row}.34999999",
                "eps_cks20": f"{11 + row}.1234567",
                "eps_gaussian_not_a_bound": f"{10 + row}.1999",
                "lattice": Fraction(1, 8 * (number + 1)),
                "nodes": 1000 * (number + 1),
                "survivors": 31 + number,
                "absolute_bound": BOUND,
            }


def _reductions(allocation: Allocation) -> Iterator[dict[str, object]]:
    subjects = [
        ("pair", f"{mechanism_name(allocation, first)},{mechanism_name(allocation, second)}", first, second)
        for first, second in pairs(allocation)
    ]
    subjects += [("level", level, "", "") for level in allocation.levels]
    for number, (kind, name, first, second) in enumerate(subjects):
        for row, delta in enumerate(allocation.deltas):
            yield {
                "kind": kind,
                "name": name,
                "first": first,
                "second": second,
                "delta": delta,
                "eps_zcdp": f"{12 + row}.34999999",
                "reduction": f"0.{29 - row}19{number:02d}9",
                "reduction_lower": f"0.{29 - row}19{number:02d}9",
                "reduction_upper": f"0.{29 - row}19{number:02d}99",
                "scale": "1.2799999",
            }


def _write_table(path: Path, rows: Iterator[dict[str, object]]) -> None:
    table = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)


def _result(identity: Identity, composition: Composition, allocation: Allocation) -> StoredResult:
    settings = settings_of(allocation)
    total = float(composition.total_rho)
    threshold = np.linspace(-5.0, 5.0, settings.thresholds)
    alpha = np.array([0.5 * erfc((t + total / 2) / sqrt(2 * total)) for t in threshold])
    eps = np.linspace(0.0, 30.0, settings.eps_points)
    log10_delta = -0.1 - 0.05 * eps**2
    rest = np.zeros((settings.thresholds, 2))
    enclosed = np.ones((len(settings.deltas), 3))
    summary = PlanFigures(
        lattice=Fraction(1, 8),
        total_rho=composition.total_rho,
        nodes=1000,
        survivors=31,
        survivors_half=16,
        truncation_bound=1.1e-37,
        sieve_bound=2.2e-37,
        rounding_bound=3.3e-37,
        total_bound=BOUND,
        distinct_rhos=len(composition.cells),
        cells=composition.size,
    )
    return StoredResult(
        identity=identity,
        key=content_key(composition, settings),
        composition=composition,
        deltas=settings.deltas,
        summary=summary,
        threshold_first=Fraction(-5),
        threshold_step=Fraction(1, 10),
        threshold=threshold,
        alpha=np.column_stack([alpha, rest]),
        beta=np.column_stack([alpha[::-1], rest]),
        absolute_bound=BOUND,
        eps=eps,
        delta=10.0**log10_delta,
        log10_delta=log10_delta,
        relative_bound=np.full(len(eps), 1e-13),
        epsilon=enclosed,
        reduction=enclosed,
        eps_zcdp=enclosed,
        scale=enclosed,
        cpu_seconds=0.5,
    )
