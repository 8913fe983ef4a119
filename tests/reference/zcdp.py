"""The Census's own conversion from zCDP, enclosed."""

from __future__ import annotations

from fractions import Fraction

from .balls import ball, enclosure, precision
from .cells import Cells, Enclosure, total


def zcdp_epsilon(cells: Cells, delta: Fraction, bits: int = 400) -> Enclosure:
    """rho + 2 sqrt(rho ln(1 / delta)) with rho = R / 2."""
    with precision(bits):
        rho = ball(total(cells) / 2)
        return enclosure(rho + 2 * (rho * -ball(delta).log()).sqrt())
