"""`exact-census validate`: is an allocation file right, and if not, what is wrong."""

from __future__ import annotations

import click

from kernels.accounting.census.mechanism import pairs
from kernels.intervals.text import plain_integer, short
from workflow.allocation.read import load_allocation
from workflow.cli.answer import emit_json, emit_table, exact_fields, relation
from workflow.cli.options import json_option
from workflow.words import how_many


@click.command()
@click.argument("file", metavar="FILE")
@json_option
def validate(file: str, as_json: bool) -> None:
    """Check an allocation FILE (or name, as for --allocation) and say what it holds.

    If something is wrong, one line says which key, which value and what is allowed, and the exit code is 2.
    """
    allocation = load_allocation(file)
    number_of_pairs = len(pairs(allocation))
    products = [product.name for product in allocation.products]
    if as_json:
        emit_json(
            {
                "command": "validate",
                "valid": True,
                "neighbours": allocation.neighbours,
                "allocation": allocation.name,
                "title": allocation.title,
                "source": allocation.source,
                **({"products": products} if products else {}),
                "mechanisms": allocation.patterns,
                "pairs": plain_integer(number_of_pairs),
                **exact_fields("total_rho", allocation.total_rho),
                "rows": [
                    {
                        "level": level,
                        "queries": plain_integer(len(allocation.rho[level])),
                        **exact_fields("rho", allocation.level_rho(level)),
                    }
                    for level in allocation.levels
                ],
            }
        )
        return
    patterns = how_many(
        len(allocation.patterns), "mechanisms (bypass patterns)", "mechanism (bypass pattern)"
    )
    emit_table(
        [
            f"{file}: valid.",
            f"{allocation.name}: {allocation.title}",
            relation(allocation.neighbours),
            *([f"Joint release of {', '.join(products)}."] if products else []),
            f"Total rho {short(allocation.total_rho)} on every path from root to block.",
            f"{patterns}, {how_many(number_of_pairs, 'pairs')}.",
        ],
        ["level", "queries", "rho"],
        [
            [level, str(len(allocation.rho[level])), short(allocation.level_rho(level))]
            for level in allocation.levels
        ],
        words=1,
    )
