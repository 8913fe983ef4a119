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
from workflow.pages.attack import PRIORS, find_attack
from workflow.pages.certificate import read_certificate
from workflow.pages.explorer import nearest_row, profile_rows
from workflow.pages.findings import DeltaFindings, Spread, few, find, headline
from workflow.pages.heat_map import heat_map
from workflow.pages.joint import joint_rows
from workflow.pages.provenance import provenance
from workflow.pages.template import base64_text, environment, script_and_digest
from workflow.results.attack import AttackRow
from workflow.results.curves import StoredResult, open_results, pair_path
from workflow.results.tables import ReductionRow, ReportError, SummaryRow, check_complete

TOLERANCE = Decimal("1e-35")  # of alpha and beta wherever the lattice allows it
MOST_PAIRS = 2500  # a longer table would double the page's size; summary.csv holds all pairs
_SIEVE = ("lattice", "nodes", "survivors", "absolute_bound")
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
    with open_results(results_dir / "curves.h5") as results:
        if results.header().allocation != allocation.name:
            raise ReportError(f"{results_dir / 'curves.h5'}: not the results of {allocation.name}")
        curve = results.read(pair_path(*main.worst.pair))
        certificate = read_certificate(results_dir / "certificate.json", results.digest)
        origin = provenance(results, sorted(results_dir.glob("curves/*.stats.json")), allocation)
    script, script_digest = script_and_digest()
    page = environment().get_template("report.html.j2")
    text = page.render(
        **_of_allocation(allocation),
        **_of_tables(allocation, findings, summary, attacks),
        **_of_curve(curve, main),
        plots=_plots(curve, allocation, findings, summary, attacks),
        certificate=certificate,
        provenance=origin,
        files={name: base64_text(results_dir / name) for name in _TABLES},
        script=script,
        script_digest=script_digest,
    )
    out.write_text(text, encoding="utf-8")


def _of_allocation(allocation: Allocation) -> dict[str, Any]:
    published = is_production(allocation)
    return {
        "allocation": allocation,
        "published": published,
        "zcdp": zcdp_name(published),
        "relation": _RELATIONS[allocation.neighbours],
        "query_count": sum(len(queries) for queries in allocation.rho.values()),
        "reconstructed": allocation.patterns == DEFAULT_PATTERNS,
    }


def _of_tables(
    allocation: Allocation,
    findings: Sequence[DeltaFindings],
    summary: Sequence[SummaryRow],
    attacks: Sequence[AttackRow],
) -> dict[str, Any]:
    main = headline(findings)
    rows = [row for row in summary if row.delta == main.delta]
    return {
        "findings": findings,
        "headline": main,
        "attack": find_attack(attacks, main.worst.total_rho / 2),
        "priors": PRIORS,
        "pair_count": numbers.integer_text(len(rows)),
        "pair_table": _pair_table(rows, main.pairs, attacks) if len(rows) <= MOST_PAIRS else [],
        "heat_map": heat_map(rows, allocation),
        "only_bounded": sum(row.is_only_bounded for row in rows),
        "extremes": _extremes(rows),
        "gaussian_below": sum(row.eps_gaussian_not_a_bound < row.eps_lower for row in summary),
        "row_count": len(summary),
        "level_rows": _level_rows(allocation, findings),
        "joint": joint_rows(allocation, findings),
        "sieve": {name: Spread.of(getattr(row, name) for row in rows) for name in _SIEVE},
        "fine": [row for row in rows if row.absolute_bound > TOLERANCE],
    }


def _of_curve(curve: StoredResult, main: DeltaFindings) -> dict[str, Any]:
    profile = list(profile_rows(curve))
    return {
        "profile": profile,
        "profile_start": nearest_row(profile, main.worst.eps),
        "gaussian_gap": _gaussian_gap(curve),
        "ten_to_smallest": numbers.ten_to(int(np.ceil(curve.log10_delta.min()))),
        "budget": curve.summary,
    }


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
    findings: Sequence[DeltaFindings],
    summary: Sequence[SummaryRow],
    attacks: Sequence[AttackRow],
) -> dict[str, Any]:
    main, shown = headline(findings), few(findings)
    label, zcdp = main.worst.label, zcdp_name(is_production(allocation))
    return {
        "eps": bar_plots.eps_plot(shown, zcdp),
        "attack": bar_plots.attack_plot(find_attack(attacks, main.worst.total_rho / 2), zcdp),
        "tradeoff": curve_plots.tradeoff_plot(curve, label, zcdp),
        "power": curve_plots.small_alpha_plot(curve, label, zcdp),
        "profile": curve_plots.profile_plot(curve, shown, label, zcdp),
        "levels": bar_plots.levels_plot(allocation.levels, shown),
        "sieve": bar_plots.sieve_plot([row for row in summary if row.delta == main.delta]),
    }


def _pair_table(
    rows: Sequence[SummaryRow], reductions: Sequence[ReductionRow], attacks: Sequence[AttackRow]
) -> list[tuple[SummaryRow, ReductionRow, AttackRow]]:
    """The pairs that all three tables hold, in the order of summary.csv; attacks at the lowest rate."""
    lowest = min(row.alpha for row in attacks)
    reduced = {(row.first, row.second): row for row in reductions}
    attacked = {row.pair: row for row in attacks if row.alpha == lowest}
    both = reduced.keys() & attacked.keys()
    return [(row, reduced[row.pair], attacked[row.pair]) for row in rows if row.pair in both]


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
