"""Tails and privacy profile of a composition by ball arithmetic over the trapezoidal sum.

With N = 2M + 1 nodes and S the integer lattice variable, P(a <= S <= M modulo N) is

    (M + 1 - a) / N  -  (1/N) sum_{n=1}^{M} phi(2 pi n / N) sin(pi n (2a - 1) / N) / sin(pi n / N),

because the sine that belongs to the upper end, sin(pi n), vanishes. Two things are added to the radius:

- aliasing, at most P(|S| > M) <= 2 exp(-(h M)^2 / (2R));
- nodes left out: |phi| <= e^-L there and 1 / (N sin(pi n / N)) <= 1 / (2n), so together at most
  e^-L (1 + ln M) / 2.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, fmpq

from .balls import ball, enclosure, precision, widened
from .cells import Cells, Enclosure, rational_gcd, total
from .nodes import SCANNABLE, surviving_nodes
from .short_vectors import surviving_nodes_by_short_vectors
from .tails import TailReference
from .theta import characteristic_function


class ArbTail(TailReference):
    """Enclosures good to about `digits` digits after the point, for one composition.

    `survivors` holds the nodes n in 1 .. M that are summed; the node 0 is always summed besides.
    """

    def __init__(self, cells: Cells, digits: int = 60) -> None:
        self.cells = dict(cells)
        self.nats = (digits + 2) * math.log(10)
        self.bits = int(self.nats / math.log(2)) + 64
        self.step = rational_gcd(list(self.cells))
        self.total_rho = total(self.cells)
        # sqrt(2 R (L + ln 2)) / h, rounded up generously
        self.half = math.ceil(math.sqrt(2 * float(self.total_rho) * (self.nats + 1)) / float(self.step)) + 2
        self.nodes = 2 * self.half + 1
        find = surviving_nodes if self.nodes < SCANNABLE else surviving_nodes_by_short_vectors
        self.survivors = [int(n) for n in find(self.cells, self.step, self.half, self.nats)]
        self._terms: list[tuple[int, arb]] | None = None
        with precision(self.bits):
            left_out = (-ball(Fraction(self.nats))).exp() * (1 + ball(self.half).log()) / 2
            alias = 2 * (-ball((self.step * self.half) ** 2 / (2 * self.total_rho))).exp()
            self.slack = left_out + alias
            self.factors = [
                (characteristic_function(rho, self.bits), int(rho / self.step), count)
                for rho, count in self.cells.items()
            ]

    def terms(self) -> list[tuple[int, arb]]:
        """Pairs (n, phi(2 pi n / N) / (N sin(pi n / N)))."""
        if self._terms is None:
            with precision(self.bits):
                self._terms = [(n, self._term(n)) for n in self.survivors]
        return self._terms

    def _term(self, n: int) -> arb:
        value = 1 / (self.nodes * arb.sin_pi_fmpq(fmpq(n, self.nodes)))
        for function, weight, count in self.factors:
            value *= function(n * weight, self.nodes) ** count
        return value

    def tail_beyond(self, x: Fraction) -> Enclosure:
        start = x // self.step + 1
        if start > self.half:
            with precision(self.bits):
                return Enclosure(Fraction(0), enclosure(self.slack).upper)
        if start < -self.half:
            return self.tail_beyond(-start * self.step).complement()
        with precision(self.bits):
            value = arb(0)
            for n, term in self.terms():
                value -= term * arb.sin_pi_fmpq(fmpq(n * (2 * start - 1) % (2 * self.nodes), self.nodes))
            value += ball(Fraction(self.half + 1 - start, self.nodes))
            return enclosure(widened(value, self.slack))
