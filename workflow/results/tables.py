"""summary.csv and reductions.csv: one row per pair or level and delta, figures rounded to the safe side.

docs/results.md says what every column means.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache

from kernels.accounting.bounds import gaussian, zcdp
from kernels.intervals.text import down, nearest, up
from workflow.results.result import StoredResult

DIGITS = 15  # significant; the enclosures are relatively 1e-12 wide or less

SUMMARY = (
    *("first", "second", "first_name", "second_name", "total_rho", "delta"),
    *("eps", "eps_lower", "eps_upper", "eps_zcdp", "eps_cks20", "eps_gaussian_not_a_bound"),
    *("lattice", "nodes", "survivors", "absolute_bound"),
)
REDUCTIONS = (
    *("kind", "name", "first", "second", "delta", "eps_zcdp"),
    *("reduction", "reduction_lower", "reduction_upper", "scale"),
)


def summary_rows(result: StoredResult, names: dict[str, str]) -> Iterator[dict[str, str]]:
    """The rows of summary.csv for one pair, one per delta. `names` maps bypass patterns to M00, M01, ..."""
    identity, plan = result.identity, result.summary
    for delta, (_, lower, upper) in zip(result.deltas, result.epsilon, strict=True):
        zcdp_eps, cks20_eps, gaussian_eps = _bounds(plan.total_rho / 2, delta)
        yield {
            "first": identity.first,
            "second": identity.second,
            "first_name": names[identity.first],
            "second_name": names[identity.second],
            "total_rho": str(plan.total_rho),
            "delta": exact_text(delta),
            "eps": _up(upper),
            "eps_lower": _down(lower),
            "eps_upper": _up(upper),
            "eps_zcdp": zcdp_eps,
            "eps_cks20": cks20_eps,
            "eps_gaussian_not_a_bound": gaussian_eps,
            "lattice": str(plan.lattice),
            "nodes": str(plan.nodes),
            "survivors": str(plan.survivors),
            "absolute_bound": up(Decimal(result.absolute_bound), 3),
        }


def reduction_rows(result: StoredResult, names: dict[str, str]) -> Iterator[dict[str, str]]:
    """The rows of reductions.csv for one pair or level, one per delta."""
    identity = result.identity
    columns = zip(result.deltas, result.reduction, result.scale, strict=True)
    for delta, (_, lower, upper), (_, scale_lower, _) in columns:
        pair = identity.kind == "pair"
        yield {
            "kind": identity.kind,
            "name": f"{names[identity.first]},{names[identity.second]}" if pair else identity.first,
            "first": identity.first if pair else "",
            "second": identity.second if pair else "",
            "delta": exact_text(delta),
            "eps_zcdp": _bounds(result.total_rho / 2, delta)[0],
            "reduction": _down(lower),
            "reduction_lower": _down(lower),
            "reduction_upper": _up(upper),
            "scale": _down(scale_lower),
        }


def csv_text(columns: tuple[str, ...], rows: Iterable[dict[str, str]]) -> str:
    """A table as CSV with a header line."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def exact_text(number: Fraction) -> str:
    """A rational exactly: 1e-10 for a power of ten, else p/q or an integer."""
    denominator = str(number.denominator)
    if number.numerator == 1 and len(denominator) > 1 and denominator.rstrip("0") == "1":
        return f"1e-{len(denominator) - 1}"
    return str(number)


@cache
def _bounds(rho: Fraction, delta: Fraction) -> tuple[str, str, str]:
    """eps by the Census Bureau's conversion and by CKS20, rounded up, and in the Gaussian limit."""
    return (
        up(zcdp.epsilon(rho, delta).upper, DIGITS),
        up(zcdp.epsilon_cks20(rho, delta).upper, DIGITS),
        nearest(gaussian.epsilon(rho, delta).value, DIGITS),
    )


def _up(number: float) -> str:
    return up(Decimal(float(number)), DIGITS)


def _down(number: float) -> str:
    return down(Decimal(float(number)), DIGITS)
