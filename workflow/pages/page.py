"""Puts the report together: results in, one self-contained HTML page or one picture out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from kernels.accounting.bounds import gaussian
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.patterns import DEFAULT_PATTERNS
from workflow import numbers
from workflow.allocation.production import is_production, zcdp_name
from workflow.pages import bar_plots, curve_plots, drawing
from workflow.pages.attack import PRIORS, Attack, find_attack
from workflow.pages.certificate import read_certificate
from workflow.pages.explorer import nearest_row, profile_rows
from workflow.pages.findings import DeltaFindings, Spread, few, find, headline
from workflow.pages.heat_map import heat_map
from workflow.pages.joint import joint_rows
from workflow.pages.pair_table import MOST_PAIRS, pair_table
from workflow.pages.provenance import provenance
from workflow.pages.template import base64_text, environment, script_and_digest
from workflow.results.attack import AttackRow
from workflow.results.curves import StoredResult, open_results, pair_path
from workflow.results.tables import ReductionRow, ReportError, SummaryRow, check_complete

TOLERANCE = Decimal("1e-35")  # of alpha and beta wherever the lattice allows it
_EXTREMES = 5  # rows of the table of largest and of smallest eps
_TABLES = ("summary.csv", "reductions.csv", "attack.csv")
_RELATIONS = {"bounded": "one record is replaced by another"}


@dataclass(frozen=True, slots=True)
class GaussianGap:
    """Largest |f - G_mu| over the tabulated vertices of f."""

    vertices: int
    distance: Decimal


def build_report(results_dir: Path, allocation: Allocation, out: Path) -> None:
    """Write the report of the results in `results_dir` to `out` (HTML, self-contained).

    Reads summary.csv, reductions.csv, attack.csv, curves.h5 and, if there, certificate.json and
    curves/*.stats.json. Every eps, reduction and false-negative rate printed is the table's, rounded to the
    safe side, and carries the table's own digits in its `value` attribute. The same results give the same
    bytes.

    Raises ReportError (tables) or StoreError (curves) when a result is missing or unusable.
    """
    summary = SummaryRow.read(results_dir / "summary.csv")
    reductions = ReductionRow.read(results_dir / "reductions.csv")
    attacks = AttackRow.read(results_dir / "attack.csv")
    check_complete(results_dir, allocation, summary, reductions)
    findings = find(summary, reductions)
    main = headline(findings)
    attack = find_attack(attacks, main.worst.total_rho / 2)
    rows = [row for row in summary if row.delta == main.delta]
    with open_results(results_dir / "curves.h5") as results:
        if results.header().allocation != allocation.name:
            raise ReportError(f"{results_dir / 'curves.h5'}: not the results of {allocation.name}")
        curve = results.read(pair_path(*main.worst.pair))
        certificate = read_certificate(results_dir / "certificate.json", results.digest)
        origin = provenance(results, sorted(results_dir.glob("curves/*.stats.json")), allocation)
    script, script_digest = script_and_digest()
    profile = list(profile_rows(curve))
    published = is_production(allocation)
    zcdp = zcdp_name(published)
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            allocation=allocation,
            published=published,
            zcdp=zcdp,
            relation=_RELATIONS[allocation.neighbours],
            query_count=sum(len(queries) for queries in allocation.rho.values()),
            pair_count=numbers.integer_text(len(rows)),
            findings=findings,
            headline=main,
            plots=_plots(curve, allocation, findings, main, rows, attack, zcdp),
            attack=attack,
            priors=PRIORS,
            profile=profile,
            profile_start=nearest_row(profile, main.worst.eps),
            pair_table=pair_table(rows, main.pairs, attacks) if len(rows) <= MOST_PAIRS else [],
            script=script,
            script_digest=script_digest,
            heat_map=heat_map(rows, allocation),
            only_bounded=sum(row.is_only_bounded for row in rows),
            extremes=_extremes(rows),
            gaussian_below=sum(row.eps_gaussian_not_a_bound < row.eps_lower for row in summary),
            row_count=len(summary),
            gaussian_gap=_gaussian_gap(curve),
            ten_to_smallest=numbers.ten_to(int(np.ceil(curve.log10_delta.min()))),
            level_rows=_level_rows(allocation, findings),
            joint=joint_rows(allocation, findings),
            sieve=_sieve(rows),
            fine=[row for row in rows if row.absolute_bound > TOLERANCE],
            budget=curve.summary,
            reconstructed=allocation.patterns == DEFAULT_PATTERNS,
            certificate=certificate,
            provenance=origin,
            files={name: base64_text(results_dir / name) for name in _TABLES},
        )
    )
    out.write_text(page, encoding="utf-8")


def headline_figure(results_dir: Path, allocation: Allocation, out: Path) -> None:
    """Write the one picture of the result (for a README or a slide) to `out`, a .png or .svg file.

    Raises ReportError when a table is missing or unusable.
    """
    findings = find(
        SummaryRow.read(results_dir / "summary.csv"), ReductionRow.read(results_dir / "reductions.csv")
    )
    zcdp = zcdp_name(is_production(allocation))
    figure = bar_plots.headline_picture(allocation.title, allocation.levels, few(findings), zcdp)
    drawing.write_figure(figure, out)


def _plots(
    curve: StoredResult,
    allocation: Allocation,
    findings: list[DeltaFindings],
    main: DeltaFindings,
    rows: Sequence[SummaryRow],
    attack: Attack,
    zcdp: str,
) -> dict[str, Any]:
    label = main.worst.label
    shown = few(findings)
    return {
        "eps": bar_plots.eps_plot(shown, zcdp),
        "attack": bar_plots.attack_plot(attack, zcdp),
        "tradeoff": curve_plots.tradeoff_plot(curve, label, zcdp),
        "power": curve_plots.small_alpha_plot(curve, label, zcdp),
        "profile": curve_plots.profile_plot(curve, shown, label, zcdp),
        "levels": bar_plots.levels_plot(allocation.levels, shown),
        "sieve": bar_plots.sieve_plot(rows),
    }


def _extremes(rows: Sequence[SummaryRow]) -> list[list[SummaryRow]]:
    ordered = sorted(rows, key=lambda row: row.eps, reverse=True)
    if len(ordered) <= 2 * _EXTREMES:
        return [ordered]
    return [ordered[:_EXTREMES], ordered[-_EXTREMES:]]


def _gaussian_gap(curve: StoredResult) -> GaussianGap:
    alpha, beta = curve.alpha.sum(axis=1).clip(0.0, 1.0), curve.beta.sum(axis=1)
    distance = np.abs(beta - gaussian.tradeoff(curve.total_rho / 2, alpha)).max()
    return GaussianGap(len(alpha), Decimal(float(distance)))


def _level_rows(allocation: Allocation, findings: Sequence[DeltaFindings]) -> list[dict[str, Any]]:
    def rows_of(level: str) -> list[ReductionRow]:
        return [row for entry in findings for row in entry.levels if row.name == level]

    return [
        {"name": level, "rho": allocation.level_rho(level), "rows": rows_of(level)}
        for level in allocation.levels
    ]


def _sieve(rows: Sequence[SummaryRow]) -> dict[str, Spread]:
    quantities = ("lattice", "nodes", "survivors", "absolute_bound")
    return {name: Spread.of(getattr(row, name) for row in rows) for name in quantities}
