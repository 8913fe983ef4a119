"""Tails and privacy profile of a composition by the certificate's sums in ball arithmetic.

The certificate (kernels/certificate) shares no code with the kernels that the tests compare with it. It is
itself judged by integer polynomials (convolution.py), series of other periods (fine.py) and published
figures (test_references.py).
"""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction

from flint import arb

from kernels.certificate.balls import ends
from kernels.certificate.survivors import OutOfReach
from kernels.certificate.tails import Family, Nodes, Pair, Plain, common_period

from .balls import precision
from .cells import Cells, Enclosure, rational_gcd, total
from .tails import TailReference


def halves(cells: Cells) -> tuple[dict[Fraction, int], dict[Fraction, int]]:
    """The cells in two parts, rhos with like denominators together."""
    rhos = sorted(cells, key=lambda rho: (rho.denominator, rho))
    middle = (len(rhos) + 1) // 2
    first, second = ({rho: cells[rho] for rho in part} for part in (rhos[:middle], rhos[middle:]))
    return first, second


class ArbTail(TailReference):
    """Enclosures good to about `digits` digits after the point, for one composition.

    period: the least one of the sum, if longer than the digits need. `survivors` holds the nodes n in
    1 .. N/2 that are summed; the node 0 is always summed besides.
    """

    def __init__(self, cells: Cells, digits: int = 60, period: float = 0.0) -> None:
        self.cells = dict(cells)
        self.step = rational_gcd(list(cells))
        self.total_rho = total(cells)
        nats = math.ceil((digits + 2) * math.log(10))
        self.bits = int(nats / math.log(2)) + 64
        self.pair, nodes = self._nodes(
            nats, max(period, 2 * math.sqrt(2 * float(self.total_rho) * (nats + 1)))
        )
        self.nodes, self.survivors = self.pair.modulus, nodes.n[1:]
        self._sum = Plain(self.pair, nodes)

    def _nodes(self, nats: int, needed: float) -> tuple[Pair, Nodes]:
        """Every node with phi > exp(-nats), by a scan of all residues or of those of two halves; where they
        are too many, those found as short vectors."""
        for members in ((self.cells, {}), halves(self.cells)):
            steps = [rational_gcd(list(half)) for half in members if half]
            pair = Pair(Family(common_period(steps, needed), self.bits), *members)
            if pair.coarse:
                with suppress(OutOfReach):
                    return pair, self._scanned(pair, nats)
        pair = Pair(Family(common_period([self.step], needed), self.bits), self.cells, {})
        with suppress(OutOfReach):
            return pair, pair.nodes(math.exp(-nats))
        return pair, self._scanned(pair, nats)

    def _scanned(self, pair: Pair, nats: int) -> Nodes:
        out = (-arb(nats)).exp() * (1 + arb(pair.modulus).log()) / 2
        return Nodes(pair.modulus, *pair.scanned(nats), out)

    def tail_beyond(self, x: Fraction) -> Enclosure:
        value = self._sum.upper(x // self.step + 1)
        with precision(self.bits):
            return Enclosure(*ends(value))
