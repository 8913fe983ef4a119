"""theory.csv and closeness.csv: how near the exact curves are to their Gaussian limit, and to each other.

docs/theory.md says what every column means and why the figures are as small as they are.
"""

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
from kernels.intervals.text import down, up
from workflow.results.curves import Results, StoreError
from workflow.results.result import StoredResult, pair_path
from workflow.results.tables import exact_text

THEORY = (
    *("family", "cells", "lattice", "points", "complete"),
    *("gap", "gap_lower", "gap_upper", "order", "leading", "corrected"),
)
CLOSENESS = (
    "first_name",
    "second_name",
    "delta",
    "eps_difference",
    "curve_difference_lower",
    "curve_difference_upper",
)
PAPER_ORDER = Fraction(-3, 2)  # the decay that the method's paper proves (arXiv 2606.29835)
OWN = "all queries, split"
_EQUAL_CELLS = tuple(10 * 2**k for k in range(8))
_PARTS = (1, 2, 4, 8, 16)
_FITTED = 4  # rows at the end of a family that its order is fitted to
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Family:
    """Compositions of one kind, the number of cells rising."""

    name: str
    gaps: Sequence[GaussianGap]

    @property
    def order(self) -> float | None:
        """Slope of ln gap against ln m, by least squares over the last rows; None where it is not known."""
        last = [one for one in self.gaps[-_FITTED:] if one.gap.lower > 0]
        if len(last) < 2:
            return None
        slope, _ = np.polyfit([log(one.cells) for one in last], [log(one.gap.value) for one in last], 1)
        return float(slope)

    def order_from(self, row: int) -> float | None:
        """The slope from the row before to this one."""
        before, here = self.gaps[max(row - 1, 0)], self.gaps[row]
        if row == 0 or min(before.gap.lower, here.gap.lower) <= 0:
            return None
        return (log(here.gap.value) - log(before.gap.value)) / (log(here.cells) - log(before.cells))


def families(allocation: Allocation) -> list[Family]:
    """Equal cells, one cell per level, and the allocation's own first pair, each split further and further.

    Compositions that are out of reach are left out, and a family without any.
    """
    first = allocation.patterns[0]
    own, levels = pair_composition(allocation, first, first), of_levels(allocation)
    found = [
        _family("equal cells", [homogeneous(own.total_rho, cells) for cells in _EQUAL_CELLS]),
        _family("one cell per level, split", [split(levels, parts) for parts in _PARTS]),
        _family(OWN, [split(own, parts) for parts in _PARTS]),
    ]
    return [family for family in found if family.gaps]


def _family(name: str, compositions: Sequence[Composition]) -> Family:
    gaps = []
    for composition in compositions:
        with suppress(Refused):
            gaps.append(gaussian_gap(composition))
    return Family(name, gaps)


def theory_rows(found: Sequence[Family]) -> Iterator[dict[str, str]]:
    """The rows of theory.csv, bounds rounded outward."""
    for family in found:
        for row, one in enumerate(family.gaps):
            order = family.order_from(row)
            yield {
                "family": family.name,
                "cells": str(one.cells),
                "lattice": str(one.lattice),
                "points": str(one.points),
                "complete": "yes" if one.complete else "no",
                "gap": up(one.gap.upper, _DIGITS),
                "gap_lower": down(one.gap.lower, _DIGITS),
                "gap_upper": up(one.gap.upper, _DIGITS),
                "order": "" if order is None else f"{order:.3f}",
                "leading": up(one.leading.upper, _DIGITS),
                "corrected": up(one.corrected.upper, _DIGITS),
            }


@dataclass(frozen=True, slots=True)
class Closeness:
    """One pair against the first: the largest |eps - eps_0| that the intervals allow at each delta, and what
    is known of the largest |delta - delta_0| over the stored eps (at least, at most)."""

    first_name: str
    second_name: str
    eps: Sequence[Decimal]
    at_least: Decimal
    at_most: Decimal


def closeness(results: Results, names: dict[str, str]) -> list[Closeness]:
    """Every stored pair against the first one. `names` maps bypass patterns to M00, M01, ...

    Raises StoreError when the stored privacy profiles do not share their eps.
    """
    pairs = list(results.pairs())
    reference = results.read(pair_path(*pairs[0]))
    rows = []
    for first, second in pairs:
        one = results.read(pair_path(first, second))
        if not np.array_equal(one.eps, reference.eps):
            raise StoreError(
                f"{results.path}: the profiles of {pairs[0]} and {first, second} have different eps"
            )
        lower, upper = _profile_distance(one, reference) if one.key != reference.key else (0.0, 0.0)
        eps = [
            _eps_distance(a, b) if one.key != reference.key else Decimal(0)
            for a, b in zip(one.epsilon, reference.epsilon, strict=True)
        ]
        rows.append(Closeness(names[first], names[second], eps, Decimal(lower), Decimal(upper)))
    return rows


def _eps_distance(a: np.ndarray, b: np.ndarray) -> Decimal:
    (_, a_lower, a_upper), (_, b_lower, b_upper) = ([Decimal(float(x)) for x in row] for row in (a, b))
    return max(UP.subtract(a_upper, b_lower), UP.subtract(b_upper, a_lower))


def _profile_distance(one: StoredResult, other: StoredResult) -> tuple[float, float]:
    """Bounds of max |delta - delta_0| over the stored eps; a double's own rounding is far below them."""
    distance = np.abs(one.delta - other.delta)
    error = (one.delta * one.relative_bound + other.delta * other.relative_bound) * (1 + 1e-12) + 1e-16
    return float(max(np.max(distance - error), 0.0)), float(np.max(distance + error))


def closeness_rows(found: Sequence[Closeness], deltas: Sequence[Fraction]) -> Iterator[dict[str, str]]:
    """The rows of closeness.csv, one per pair and delta."""
    for pair in found:
        for delta, eps in zip(deltas, pair.eps, strict=True):
            yield {
                "first_name": pair.first_name,
                "second_name": pair.second_name,
                "delta": exact_text(delta),
                "eps_difference": up(eps, _DIGITS),
                "curve_difference_lower": down(pair.at_least, _DIGITS),
                "curve_difference_upper": up(pair.at_most, _DIGITS),
            }
