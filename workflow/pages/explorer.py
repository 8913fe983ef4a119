"""The rows that a reader steps through: delta at every stored eps, exact and by the bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from kernels.accounting.bounds import zcdp
from kernels.intervals.interval import UP
from workflow.results.curves import StoredResult


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """delta at one eps: exact and CKS20 rounded up, the Census's, which they are compared with, down."""

    eps: Decimal
    exact: Decimal
    cks20: Decimal
    census: Decimal


def profile_rows(curve: StoredResult) -> Iterator[ProfileRow]:
    """One row per stored eps whose delta has a known relative error."""
    rho = curve.total_rho / 2
    for eps, delta, error in zip(curve.eps, curve.delta, curve.relative_bound, strict=True):
        if not np.isfinite(error) or delta == 0:
            continue
        at = Fraction(float(eps))
        yield ProfileRow(
            eps=Decimal(float(eps)),
            exact=min(UP.multiply(Decimal(float(delta)), UP.add(1, Decimal(float(error)))), Decimal(1)),
            cks20=zcdp.delta_cks20(rho, at).upper,
            census=zcdp.delta(rho, at).lower,
        )


def nearest_row(rows: list[ProfileRow], eps: Decimal) -> int:
    """The row whose eps is nearest, where the reader starts."""
    return min(range(len(rows)), key=lambda row: abs(rows[row].eps - eps))
