"""The trade-off function from the tails of any reference: find the piece that holds alpha, walk along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .arb_tail import ArbTail
from .balls import ball, enclosure, precision
from .cells import Enclosure, total
from .convolution import ConvolutionTail


@dataclass(frozen=True)
class Piece:
    """beta = f(alpha), and -df/dalpha there: errors of alpha are magnified by the slope."""

    beta: Enclosure
    slope: Fraction


def tradeoff(tails: ArbTail | ConvolutionTail, alpha: Fraction) -> Piece:
    """f at 0 < alpha < 1.

    With t the lattice point such that P(T > t) <= alpha <= P(T >= t), rejecting above t and partly at t gives
    f(alpha) = Q(T <= t) - e^t (alpha - P(T > t)). Where enclosures leave the piece open, either neighbour is
    right to within the enclosures' width.
    """
    spread = math.sqrt(2 * float(total(tails.cells)) * (tails.bits * math.log(2) + 1))
    high = math.ceil(spread / float(tails.step)) + 1
    low = -high
    while high - low > 1:  # P(S > low) > alpha >= P(S > high)
        middle = (low + high) // 2
        if tails.tail_beyond(middle * tails.step).middle > alpha:
            low = middle
        else:
            high = middle
    t = high * tails.step - total(tails.cells) / 2
    above, power = tails.alpha(t), tails.power(t)
    with precision(tails.bits + 64):
        slope = enclosure(ball(t).exp())
    beta = Enclosure(
        1 - power.upper - slope.upper * max(alpha - above.lower, Fraction(0)),
        1 - power.lower - slope.lower * max(alpha - above.upper, Fraction(0)),
    )
    return Piece(beta, slope.upper)
