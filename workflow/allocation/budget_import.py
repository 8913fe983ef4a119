"""Reading a budget from a CSV table as such tables are published: rhos, or shares as fractions or per cent.

What kind of numbers a table holds is told by what they add up to, exactly; nothing is padded or rounded.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from pathlib import Path

from workflow.allocation.budget_cells import BudgetTable, Cell, read_cells_by_level
from workflow.errors import ConfigError
from workflow.input.rational import parse_rational, with_decimals, wrong_sum
from workflow.words import listing

_NOT_ASKED = {"", "-", "–", "—", "0", "0%", "0.0", "0.0%", "n/a", "na"}


def read_budget(
    path: Path, levels: Sequence[str], queries: Sequence[str], total: Fraction | None = None
) -> dict[str, dict[str, Fraction]]:
    """rho by level and query, levels in the order given, queries in the file's.

    levels, queries: as in read_cells_by_level; total: the total rho, where the table does not say. Raises
    ConfigError.
    """
    return _Budget(read_cells_by_level(path, levels, queries), levels, total).rho()


class _Budget:
    """From cells to rhos: what kind of numbers they are, and whether they add up."""

    def __init__(self, table: BudgetTable, levels: Sequence[str], total: Fraction | None) -> None:
        self.table, self.levels = table, levels
        self.total = total
        if table.total is not None:
            said = self._number(table.total)[0]
            if total not in (None, said):
                raise table.error(table.total, f"another total rho was asked for, {with_decimals(total)}")
            self.total = said
        self.percent = False
        self.numbers: dict[str, dict[str, Fraction]] = {}
        for level in levels:
            self.numbers[level] = {}
            for query, cell in table.cells[level].items():
                if cell.text.replace(" ", "").casefold() not in _NOT_ASKED:
                    self.numbers[level][query], percent = self._number(cell)
                    self.percent |= percent
            if not self.numbers[level]:
                raise ConfigError(f"{table.file}: level {level} asks no query")

    def _number(self, cell: Cell) -> tuple[Fraction, bool]:
        """The cell's number, above 0, and whether it is in per cent."""
        text = cell.text.removesuffix("%").strip()
        try:
            value = parse_rational(text)
        except ValueError as error:
            raise self.table.error(cell, f"{error}, or in per cent such as 12.5%") from None
        if value <= 0:
            raise self.table.error(cell, "must be above 0, or empty where the query is not asked")
        return (value / 100, True) if text != cell.text.strip() else (value, False)

    def rho(self) -> dict[str, dict[str, Fraction]]:
        """rho by level and query."""
        of_levels = self._level_rhos()
        if of_levels is not None:
            for level in self.levels:
                self._whole(
                    self.numbers[level].values(), f"the queries' shares of level {level}", self._first(level)
                )
            return {
                level: {query: share * of_levels[level] for query, share in self.numbers[level].items()}
                for level in self.levels
            }
        everything = sum((value for one in self.numbers.values() for value in one.values()), Fraction(0))
        if everything == 1 and (self.percent or self.total is not None):
            total = self._known_total()
            return {
                level: {query: share * total for query, share in self.numbers[level].items()}
                for level in self.levels
            }
        first = self._first(self.levels[0])
        if self.percent or all(sum(one.values()) == 1 for one in self.numbers.values()):
            raise self.table.error(
                first,
                f"the table holds shares, which add up to {with_decimals(everything)} in all; give shares "
                "of the total, which add up to exactly 1, or shares of each level with a row 'level share'",
            )
        if self.total not in (None, everything):
            raise self.table.error(
                first,
                wrong_sum("the rhos", everything, self._known_total()),
            )
        return self.numbers

    def _level_rhos(self) -> dict[str, Fraction] | None:
        """rho of every level where the table gives the levels' shares or rhos, else None."""
        given, kind = self.table.level_shares, "share"
        if given is None:
            given, kind = self.table.level_rhos, "rho"
        if given is None:
            return None
        missing = [level for level in self.levels if level not in given]
        if missing:
            raise ConfigError(f"{self.table.file}: no level {kind} of {listing(missing)}")
        values = {level: self._number(given[level])[0] for level in self.levels}
        if kind == "rho":
            everything = sum(values.values(), Fraction(0))
            if self.total is not None and self.total != everything:
                message = wrong_sum("the levels' rhos", everything, self.total)
                raise self.table.error(given[self.levels[0]], message)
            return values
        self._whole(values.values(), "the levels' shares", given[self.levels[0]])
        total = self._known_total()
        return {level: share * total for level, share in values.items()}

    def _whole(self, values: Collection[Fraction], what: str, cell: Cell) -> None:
        everything = sum(values, Fraction(0))
        if everything != 1:
            raise self.table.error(cell, wrong_sum(what, everything, Fraction(1)))

    def _first(self, level: str) -> Cell:
        """The first number of a level, for messages about all of them."""
        return self.table.cells[level][next(iter(self.numbers[level]))]

    def _known_total(self) -> Fraction:
        if self.total is None:
            raise ConfigError(
                f"{self.table.file}: shares need the total rho, in a first row 'total rho' or by --total-rho"
            )
        return self.total
