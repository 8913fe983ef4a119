"""Compositions: the discrete Gaussian cells of everything that one record touches."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from exact_census.exact import InputError, checking, written
from kernels.accounting import composition
from kernels.accounting.census.allocation import Allocation as Allocation
from kernels.accounting.census.mechanism import pair_composition, resolve_mechanism
from workflow.allocation.cells import read_cells
from workflow.allocation.read import load_allocation as load_allocation
from workflow.input.rational import parse_rho
from workflow.words import shorten


class Composition(composition.Composition):
    """Cells with discrete Gaussian noise N_Z(0, 1/rho), each shifted by one between two neighbours.

    cells: maps rho to a number of cells, those of both members together: when a record is replaced, one cell
    of every query falls by 1 and one rises by 1. rho is text ("1/3", "0.1"), int, Fraction or Decimal.

    Raises InputError for a rho or a number of cells that is not allowed, and when a rho is listed twice.
    """

    def __init__(self, cells: Mapping[Any, int]) -> None:
        if not isinstance(cells, Mapping):
            raise InputError(
                f"cells = {shorten(repr(cells), quote='')}: must map every rho to a number of cells"
            )
        counts: dict[Fraction, int] = {}
        for number, count in cells.items():
            rho = written(number, "rho")
            if rho in counts:
                raise InputError(f"rho = {number}: the same as one before; list each rho once")
            try:
                parse_rho(str(rho))
            except ValueError as error:
                raise InputError(f"rho = {number}: {error}") from None
            counts[rho] = count
        with checking():
            super().__init__(composition.Composition.from_counts(counts).cells)

    @classmethod
    def from_pair(cls, allocation: Allocation | str | Path, first: str, second: str) -> Self:
        """What a record releases that moves between two root-to-block paths.

        allocation: one that is loaded, the name of a shipped one, or a file. first, second: mechanisms
        ("M00") or bypass patterns ("000000"). Raises InputError for anything else.
        """
        with checking():
            loaded = _loaded(allocation)
            members = (resolve_mechanism(loaded, member) for member in (first, second))
            return cls(dict(pair_composition(loaded, *members).cells))

    @classmethod
    def from_level(cls, allocation: Allocation | str | Path, level: str) -> Self:
        """One geographic level alone, its queries against themselves. Raises InputError."""
        with checking():
            return cls(dict(_loaded(allocation).level_composition(level).cells))

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The composition in a cells file, YAML or JSON. Raises InputError."""
        return cls(dict(read_cells(path).cells))

    @classmethod
    def from_counts(cls, counts: Mapping[Fraction, int]) -> Self:
        """The same as the class itself, for exact rhos."""
        return cls(counts)

    def __add__(self, other: composition.Composition) -> Self:
        """All cells of both compositions."""
        return type(self)(dict(super().__add__(other).cells))

    def __repr__(self) -> str:
        cells = ", ".join(f"'{rho}': {count}" for rho, count in self.cells)
        return f"{type(self).__name__}({{{cells}}})"


def _loaded(allocation: Allocation | str | Path) -> Allocation:
    return allocation if isinstance(allocation, Allocation) else load_allocation(allocation)
