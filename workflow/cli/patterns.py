"""`exact-census patterns`: which bypass patterns occur in a geography, and on how many paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.geography import Geography
from workflow.allocation.geography import path_counts, read_geography
from workflow.allocation.read import load_allocation
from workflow.cli.answer import emit_json, emit_table, exact_fields
from workflow.cli.options import json_option
from workflow.cli.question import listed_name
from workflow.errors import ConfigError, PlainError
from workflow.input.rational import parse_count
from workflow.words import how_many

SHOWN = 100  # patterns printed on one line, to be copied


@click.command()
@click.option("--geounits", metavar="FILE", help="CSV table with the columns geoid, parent, level.")
@click.option(
    "--geocodes", metavar="FILE", help="Instead: CSV table with the column geocode, one row per block."
)
@click.option(
    "--digits",
    metavar="LEVEL=N,...",
    help="With --geocodes: how many digits of the geocode each level adds, such as State=2,County=3.",
)
@click.option(
    "--allocation",
    metavar="NAME|FILE",
    required=True,
    help="The allocation whose levels, and whose levels that can absorb, are meant.",
)
@json_option
def patterns(
    geounits: str | None, geocodes: str | None, digits: str | None, allocation: str, as_json: bool
) -> None:
    """Bypass patterns that occur in a geography, and the number of root-to-block paths with each.

    A level's digit is 1 where the path's geounit of that level has exactly one child. The list can be copied
    into bypass.patterns of an allocation file, which may also name the table itself.
    """
    file, loaded = geounits or geocodes, load_allocation(allocation)
    if file is None or (geounits and geocodes) or (geocodes is None) != (digits is None):
        raise ConfigError("Name one table: --geounits FILE, or --geocodes FILE with --digits LEVEL=N,...")
    if loaded.products:
        names = ", ".join(product.name for product in loaded.products)
        raise ConfigError(f"--allocation: {loaded.name} is joint; name one of its products: {names}.")
    try:
        geography = read_geography(Path(file), loaded.levels, _digits(digits))
        counts = path_counts(geography, loaded.absorbing_levels, loaded.fixed_digits)
    except PlainError:
        raise
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from None
    if as_json:
        emit_json(_document(file, loaded, counts))
    else:
        _print(file, loaded, geography, counts)


def _document(file: str, allocation: Allocation, counts: dict[str, int]) -> dict[str, Any]:
    return {
        "command": "patterns",
        "file": file,
        "neighbours": allocation.neighbours,
        "allocation": allocation.name,
        "absorbing_levels": allocation.absorbing_levels,
        "patterns": list(counts),
        **exact_fields("paths", sum(counts.values())),
        "rows": [
            {
                "pattern": pattern,
                "mechanism": listed_name(allocation, pattern),
                "bypassed": _bypassed(allocation, pattern),
                **exact_fields("paths", paths),
            }
            for pattern, paths in counts.items()
        ],
    }


def _print(file: str, allocation: Allocation, geography: Geography, counts: dict[str, int]) -> None:
    number, first, last = len(counts), allocation.levels[0], allocation.levels[-1]
    emit_table(
        [
            f"{file}: {how_many(sum(counts.values()), 'paths')} from {first} to {last}.",
            f"Geounits with a single child: {_only_children(geography, allocation)}.",
            f"{how_many(number, 'bypass patterns')}, {how_many(number * (number + 1) // 2, 'pairs')}; "
            + _compared(allocation, counts),
        ],
        ["pattern", f"in {allocation.name}", "levels that bypass", "paths"],
        [
            [
                pattern,
                listed_name(allocation, pattern) or "-",
                ", ".join(_bypassed(allocation, pattern)) or "none",
                str(paths),
            ]
            for pattern, paths in counts.items()
        ],
        notes=[f"patterns: [{', '.join(counts)}]"] if number <= SHOWN else [],
        words=3,
    )


def _digits(text: str | None) -> dict[str, int] | None:
    """LEVEL=N,... as a mapping. Raises ConfigError."""
    if text is None:
        return None
    digits: dict[str, int] = {}
    for entry in text.split(","):
        level, equals, number = (part.strip() for part in entry.partition("="))
        if not equals or not level or level in digits:
            raise ConfigError(f"--digits: '{entry.strip()}': must be LEVEL=N, each level once.")
        try:
            digits[level] = parse_count(number, 0, 100)
        except ValueError as error:
            raise ConfigError(f"--digits: {level} = '{number}': {error}.") from None
    return digits


def _bypassed(allocation: Allocation, pattern: str) -> list[str]:
    return [level for level, digit in zip(allocation.absorbing_levels, pattern, strict=True) if digit == "1"]


def _only_children(geography: Geography, allocation: Allocation) -> str:
    parts = []
    for level in allocation.absorbing_levels:
        children = geography.children(geography.levels.index(level))
        parts.append(f"{level} {int((children == 1).sum())} of {len(children)}")
    return ", ".join(parts)


def _compared(allocation: Allocation, counts: dict[str, int]) -> str:
    """How the patterns that occur relate to those that the allocation lists."""
    listed = set(allocation.patterns)
    new, unused = len(set(counts) - listed), len(listed - set(counts))
    return f"{allocation.name} lists {len(listed)}, of which {unused} do not occur, and lacks {new} that do."
