"""theory.csv and closeness.csv: how near the exact curves are to their Gaussian limit, and to each other.

docs/theory.md says what every column means and why the figures are as small as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from kernels.intervals.text import down, up
from workflow.results.tables import Column, Power, Rational, Row, Text, Whole, rounded

_YES_NO = ("no", "yes")
_DIGITS = 6  # more would tell nothing: the figures are distances, compared by their size
_Up = Annotated[Decimal, rounded(up, _DIGITS)]
_Down = Annotated[Decimal, rounded(down, _DIGITS)]


def _slope_text(slope: float | None) -> str:
    return "" if slope is None else f"{slope:.3f}"


@dataclass(frozen=True, slots=True)
class TheoryRow(Row):
    """A row of theory.csv: one composition. order: the slope from the row before, where it is known."""

    family: Text
    cells: Whole
    lattice: Rational
    points: Whole
    complete: Annotated[bool, Column(_YES_NO.__getitem__, _YES_NO.index)]
    gap: _Up
    gap_lower: _Down
    gap_upper: _Up
    order: Annotated[float | None, Column(_slope_text, lambda text: float(text) if text else None)]
    leading: _Up
    corrected: _Up


@dataclass(frozen=True, slots=True)
class ClosenessRow(Row):
    """A row of closeness.csv: one pair against the first, at one delta.

    eps_difference: the largest |eps - eps_0| that the intervals allow. curve_difference_lower and _upper:
    bounds of the largest |delta - delta_0| over the stored eps, the same at every delta.
    """

    first_name: Text
    second_name: Text
    delta: Power
    eps_difference: _Up
    curve_difference_lower: _Down
    curve_difference_upper: _Up
