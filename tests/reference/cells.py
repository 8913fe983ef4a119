"""Exact bookkeeping of a composition given as a plain mapping rho -> number of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

Cells = Mapping[Fraction, int]

PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)
#: 355/113 * 2/7 over primes: a lattice of some 5e17 nodes, beyond a scan and beyond doubles.
FINE: Cells = {Fraction(355, 791 * prime): 2 * prime for prime in PRIMES}


@dataclass(frozen=True)
class Enclosure:
    """A closed interval with exact rational ends that holds the true value."""

    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower

    @property
    def middle(self) -> Fraction:
        return (self.lower + self.upper) / 2

    def overlaps(self, other: Enclosure) -> bool:
        return self.lower <= other.upper and other.lower <= self.upper

    def complement(self) -> Enclosure:
        """Enclosure of one minus the value."""
        return Enclosure(1 - self.upper, 1 - self.lower)


def rational_gcd(values: list[Fraction]) -> Fraction:
    """Greatest rational h of which every value is an integer multiple."""
    denominator = lcm(*(value.denominator for value in values))
    return Fraction(gcd(*(int(value * denominator) for value in values)), denominator)


def total(cells: Cells) -> Fraction:
    """R, the sum of rho over all cells."""
    return sum((rho * count for rho, count in cells.items()), Fraction(0))
