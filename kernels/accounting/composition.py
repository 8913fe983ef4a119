"""Compositions: the multiset of privacy parameters that one privacy curve belongs to."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Self

from kernels.numerics.arithmetic.rational import rational_gcd


@dataclass(frozen=True, slots=True)
class Composition:
    """Discrete Gaussian cells, each shifted by one between two neighbouring data sets.

    A cell with parameter rho carries noise N_Z(0, sigma^2), sigma^2 = 1/rho. The cells are pairs (rho,
    count) with distinct rho in ascending order, so equal compositions compare, hash and print equally.

    Raises ValueError when the cells are empty, out of order, or hold a rho or a count that is not positive.
    """

    cells: tuple[tuple[Fraction, int], ...]

    def __post_init__(self) -> None:
        if not self.cells:
            raise ValueError("a composition needs at least one cell")
        for rho, count in self.cells:
            _check_cell(rho, count)
        if any(low >= high for (low, _), (high, _) in pairwise(self.cells)):
            raise ValueError("the cells of a composition must be in ascending order of rho, each rho once")

    @classmethod
    def from_counts(cls, counts: Mapping[Fraction, int]) -> Self:
        """The composition with `counts[rho]` cells of each rho, in any order.

        Raises ValueError when the mapping is empty, a rho is not an exact positive rational or a count is
        not a positive integer.
        """
        for rho, count in counts.items():
            _check_cell(rho, count)
        return cls(tuple(sorted((Fraction(rho), count) for rho, count in counts.items())))

    @property
    def total_rho(self) -> Fraction:
        """R = sum of count * rho; the log-likelihood ratio is sub-Gaussian with variance proxy R."""
        return sum((rho * count for rho, count in self.cells), Fraction(0))

    @property
    def zcdp_rho(self) -> Fraction:
        """R/2, the parameter of zero-concentrated differential privacy that the composition satisfies."""
        return self.total_rho / 2

    @property
    def spacing(self) -> Fraction:
        """h, the step of the lattice on which the log-likelihood ratio lies: the greatest common divisor."""
        return rational_gcd([rho for rho, _ in self.cells])

    @property
    def size(self) -> int:
        """Number of cells, counted with multiplicity."""
        return sum(count for _, count in self.cells)

    def __add__(self, other: "Composition") -> "Composition":
        """All cells of both compositions."""
        if not isinstance(other, Composition):
            return NotImplemented
        counts = dict(self.cells)
        for rho, count in other.cells:
            counts[rho] = counts.get(rho, 0) + count
        return Composition.from_counts(counts)

    def scaled(self, factor: Fraction) -> "Composition":
        """The composition with every rho times `factor`, that is every noise variance divided by it.

        Raises ValueError when the factor is not an exact positive rational.
        """
        if not isinstance(factor, Fraction | int) or isinstance(factor, bool) or factor <= 0:
            raise ValueError(f"the factor must be an exact rational above 0, not {factor!r}")
        return Composition(tuple((rho * factor, count) for rho, count in self.cells))

    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the text "rho:count;rho:count;...", rho in lowest terms, ascending."""
        text = ";".join(f"{rho}:{count}" for rho, count in self.cells)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def _check_cell(rho: Fraction, count: int) -> None:
    if not isinstance(rho, Fraction | int) or isinstance(rho, bool):
        raise ValueError(f"rho must be an exact rational, not {rho!r}")
    if rho <= 0:
        raise ValueError(f"rho must be above 0, not {rho}")
    if not isinstance(count, int) or isinstance(count, bool):
        raise ValueError(f"the number of cells must be an integer, not {count!r}")
    if count < 1:
        raise ValueError(f"the number of cells must be at least 1, not {count}")
