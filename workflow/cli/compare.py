"""`exact-census compare`: several allocations side by side."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from kernels.accounting.census.mechanism import mechanism_name
from kernels.intervals.text import short
from workflow.allocation.production import is_production, zcdp_name
from workflow.allocation.read import load_allocation
from workflow.cli.answer import (
    at_most,
    emit_json,
    emit_table,
    exact_fields,
    given,
    given_fields,
    interval_fields,
    percent_at_least,
    relation,
)
from workflow.cli.computing import progress
from workflow.cli.options import (
    INSIDE_UNIT,
    check_output,
    force_option,
    jobs_option,
    json_option,
    optional_list,
    output_option,
)
from workflow.design.compare import AtDelta, Compared, compare_allocations
from workflow.errors import ConfigError
from workflow.files import atomic_path

SUFFIXES = (".html", ".png", ".svg")
MOST = 24


@click.command()
@click.argument("allocations", metavar="NAME|FILE...", nargs=-1, required=True)
@optional_list(
    "--delta", INSIDE_UNIT, "Values of delta, separated by commas; default 1e-10.", Fraction(1, 10**10)
)
@click.option(
    "--all-pairs", is_flag=True, help="Evaluate every pair exactly and tell the worst; takes longer."
)
@output_option("FILE", "Also write a page (.html) or a picture (.png, .svg).")
@force_option
@jobs_option("Processes for --all-pairs")
@json_option
def compare(
    allocations: tuple[str, ...],
    delta: tuple[Fraction, ...],
    all_pairs: bool,
    output: Path | None,
    force: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Compare allocations: total rho, exact eps beside the zCDP conversions, variance reductions by level.

    Exact eps is that of the first pair [M00, M00], with which those of all others nearly coincide;
    --all-pairs evaluates every pair.
    """
    if len(allocations) > MOST:
        raise ConfigError(f"{len(allocations)} allocations; at most {MOST} are compared at once.")
    loaded = [load_allocation(name) for name in allocations]
    names = [allocation.name for allocation in loaded]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"two allocations are named {name}; names must differ.")
    if output is not None and output.suffix not in SUFFIXES:
        raise ConfigError(f"--output: '{output}': allowed are names that end in {', '.join(SUFFIXES)}.")
    check_output(output, force)
    with progress("comparing " + ", ".join(names)) as advance:
        compared = compare_allocations(loaded, delta, all_pairs, jobs, advance)
    tables = _tables(compared)
    pairs = "the worst of all pairs" if all_pairs else "the first pair [M00, M00]"
    heading = f"Exact eps is that of {pairs} of each allocation. {relation(loaded[0].neighbours)}"
    if output is not None:
        from workflow.pages.comparison import write_comparison  # loads matplotlib, only for a page

        with atomic_path(output) as temporary:
            write_comparison(compared, tables, heading, temporary.with_suffix(output.suffix))
            temporary.with_suffix(output.suffix).rename(temporary)
    if as_json:
        emit_json(_document(compared, output))
        return
    emit_table([heading], *tables[0], words=1)
    emit_table([], *tables[1], words=2, notes=[f"Written: {output}."] if output else [])


def _tables(compared: Sequence[Compared]) -> list[tuple[list[str], list[list[str]]]]:
    """The two tables: allocations by delta, and levels by allocation."""
    titles = ["allocation", "delta", "total rho", "exact eps, at most", "worst pair", "CKS20"]
    titles += [
        zcdp_name(all(is_production(each.allocation) for each in compared)),
        "variance reduction, at least",
    ]
    rows = [
        [
            each.allocation.name,
            given(figures.delta),
            short(each.allocation.total_rho),
            at_most(figures.eps or figures.eps_proxy),
            ",".join(_names(each, figures)) or "-",
            at_most(figures.eps_cks20),
            at_most(figures.eps_zcdp),
            percent_at_least(figures.reduction),
        ]
        for each in compared
        for figures in each.figures
    ]
    first = compared[0].figures[0].delta
    levels = list(dict.fromkeys(level for each in compared for level in each.allocation.levels))
    heads = ["level", "allocation", "rho", f"alone at {given(first)}: variance reduction, at least"]
    by_level = [
        [
            level,
            each.allocation.name,
            short(each.allocation.level_rho(level)),
            percent_at_least(each.figures[0].levels[level]),
        ]
        for level in levels
        for each in compared
        if level in each.allocation.rho
    ]
    return [(titles, rows), (heads, by_level)]


def _names(each: Compared, figures: AtDelta) -> list[str]:
    """The worst pair's mechanisms; nothing where only the first pair was evaluated."""
    return [mechanism_name(each.allocation, pattern) for pattern in figures.worst or ()]


def _document(compared: Sequence[Compared], output: Path | None) -> dict[str, Any]:
    rows, levels = [], []
    for each in compared:
        allocation = each.allocation
        for figures in each.figures:
            head = {"allocation": allocation.name, **given_fields("delta", figures.delta)}
            worst = {"worst_pair_names": _names(each, figures)} if figures.worst else {}
            rows.append(
                {
                    **head,
                    **exact_fields("total_rho", allocation.total_rho),
                    **interval_fields("eps_proxy", figures.eps_proxy),
                    **(interval_fields("eps", figures.eps) if figures.eps is not None else {}),
                    **worst,
                    **interval_fields("eps_cks20", figures.eps_cks20),
                    **interval_fields("eps_zcdp", figures.eps_zcdp),
                    **interval_fields("reduction", figures.reduction),
                }
            )
            levels += [
                {
                    **head,
                    "level": level,
                    **exact_fields("rho", allocation.level_rho(level)),
                    **interval_fields("reduction", figures.levels[level]),
                }
                for level in allocation.levels
            ]
    return {
        "command": "compare",
        "neighbours": compared[0].allocation.neighbours,
        "output": None if output is None else str(output),
        "rows": rows,
        "levels": levels,
    }
