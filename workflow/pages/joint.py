"""Joint releases: the joint eps beside the products' own and their loose sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.joint import loose_sum, product_pairs
from kernels.accounting.composition import Composition
from workflow.pages.findings import DeltaFindings
from workflow.results.tables import SummaryRow


@dataclass(frozen=True, slots=True)
class JointRow:
    """The worst joint pair at one delta; every eps is an upper bound.

    alone: each product's exact eps at this delta, by its name; part: the equal part of delta at which each
    product enters `loose`, the sum of their exact eps.
    """

    worst: SummaryRow
    alone: dict[str, Decimal]
    part: Fraction
    loose: Decimal


def joint_rows(allocation: Allocation, findings: Sequence[DeltaFindings]) -> list[JointRow]:
    """One row per delta of a joint allocation; none for a single product."""
    if not allocation.products:
        return []
    from kernels.accounting.accountant import Accountant  # loads the compiler, which other pages do not need

    known: dict[Composition, Accountant] = {}
    rows = []
    for entry in findings:
        pairs = product_pairs(allocation, *entry.worst.pair)
        accountants = {name: known.setdefault(each, Accountant(each)) for name, each in pairs.items()}
        alone = {name: accountant.epsilon(entry.delta).upper for name, accountant in accountants.items()}
        loose = loose_sum([accountant.epsilon for accountant in accountants.values()], entry.delta)
        rows.append(JointRow(entry.worst, alone, entry.delta / len(pairs), loose.upper))
    return rows
