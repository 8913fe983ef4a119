"""`exact-census patterns`: which bypass patterns occur in a geography, and on how many paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workflow.cli.errors import BadInput
from workflow.cli.output import emit_json, emit_table, json_option
from workflow.input.rational import parse_count

if TYPE_CHECKING:
    from kernels.accounting.census.allocation import Allocation
    from kernels.accounting.census.geography import Geography

SHOWN = 100  # patterns printed on one line, to be copied


@click.command("patterns", short_help="Bypass patterns of a geography, with their paths.")
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
    from pathlib import Path

    from workflow.allocation.geography import path_counts, read_geography
    from workflow.cli.figures import exact_fields
    from workflow.cli.question import read_allocation
    from workflow.errors import ConfigError
    from workflow.words import how_many

    if (geounits is None) == (geocodes is None) or (geocodes is None) != (digits is None):
        raise BadInput("Name one table: --geounits FILE, or --geocodes FILE with --digits LEVEL=N,...")
    loaded = read_allocation(allocation)
    if loaded.products:
        names = ", ".join(product.name for product in loaded.products)
        raise BadInput(f"--allocation: {loaded.name} is joint; name one of its products: {names}.")
    file = geounits or geocodes or ""
    try:
        geography = read_geography(Path(file), loaded.levels, _digits(digits))
        counts = path_counts(geography, loaded.absorbing_levels, loaded.fixed_digits)
    except ConfigError as error:
        raise BadInput(str(error)) from None
    except ValueError as error:
        raise BadInput(f"{file}: {error}") from None
    if as_json:
        emit_json(
            {
                "command": "patterns",
                "file": file,
                "neighbours": loaded.neighbours,
                "allocation": loaded.name,
                "absorbing_levels": loaded.absorbing_levels,
                "patterns": list(counts),
                **exact_fields("paths", sum(counts.values())),
                "rows": [
                    {"pattern": pattern, "mechanism": _name(loaded, pattern)}
                    | {"bypassed": _bypassed(loaded, pattern)}
                    | exact_fields("paths", paths)
                    for pattern, paths in counts.items()
                ],
            }
        )
        return
    heading = [
        f"{file}: {how_many(sum(counts.values()), 'paths')} from {loaded.levels[0]} to {loaded.levels[-1]}.",
        f"Geounits with a single child: {_only_children(geography, loaded)}.",
        f"{how_many(len(counts), 'bypass patterns')}, "
        f"{how_many(len(counts) * (len(counts) + 1) // 2, 'pairs')}; " + _compared(loaded, counts),
    ]
    rows = [
        [pattern, _name(loaded, pattern) or "-", ", ".join(_bypassed(loaded, pattern)) or "none", str(paths)]
        for pattern, paths in counts.items()
    ]
    columns = ["pattern", f"in {loaded.name}", "levels that bypass", "paths"]
    copy = [f"patterns: [{', '.join(counts)}]"] if len(counts) <= SHOWN else []
    emit_table(heading, columns, rows, notes=copy, words=3)


def _digits(text: str | None) -> dict[str, int] | None:
    """LEVEL=N,... as a mapping. Raises BadInput."""
    if text is None:
        return None
    digits: dict[str, int] = {}
    for entry in text.split(","):
        level, equals, number = (part.strip() for part in entry.partition("="))
        if not equals or not level or level in digits:
            raise BadInput(f"--digits: '{entry.strip()}': must be LEVEL=N, each level once.")
        try:
            digits[level] = parse_count(number, 0, 100)
        except ValueError as error:
            raise BadInput(f"--digits: {level} = '{number}': {error}.") from None
    return digits


def _name(allocation: Allocation, pattern: str) -> str | None:
    """Its mechanism in the allocation, if that lists it."""
    from kernels.accounting.census.mechanism import mechanism_name

    return mechanism_name(allocation, pattern) if pattern in allocation.patterns else None


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
