"""Small cases from the definition, all terms positive: unit cells (mpmath), one cell of any rho (Arb)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import mpmath
from flint import arb

from .balls import ball, precision, widened

# number of cells with sigma^2 = 1 -> delta at eps 0, delta at eps 1, eps at delta 1e-10, to about 15 digits
PUBLISHED = {
    1: (0.398942278266862, 0.141351339405622, 6.48437977125347),
    2: (0.501796886103337, 0.262500196954595, 9.75835654457327),
}
REACH = 40  # exp(-40^2 / 2) < 1e-347


def delta_unit_cells(count: int, eps: Fraction, digits: int = 60) -> mpmath.mpf:
    """delta(eps) of `count` cells with sigma^2 = 1: the sum over all points of max(0, q - e^eps p)."""
    with mpmath.workdps(digits):
        weights = {x: mpmath.exp(-(mpmath.mpf(x) ** 2) / 2) for x in range(-REACH, REACH + 1)}
        mass = sum(weights.values())
        factor = mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator)
        total = mpmath.mpf(0)
        for point in product(range(-REACH + 1, REACH + 1), repeat=count):
            first, second = mpmath.mpf(1), mpmath.mpf(1)
            for x in point:
                first *= weights[x] / mass
                second *= weights[x - 1] / mass
            total += max(mpmath.mpf(0), second - factor * first)
        return total


@dataclass(frozen=True)
class SingleCell:
    """Balls for one cell at one eps, good in the relative sense at any depth."""

    alpha: arb
    power: arb
    delta: arb


def single_cell(rho: Fraction, eps: Fraction, bits: int = 300) -> SingleCell:
    """T = rho (x - 1/2), so T > eps from the least integer x above eps / rho + 1/2 on."""
    with precision(bits):
        half, threshold = ball(rho) / 2, ball(eps)
        start = int((eps / rho + Fraction(1, 2)) // 1) + 1

        def first(x: int) -> arb:
            return (-half * x * x).exp()

        def second(x: int) -> arb:
            return (-half * (x - 1) ** 2).exp()

        def gap(x: int) -> arb:
            return second(x) * -(threshold - ball(rho * (x - Fraction(1, 2)))).expm1()

        mass = 1 + 2 * _series(first, 1, bits)
        return SingleCell(*(_series(term, start, bits) / mass for term in (first, second, gap)))


def _series(term: Callable[[int], arb], start: int, bits: int) -> arb:
    """Sum of term(x) from `start` on, for terms whose ratio of neighbours falls with x."""
    value, x, last = arb(0), start, term(start)
    while True:
        value += last
        following = term(x + 1)
        # Once the ratio is under 1/2, everything left is less than the last term added.
        if following < last / 2 and last < value * arb(2) ** (-bits):
            return widened(value, last)
        x, last = x + 1, following
