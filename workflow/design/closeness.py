"""How near the exact curves are to their Gaussian limit, and to each other: the rows of both tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import log

import numpy as np

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition
from kernels.accounting.closeness.families import homogeneous, of_levels, split
from kernels.accounting.closeness.gaussian_gap import GaussianGap, gaussian_gap
from kernels.accounting.composition import Composition
from kernels.errors import Refused
from kernels.intervals.interval import UP
from workflow.results.closeness import ClosenessRow, TheoryRow
from workflow.results.curves import CurveFile, StoredResult, pair_path
from workflow.results.file import StoreError

PAPER_ORDER = Fraction(-3, 2)  # the decay that the method's paper proves (arXiv 2606.29835)
OWN = "all queries, split"
_EQUAL_CELLS = tuple(10 * 2**k for k in range(8))
_PARTS = (1, 2, 4, 8, 16)
_FITTED = 4  # rows at the end of a family that its order is fitted to: from there on it is steady


@dataclass(frozen=True, slots=True)
class Family:
    """Compositions of one kind, the number of cells rising."""

    name: str
    gaps: Sequence[GaussianGap]

    @property
    def order(self) -> float | None:
        """Slope of ln gap against ln m, by least squares over the last rows; None where it is not known."""
        last = [gap for gap in self.gaps[-_FITTED:] if gap.gap.lower > 0]
        if len(last) < 2:
            return None
        slope, _ = np.polyfit([log(gap.cells) for gap in last], [log(gap.gap.value) for gap in last], 1)
        return float(slope)

    def rows(self) -> Iterator[TheoryRow]:
        """The family's rows of theory.csv."""
        for before, here in zip([None, *self.gaps], self.gaps, strict=False):
            yield TheoryRow(
                family=self.name,
                cells=here.cells,
                lattice=here.lattice,
                points=here.points,
                complete=here.complete,
                gap=here.gap.upper,
                gap_lower=here.gap.lower,
                gap_upper=here.gap.upper,
                order=_slope(before, here) if before else None,
                leading=here.leading.upper,
                corrected=here.corrected.upper,
            )


def _slope(before: GaussianGap, here: GaussianGap) -> float | None:
    if min(before.gap.lower, here.gap.lower) <= 0:
        return None
    return (log(here.gap.value) - log(before.gap.value)) / (log(here.cells) - log(before.cells))


def families(allocation: Allocation) -> list[Family]:
    """Equal cells, one cell per level, and the allocation's own first pair, each split further and further.

    Compositions that are out of reach are left out, and so is a family without any others.
    """
    first = allocation.patterns[0]
    own, levels = pair_composition(allocation, first, first), of_levels(allocation)
    every = [
        _family("equal cells", [homogeneous(own.total_rho, cells) for cells in _EQUAL_CELLS]),
        _family("one cell per level, split", [split(levels, parts) for parts in _PARTS]),
        _family(OWN, [split(own, parts) for parts in _PARTS]),
    ]
    return [family for family in every if family.gaps]


def _family(name: str, compositions: Sequence[Composition]) -> Family:
    gaps = []
    for composition in compositions:
        with suppress(Refused):
            gaps.append(gaussian_gap(composition))
    return Family(name, gaps)


def closeness_rows(results: CurveFile, names: dict[str, str]) -> Iterator[ClosenessRow]:
    """Every stored pair against the first one, by delta. `names` maps bypass patterns to M00, M01, ...

    Raises StoreError when the stored privacy profiles do not share their eps.
    """
    pairs = list(results.pairs())
    reference = results.read(pair_path(*pairs[0]))
    for first, second in pairs:
        result = results.read(pair_path(first, second))
        if not np.array_equal(result.eps, reference.eps):
            raise StoreError(
                f"{results.path}: the profiles of {pairs[0]} and {first, second} have different eps"
            )
        same = result.key == reference.key
        lower, upper = (0.0, 0.0) if same else _profile_distance(result, reference)
        for delta, eps, eps_0 in zip(result.deltas, result.epsilon, reference.epsilon, strict=True):
            yield ClosenessRow(
                first_name=names[first],
                second_name=names[second],
                delta=delta,
                eps_difference=Decimal(0) if same else _eps_distance(eps, eps_0),
                curve_difference_lower=Decimal(lower),
                curve_difference_upper=Decimal(upper),
            )


def _eps_distance(a: np.ndarray, b: np.ndarray) -> Decimal:
    (_, a_lower, a_upper), (_, b_lower, b_upper) = (map(Decimal, row.tolist()) for row in (a, b))
    return max(UP.subtract(a_upper, b_lower), UP.subtract(b_upper, a_lower))


def _profile_distance(a: StoredResult, b: StoredResult) -> tuple[float, float]:
    """Bounds of max |delta_a - delta_b| over the stored eps; a double's own rounding is far below them."""
    distance = np.abs(a.delta - b.delta)
    error = (a.delta * a.relative_bound + b.delta * b.relative_bound) * (1 + 1e-12) + 1e-16
    return float(max(np.max(distance - error), 0.0)), float(np.max(distance + error))
