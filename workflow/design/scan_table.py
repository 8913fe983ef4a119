"""scan.csv: what every candidate of a scan spends by level, and what it costs in privacy."""

from __future__ import annotations

from kernels.accounting.census.allocation import Allocation
from kernels.intervals.interval import from_fraction
from kernels.intervals.text import down
from workflow.design.scan import Scan
from workflow.results.curves import CurveFile, pair_path
from workflow.results.tables import DIGITS, ReductionRow, SummaryRow, dicts_as_csv

_SUMMARY = ("delta", "eps", "eps_lower", "eps_upper", "eps_zcdp", "eps_cks20", "eps_gaussian_not_a_bound")
_REDUCTION = ("reduction", "reduction_lower", "reduction_upper")


def scan_table(scan: Scan, results: CurveFile) -> str:
    """One row per candidate and delta: total rho, rho and share of every level (rounded down), then eps and
    reduction of the candidate's first pair, rounded as in summary.csv and reductions.csv."""
    rows = []
    for name, candidate in scan.candidates.items():
        result, names = results.read(pair_path(name, name)), {name: name}
        both = zip(SummaryRow.rows_of(result, names), ReductionRow.rows_of(result, names), strict=True)
        for summary, reduction in both:
            figures = {key: text for key, text in summary.texts().items() if key in _SUMMARY}
            figures |= {key: text for key, text in reduction.texts().items() if key in _REDUCTION}
            rows.append({"candidate": name, **_budget(candidate), **figures})
    return dicts_as_csv(rows[0], rows)


def _budget(candidate: Allocation) -> dict[str, str]:
    budget = {"total_rho": str(candidate.total_rho)}
    for level in candidate.levels:
        rho = candidate.level_rho(level)
        budget[f"rho_{level}"] = str(rho)
        budget[f"share_{level}"] = down(from_fraction(rho / candidate.total_rho).lower, DIGITS)
    return budget
