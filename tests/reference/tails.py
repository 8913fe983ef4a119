"""What the references have in common: P(T > eps), Q(T > eps) and delta from the tails of one sum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from .balls import ball, enclosure, precision
from .cells import Cells, Enclosure, total


class TailReference(ABC):
    """A composition's tails as enclosures.

    bits: the precision of the tails, which must be fine enough for the cancellation in delta.
    """

    cells: Cells
    bits: int

    @abstractmethod
    def tail_beyond(self, x: Fraction) -> Enclosure:
        """P(sum rho_c x_c > x), the x_c centred at zero."""

    def alpha(self, eps: Fraction) -> Enclosure:
        """P(T > eps)."""
        return self.tail_beyond(eps + total(self.cells) / 2)

    def power(self, eps: Fraction) -> Enclosure:
        """Q(T > eps); under Q the x_c are centred at one."""
        return self.tail_beyond(eps - total(self.cells) / 2)

    def delta(self, eps: Fraction) -> Enclosure:
        """Q(T > eps) - e^eps P(T > eps)."""
        alpha, power = self.alpha(eps), self.power(eps)
        with precision(self.bits + 64 + int(2 * abs(eps))):
            factor = enclosure(ball(eps).exp())
        return Enclosure(power.lower - factor.upper * alpha.upper, power.upper - factor.lower * alpha.lower)
