"""Tails on a lattice too fine to scan: the Fourier series of a period, cut where nothing is seen any more.

For any period much longer than the range of X = sum rho_c x_c,

    P(X > x) = 1/2 - (2 / pi) sum over odd n of sin(2 pi n x / period) phi(2 pi n / period) / n.

The series never ends (phi comes back where all rho_c n / period are near integers), and what is cut is not
bounded here; but two periods sample phi at unrelated places, so the tests compare two of them. This reference
is weaker than the other two: strong evidence, no proof. It takes the transform of one cell from the
certificate, but no nodes.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from kernels.certificate.survivors import decay_bound
from kernels.certificate.transform import Cell

from .balls import ball, enclosure, precision, widened
from .cells import Cells, Enclosure
from .tails import TailReference


class FineTail(TailReference):
    """Tails from the odd nodes 1 .. last of the given period; nodes under e^-nats are left out."""

    def __init__(self, cells: Cells, period: Fraction, last: int = 2_000_001, nats: float = 92.0) -> None:
        self.cells = dict(cells)
        self.period = period
        self.bits = 160
        nodes = np.arange(1, last + 1, 2, dtype=np.int64)
        spent = np.zeros(nodes.size)
        for rho, count in sorted(cells.items(), key=lambda item: -item[1] / item[0]):
            turns = nodes * float(rho / period)  # rounding moves a turn by under 1e-9, far within the margin
            spent += count * decay_bound(float(rho), np.abs(turns - np.rint(turns)))
            alive = spent <= nats + 1
            nodes, spent = nodes[alive], spent[alive]
        self.terms: list[tuple[int, arb]] = []
        with precision(self.bits):
            factors = [
                (Cell(rho, Fraction(0), self.bits), rho / period, count) for rho, count in cells.items()
            ]
            for n in nodes.tolist():
                term = 2 / (n * arb.pi())
                for cell, turn, count in factors:
                    term *= cell.at(n * turn.numerator, turn.denominator) ** count
                self.terms.append((n, term))

    def tail_beyond(self, x: Fraction) -> Enclosure:
        """P(sum rho_c x_c > x), up to what was cut; only the rounding is in the width."""
        with precision(self.bits):
            value = ball(Fraction(1, 2))
            for n, term in self.terms:
                turn = 2 * n * x / self.period % 2
                value -= term * arb.sin_pi_fmpq(fmpq(turn.numerator, turn.denominator))
            return enclosure(widened(value, arb(2) ** (20 - self.bits)))
