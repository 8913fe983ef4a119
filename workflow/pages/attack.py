"""What the guarantee means to an attacker: the worst pair at each false-positive rate, beside the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from kernels.accounting.attack import posterior
from kernels.accounting.bounds import zcdp
from kernels.intervals.interval import Interval
from workflow.results.attack import AttackRow

PRIORS = (Fraction(1, 2), Fraction(1, 100))


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """One false-positive rate: the pairs with the least false-negative rate and the largest odds factor; the
    least rates that the zCDP bounds imply; what the odds make of each prior (rounded up)."""

    alpha: Fraction
    miss: AttackRow
    odds: AttackRow
    miss_cks20: Decimal
    miss_zcdp: Decimal
    posteriors: Sequence[Decimal]


@dataclass(frozen=True, slots=True)
class Attack:
    """Findings by false-positive rate, rising; the pair with the largest membership advantage."""

    findings: Sequence[AttackFinding]
    advantage: AttackRow


def find_attack(rows: Sequence[AttackRow], rho: Fraction) -> Attack:
    """The findings over all pairs; rho is the zCDP parameter that the bounds start from."""
    findings = [_finding([row for row in rows if row.alpha == alpha], alpha, rho) for alpha in _alphas(rows)]
    return Attack(findings, max(rows, key=lambda row: row.advantage))


def _alphas(rows: Sequence[AttackRow]) -> list[Fraction]:
    return sorted({row.alpha for row in rows})


def _finding(rows: Sequence[AttackRow], alpha: Fraction, rho: Fraction) -> AttackFinding:
    odds = max(rows, key=lambda row: row.odds_factor)
    factor = Interval(odds.odds_factor, odds.odds_factor, odds.odds_factor)
    at = np.array([float(alpha)])
    return AttackFinding(
        alpha=alpha,
        miss=min(rows, key=lambda row: row.miss_rate),
        odds=odds,
        miss_cks20=Decimal(float(zcdp.tradeoff(rho, at, "cks20")[0])),
        miss_zcdp=Decimal(float(zcdp.tradeoff(rho, at, "census")[0])),
        posteriors=[posterior(prior, factor).upper for prior in PRIORS],
    )
