"""Budgets as CSV tables: written in the styles in which they are published, and read back exactly.

docs/allocations.md describes the two layouts, wide and long. Nothing is padded or rounded. Every mistake is
one ConfigError that names file, row and column.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from kernels.accounting.census.allocation import Allocation
from workflow.errors import ConfigError
from workflow.input.csv_rows import place
from workflow.input.rational import parse_rational, with_decimals, wrong_sum
from workflow.input.tree import read_text
from workflow.words import how_many, listing, printable, shorten, suggestion

Style = Literal["rho", "shares", "percent", "long"]
STYLES: tuple[Style, ...] = get_args(Style)
TOTAL, LEVEL, QUERY, RHO, SHARE = "total rho", "level", "query", "rho", "level share"

_NOT_ASKED = {"", "-", "–", "—", "n/a", "0", "0%", "0.0", "0.0%"}
#: Names in the Census Bureau's own tables, and what they are called here.
_ALIASES = {
    "global rho": TOTAL,
    "rho allocation by geographic level": SHARE,
    "united states": "us",
    "optimized block group": "block group",
}


def table_text(allocation: Allocation, style: Style) -> str:
    """The budget as CSV, every number exact: a decimal (or per cent) where that ends, else a fraction p/q.

    rho: queries x levels, each cell its rho. shares and percent: a row with each level's share of the total,
    and each query's share of its level. long: one row per level and query. A query that a level does not ask
    has an empty cell, or no row.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    rho, levels, total = allocation.rho, allocation.levels, allocation.total_rho
    if style == "long":
        writer.writerow([LEVEL, QUERY, RHO])
        writer.writerows(
            [level, query, _exact(rho[level][query])] for level in levels for query in rho[level]
        )
        return stream.getvalue()
    writer.writerow([TOTAL, _exact(total)])
    writer.writerow([QUERY, *levels])
    show = _percent if style == "percent" else _exact
    unit = {level: Fraction(1) for level in levels}
    if style != "rho":
        unit = {level: allocation.level_rho(level) for level in levels}
        writer.writerow([SHARE, *(show(unit[level] / total) for level in levels)])
    for query in dict.fromkeys(query for level in levels for query in rho[level]):
        asked = (show(rho[level][query] / unit[level]) if query in rho[level] else "" for level in levels)
        writer.writerow([query, *asked])
    return stream.getvalue()


def _exact(number: Fraction) -> str:
    """A decimal where it ends, else p/q."""
    rest, digits = number.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        digits = max(digits, power)
    if rest != 1:
        return str(number)
    whole = str(int(number * 10**digits)).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole


def _percent(number: Fraction) -> str:
    text = _exact(100 * number)
    return str(number) if "/" in text else f"{text} %"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell's text without blanks at its ends, and where it stands: file, line, title of its column."""

    file: str
    line: int
    column: str
    text: str

    def error(self, message: str) -> ConfigError:
        where = f"{self.file}:{self.line}: column {shorten(self.column)}"
        return ConfigError(f"{where} = {shorten(self.text)}: {message}")

    @property
    def is_asked(self) -> bool:
        return self.text.replace(" ", "").casefold() not in _NOT_ASKED

    @property
    def is_percent(self) -> bool:
        return self.text.endswith("%")

    def number(self) -> Fraction:
        try:
            value = parse_rational(self.text.removesuffix("%"))
        except ValueError as error:
            raise self.error(f"{error}, or in per cent such as 12.5%") from None
        if value <= 0:
            raise self.error("must be above 0, or empty where the query is not asked")
        return value / 100 if self.is_percent else value


Grid = list[list[_Cell]]
Budget = dict[str, dict[str, Fraction]]


def read_budget(
    path: Path, levels: Sequence[str], queries: Sequence[str], total: Fraction | None = None
) -> Budget:
    """rho by level and query, levels in the order given, queries in the file's.

    levels: all that the table must have. queries: names to use where the table's differ from them in case,
    blanks and underscores only. total: the total rho, where the table does not say. Raises ConfigError.
    """
    file = printable(str(path))
    grid = _grid(read_text(path), file)
    if grid and _plain(grid[0][0].text) == TOTAL:
        total = _total(grid.pop(0), total)
    cells = _by_level(grid, file, levels, queries)
    has_shares = SHARE not in queries
    shares = {level: row.pop(SHARE) for level, row in cells.items() if has_shares and SHARE in row}
    for level in levels:
        if not cells[level]:
            raise ConfigError(f"{file}: level {level} asks no query; needed: {listing(levels)}")
    numbers = {level: {query: cell.number() for query, cell in row.items()} for level, row in cells.items()}
    first = {level: next(iter(row.values())) for level, row in cells.items()}
    if shares:
        return _from_shares(file, numbers, first, shares, total)
    sums = [sum(row.values(), Fraction(0)) for row in numbers.values()]
    everything = sum(sums, Fraction(0))
    percent = any(cell.is_percent for row in cells.values() for cell in row.values())
    said = total is not None or _plain(first[levels[0]].column) == RHO
    if percent or (set(sums) == {1} and not said):
        words = f"the table holds shares, which add up to {with_decimals(everything)} in all"
        raise first[levels[0]].error(f"{words}; they need a row '{SHARE}'")
    if total is not None and total != everything:
        raise first[levels[0]].error(wrong_sum("the rhos", everything, total))
    return numbers


def _by_level(
    grid: Grid, file: str, levels: Sequence[str], queries: Sequence[str]
) -> dict[str, dict[str, _Cell]]:
    """The cells that are asked by level and query, under their names; levels' shares count as a query."""
    cells: dict[str, dict[str, _Cell]] = {level: {} for level in levels}
    for level_cell, query_cell, cell in _entries(grid, file, levels):
        level = _spelt(level_cell.text, levels)
        if level not in cells:
            hint = suggestion(level_cell.text, levels)
            raise level_cell.error(f"unknown level; {hint}allowed: {listing(levels)}")
        query = _spelt(query_cell.text, [*queries, SHARE])
        if not query:
            raise query_cell.error("the row has no query")
        if not cell.is_asked:
            continue
        first = cells[level].setdefault(query, cell)
        if first is not cell:
            where = f"level {level}, query {shorten(query)}"
            raise cell.error(f"a second value for {where}; the first is in line {first.line}")
    return cells


def _from_shares(
    file: str,
    numbers: Budget,
    first: dict[str, _Cell],
    shares: dict[str, _Cell],
    total: Fraction | None,
) -> Budget:
    """rhos from the queries' shares of their levels, and the levels' shares of the total.

    first: the first number of every level, for messages.
    """
    missing = [level for level in numbers if level not in shares]
    if missing:
        raise ConfigError(f"{file}: no {SHARE} of {listing(missing)}")
    if total is None:
        raise ConfigError(f"{file}: shares need the total rho, in a first row '{TOTAL}' or by --total-rho")
    of_levels = {level: shares[level].number() for level in numbers}
    _check_whole(of_levels.values(), "the levels' shares", next(iter(shares.values())))
    for level, asked in numbers.items():
        _check_whole(asked.values(), f"the queries' shares of level {level}", first[level])
    return {
        level: {query: share * of_levels[level] * total for query, share in asked.items()}
        for level, asked in numbers.items()
    }


def _check_whole(values: Iterable[Fraction], what: str, cell: _Cell) -> None:
    everything = sum(values, Fraction(0))
    if everything != 1:
        raise cell.error(wrong_sum(what, everything, Fraction(1)))


def _total(row: list[_Cell], asked: Fraction | None) -> Fraction:
    """The total rho that the first row gives."""
    filled = [cell for cell in row[1:] if cell.text]
    if len(filled) != 1:
        raise row[0].error("needs one number beside it")
    total = filled[0].number()
    if asked not in (None, total):
        raise filled[0].error(f"another total rho was asked for, {with_decimals(asked)}")
    return total


def _grid(text: str, file: str) -> Grid:
    """The rows that hold something, separated by commas, semicolons or tabs; of one length, but the total's.

    The first row after the total's is the header, whose cells are the titles of the columns.
    """
    lines = text.splitlines()
    delimiter = max(",;\t", key=next((line for line in lines if line.strip()), "").count)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    grid: Grid = []
    header: list[str] = []
    try:
        for row in reader:
            texts = [text.strip() for text in row]
            if not any(texts):
                continue
            if not header and (grid or _plain(texts[0]) != TOTAL):
                header = texts
            if header and any(texts[len(header) :]):
                values, columns = how_many(len(texts), "values"), how_many(len(header), "columns")
                raise ConfigError(f"{file}:{reader.line_num}: {values}, but the header has {columns}")
            texts += [""] * (len(header) - len(texts))
            titles = header or [texts[0]] * len(texts)
            grid.append([_Cell(file, reader.line_num, *pair) for pair in zip(titles, texts, strict=False)])
    except csv.Error as error:
        raise ConfigError(f"{file}:{reader.line_num}: not valid CSV: {error}") from None
    return grid


def _entries(grid: Grid, file: str, levels: Sequence[str]) -> list[tuple[_Cell, _Cell, _Cell]]:
    """Of every number the cells that hold its level, its query and itself."""
    if not grid:
        raise ConfigError(f"{file}: no table; its header names levels or queries")
    names = [_plain(cell.text) for cell in grid[0]]
    if LEVEL in names and QUERY in names:
        where = f"{file}:{grid[0][0].line}"
        level_at, query_at, rho_at = (place(where, names, column) for column in (LEVEL, QUERY, RHO))
        return [(row[level_at], row[query_at], row[rho_at]) for row in grid[1:]]
    if not any(_spelt(cell.text, levels) in levels for cell in grid[0][1:]):
        grid = [list(column) for column in zip(*grid, strict=True)]  # the levels stand in the first column
    header, *body = grid
    return [
        (title, row[0], cell)
        for row in body
        for title, cell in zip(header[1:], row[1:], strict=True)
        if title.text
    ]


def _plain(name: str) -> str:
    """A name without what differs between spellings: case, blanks, underscores, footnote marks."""
    plain = " ".join(re.sub(r"[_\s-]+", " ", name.casefold().rstrip("*† ")).split())
    return _ALIASES.get(plain, plain)


def _spelt(name: str, names: Sequence[str]) -> str:
    """The one among `names` that a name spells, or else the name itself."""
    return name if name in names else next((known for known in names if _plain(known) == _plain(name)), name)
