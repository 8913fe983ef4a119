"""Families of compositions with one total rho: what more, smaller cells do."""

from collections import Counter
from fractions import Fraction

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.composition import Composition


def homogeneous(total: Fraction, cells: int) -> Composition:
    """`cells` equal cells that share R = `total`."""
    return Composition.from_counts({total / cells: cells})


def of_levels(allocation: Allocation) -> Composition:
    """One cell per level and member of a pair, with the level's whole budget: few and unequal cells."""
    counts = Counter(allocation.level_rho(level) for level in allocation.levels)
    return Composition.from_counts({rho: 2 * count for rho, count in counts.items()})


def split(composition: Composition, parts: int) -> Composition:
    """Every cell divided into `parts` equal ones: the same shares of rho, `parts` times as many cells."""
    return Composition.from_counts({rho / parts: parts * count for rho, count in composition.cells})
