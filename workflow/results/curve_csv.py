"""The curves of one pair as CSV, each number with its bound."""

from __future__ import annotations

from fractions import Fraction

from kernels.accounting.result import PairResult
from kernels.intervals.interval import from_fraction
from kernels.intervals.text import nearest

_DIGITS = 45  # the digits that are left out lie far below any bound


def tradeoff_csv(result: PairResult) -> str:
    """threshold, alpha, beta, bound: alpha = P(T > threshold) and beta = Q(T <= threshold), each within
    `bound`. Thresholds are exact, p/q."""
    lines = ["threshold,alpha,beta,bound"]
    bound = repr(result.absolute_bound)
    for j, (alpha, beta) in enumerate(zip(result.alpha.tolist(), result.beta.tolist(), strict=True)):
        threshold = result.threshold_first + j * result.threshold_step
        lines.append(f"{threshold},{_sum(alpha)},{_sum(beta)},{bound}")
    return "\n".join(lines) + "\n"


def profile_csv(result: PairResult) -> str:
    """eps, delta, log10_delta, relative_bound: delta is within `relative_bound` of itself; log10_delta is
    there also where delta is below the least double."""
    lines = ["eps,delta,log10_delta,relative_bound"]
    columns = (result.eps, result.delta, result.log10_delta, result.relative_bound)
    lines += [",".join(map(repr, row)) for row in zip(*(column.tolist() for column in columns), strict=True)]
    return "\n".join(lines) + "\n"


def _sum(parts: list[float]) -> str:
    exact = sum(map(Fraction, parts), Fraction(0))
    return nearest(from_fraction(exact).value, _DIGITS)
