"""`exact-census compare`: several allocations side by side."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import short
from workflow.cli.computing import refusals
from workflow.cli.errors import BadInput
from workflow.cli.figures import certified_fields, exact_fields, given_fields
from workflow.cli.output import at_most, emit_json, emit_table, given, json_option, percent_at_least, relation
from workflow.cli.progress import counted
from workflow.cli.question import read_allocation
from workflow.cli.rationals import INSIDE_UNIT, RationalList

if TYPE_CHECKING:
    from workflow.design.compare import AtDelta, Compared

SUFFIXES = (".html", ".png", ".svg")
MOST = 24


@click.command("compare", short_help="Several allocations side by side.")
@click.argument("allocations", metavar="NAME|FILE...", nargs=-1, required=True)
@click.option(
    "--delta",
    type=RationalList(INSIDE_UNIT),
    metavar="LIST",
    default=(Fraction(1, 10**10),),
    help="Values of delta, separated by commas; default 1e-10.",
)
@click.option(
    "--all-pairs", is_flag=True, help="Evaluate every pair exactly and tell the worst; takes longer."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write a page (.html) or a picture (.png, .svg).",
)
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Processes for --all-pairs; default: one per core.",
)
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
        raise BadInput(f"{len(allocations)} allocations; at most {MOST} are compared at once.")
    loaded = [read_allocation(one) for one in allocations]
    names = [one.name for one in loaded]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two allocations are named {name}; names must differ.")
    _check_output(output, force)
    with counted("comparing " + ", ".join(names)) as advance, refusals():
        from workflow.design.compare import compare_allocations

        found = compare_allocations(loaded, delta, all_pairs, jobs, advance)
    tables = _tables(found)
    pairs = "the worst of all pairs" if all_pairs else "the first pair [M00, M00]"
    heading = f"Exact eps is that of {pairs} of each allocation. {relation(loaded[0].neighbours)}"
    if output is not None:
        from workflow.files import atomic_path
        from workflow.pages.comparison import write_comparison

        with atomic_path(output) as temporary:
            write_comparison(found, tables, heading, temporary.with_suffix(output.suffix))
            temporary.with_suffix(output.suffix).rename(temporary)
    if as_json:
        emit_json(_document(found, output))
        return
    emit_table([heading], *tables[0], words=1)
    emit_table([], *tables[1], words=2, notes=[f"Written: {output}."] if output else [])


def _check_output(output: Path | None, force: bool) -> None:
    from workflow.errors import ConfigError
    from workflow.files import check_free

    if output is None:
        return
    if output.suffix not in SUFFIXES:
        raise BadInput(f"--output: '{output}': allowed are names that end in {', '.join(SUFFIXES)}.")
    try:
        check_free(output, force)
    except ConfigError as error:
        raise BadInput(f"--output: {error}.") from None


def _tables(found: list[Compared]) -> list[tuple[list[str], list[list[str]]]]:
    """The two tables: allocations by delta, and levels by allocation."""
    from workflow.allocation.production import is_production, zcdp_name

    titles = ["allocation", "delta", "total rho", "exact eps, at most", "worst pair", "CKS20"]
    titles += [zcdp_name(all(is_production(one.allocation) for one in found)), "variance reduction, at least"]
    rows = [
        [
            one.allocation.name,
            given(figures.delta),
            short(one.allocation.total_rho),
            at_most(figures.eps or figures.eps_proxy),
            ",".join(_names(one, figures)) or "-",
            at_most(figures.eps_cks20),
            at_most(figures.eps_zcdp),
            percent_at_least(figures.reduction),
        ]
        for one in found
        for figures in one.figures
    ]
    first = found[0].figures[0].delta
    levels = list(dict.fromkeys(level for one in found for level in one.allocation.levels))
    heads = ["level", "allocation", "rho", f"alone at {given(first)}: variance reduction, at least"]
    by_level = [
        [
            level,
            one.allocation.name,
            short(one.allocation.level_rho(level)),
            percent_at_least(one.figures[0].levels[level]),
        ]
        for level in levels
        for one in found
        if level in one.allocation.rho
    ]
    return [(titles, rows), (heads, by_level)]


def _names(one: Compared, figures: AtDelta) -> list[str]:
    """The worst pair's mechanisms; nothing where only the first pair was evaluated."""
    from kernels.accounting.census.mechanism import mechanism_name

    return [mechanism_name(one.allocation, pattern) for pattern in figures.worst or ()]


def _document(found: list[Compared], output: Path | None) -> dict[str, Any]:
    rows, levels = [], []
    for one in found:
        allocation = one.allocation
        for figures in one.figures:
            head = {"allocation": allocation.name, **given_fields("delta", figures.delta)}
            worst = {"worst_pair_names": _names(one, figures)} if figures.worst else {}
            rows.append(
                {
                    **head,
                    **exact_fields("total_rho", allocation.total_rho),
                    **certified_fields("eps_proxy", figures.eps_proxy),
                    **(certified_fields("eps", figures.eps) if figures.eps is not None else {}),
                    **worst,
                    **certified_fields("eps_cks20", figures.eps_cks20),
                    **certified_fields("eps_zcdp", figures.eps_zcdp),
                    **certified_fields("reduction", figures.reduction),
                }
            )
            levels += [
                {
                    **head,
                    "level": level,
                    **exact_fields("rho", allocation.level_rho(level)),
                    **certified_fields("reduction", figures.levels[level]),
                }
                for level in allocation.levels
            ]
    return {
        "command": "compare",
        "neighbours": found[0].allocation.neighbours,
        "output": None if output is None else str(output),
        "rows": rows,
        "levels": levels,
    }
