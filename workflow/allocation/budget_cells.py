"""The cells of a published budget table, CSV, by level and query, whichever way the table is laid out.

docs/allocations.md describes the layouts. Each mistake is one ConfigError that names file, row and column.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workflow.errors import ConfigError
from workflow.input.tree import read_text
from workflow.words import how_many, listing, printable, shorten, suggestion

MAX_CSV_BYTES = 1 << 20
_TOTALS = {"total rho", "global rho", "total budget", "global budget"}
_LEVEL_WORDS = {"level", "geolevel", "geographic level", "geography", "geographic levels", "levels"}
_QUERY_WORDS = {"query", "queries", "query group", "marginal", "table"}
_SHARES = {
    "level share",
    "level shares",
    "geolevel share",
    "share of total",
    "rho allocation by geographic level",
}
_LEVEL_RHOS = {"level rho", "rho of level", "geolevel rho"}
_RHO_WORDS, _SHARE_WORDS = {"rho", "budget"}, {"share", "query share", "share of level", "proportion"}
_ALIASES = {
    "united states": "us",
    "optimized block group": "block group",
    "optimised block group": "block group",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, and where it stands: line, and the title of its column."""

    text: str
    line: int
    column: str


@dataclass(slots=True)
class BudgetTable:
    """What a file says: cells by level and query, and of each level its share or rho where given."""

    file: str
    cells: dict[str, dict[str, Cell]]
    total: Cell | None = None
    level_shares: dict[str, Cell] | None = None
    level_rhos: dict[str, Cell] | None = None

    def error(self, cell: Cell, message: str) -> ConfigError:
        return ConfigError(
            f"{self.file}:{cell.line}: column {shorten(cell.column)} = {shorten(cell.text)}: {message}"
        )


def read_cells_by_level(path: Path, levels: Sequence[str], queries: Sequence[str]) -> BudgetTable:
    """The table's cells, levels and queries under their names. Raises ConfigError.

    levels: all that the table must have; queries: names to use where the table's differ from them in case,
    blanks and underscores only.
    """
    file = printable(str(path))
    rows = _rows(read_text(path, MAX_CSV_BYTES), file)
    table = BudgetTable(file, {level: {} for level in levels})
    while rows and _plain(rows[0][1][0]) in _TOTALS:
        line, row = rows.pop(0)
        filled = [cell for cell in row[1:] if cell]
        if len(filled) != 1:
            raise ConfigError(f"{file}:{line}: {shorten(row[0])} needs one number beside it")
        table.total = Cell(filled[0], line, row[0])
    if not rows:
        raise ConfigError(f"{file}: no table; its header names levels or queries")
    (line, header), body = rows[0], rows[1:]
    for place, name in enumerate(header):
        if name and name in header[:place]:
            raise ConfigError(f"{file}:{line}: column {shorten(name)} occurs twice")
    names, columns = {_plain(cell) for cell in header}, how_many(len(header), "columns")
    for number, row in body:
        if len(row) > len(header) and any(row[len(header) :]):
            raise ConfigError(
                f"{file}:{number}: {how_many(len(row), 'values')}, but the header has {columns}"
            )
        row += [""] * (len(header) - len(row))
    if _LEVEL_WORDS & names and _QUERY_WORDS & names:
        _read_long(table, header, body, levels, queries, line)
    else:
        _read_wide(table, (line, header), body, levels, queries)
    missing = [level for level in levels if not table.cells[level]]
    if missing:
        raise ConfigError(f"{file}: nothing for level {listing(missing)}; needed: {listing(levels)}")
    return table


def _rows(text: str, file: str) -> list[tuple[int, list[str]]]:
    """Rows with something in them and their lines, cells stripped."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(), delimiter=delimiter, strict=True)
    rows = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise ConfigError(f"{file}:{reader.line_num}: not valid CSV: {error}") from None
    return rows


def _plain(name: str) -> str:
    """A name without what differs between spellings: case, blanks, underscores, footnote marks."""
    plain = " ".join(re.sub(r"[_\s-]+", " ", name.casefold().rstrip("*† ")).split())
    return _ALIASES.get(plain, plain)


def _spelt(name: str, names: Sequence[str]) -> str | None:
    """The one among `names` that a name spells."""
    if name in names:
        return name
    return next((one for one in names if _plain(one) == _plain(name)), None)


def _known(table: BudgetTable, cell: Cell, levels: Sequence[str]) -> str:
    """The level that the cell names. Raises ConfigError."""
    found = _spelt(cell.text, levels)
    if found is None:
        hint = suggestion(cell.text, levels) + "allowed: " + listing(levels)
        raise table.error(cell, f"unknown level; {hint}")
    return found


def _put(table: BudgetTable, level: str, query: str, cell: Cell) -> None:
    if query in table.cells[level]:
        first = table.cells[level][query].line
        raise table.error(
            cell, f"a second value for level {level}, query {shorten(query)}; the first is in line {first}"
        )
    table.cells[level][query] = cell


def _read_wide(
    table: BudgetTable,
    head: tuple[int, list[str]],
    body: list[tuple[int, list[str]]],
    levels: Sequence[str],
    queries: Sequence[str],
) -> None:
    """One axis has the levels, the other the queries; which is which, the names tell."""
    line, header = head
    known = {_plain(level) for level in levels}
    across = sum(_plain(cell) in known for cell in header[1:])
    down = sum(_plain(row[0]) in known for _, row in body)
    if across == down == 0:
        raise ConfigError(f"{table.file}:{line}: the header names no level; allowed: {listing(levels)}")
    if across >= down:
        columns = [(place, Cell(name, line, name)) for place, name in enumerate(header) if place and name]
        of_column = {place: _known(table, cell, levels) for place, cell in columns}
        entries = [
            (of_column[place], row[0], Cell(row[place], number, header[place]))
            for number, row in body
            for place in of_column
        ]
    else:
        entries = [
            (
                _known(table, Cell(row[0], number, header[0]), levels),
                header[place],
                Cell(row[place], number, header[place]),
            )
            for number, row in body
            for place in range(1, len(header))
            if header[place]
        ]
    shares: dict[str, Cell] = {}
    rhos: dict[str, Cell] = {}
    for level, name, cell in entries:
        special = shares if _plain(name) in _SHARES else rhos if _plain(name) in _LEVEL_RHOS else None
        if special is not None and name not in queries:
            special[level] = cell
        elif not name:
            raise table.error(cell, "the row has no query beside it")
        else:
            _put(table, level, _spelt(name, queries) or name, cell)
    table.level_shares, table.level_rhos = shares or None, rhos or None


def _read_long(
    table: BudgetTable,
    header: list[str],
    body: list[tuple[int, list[str]]],
    levels: Sequence[str],
    queries: Sequence[str],
    line: int,
) -> None:
    """One row per level and query; the number is its rho, or its share of the level's share."""

    def place(words: set[str]) -> int | None:
        return next((i for i, name in enumerate(header) if _plain(name) in words), None)

    level_at, query_at = place(_LEVEL_WORDS), place(_QUERY_WORDS)
    value_at, share_at = place(_RHO_WORDS | _SHARE_WORDS), place(_SHARES)
    if value_at is None or level_at is None or query_at is None:
        raise ConfigError(
            f"{table.file}:{line}: a column rho or share is missing; the header holds {listing(header)}"
        )
    if share_at is not None:
        table.level_shares = {}
    for number, row in body:
        level = _known(table, Cell(row[level_at], number, header[level_at]), levels)
        if not row[query_at]:
            raise table.error(Cell("", number, header[query_at]), "the row has no query")
        cell = Cell(row[value_at], number, header[value_at])
        _put(table, level, _spelt(row[query_at], queries) or row[query_at], cell)
        if share_at is not None and table.level_shares is not None:
            share = Cell(row[share_at], number, header[share_at])
            first = table.level_shares.setdefault(level, share)
            if first.text != share.text:
                raise table.error(
                    share, f"level {level} has share {shorten(first.text)} in line {first.line}"
                )
