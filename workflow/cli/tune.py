"""`exact-census tune`: budget in, noise out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import short
from workflow.cli.computing import refusals
from workflow.cli.errors import BadInput, warning
from workflow.cli.figures import certified_fields, exact_fields, given_fields
from workflow.cli.output import (
    at_least,
    at_most,
    emit_json,
    emit_table,
    given,
    json_option,
    percent_at_least,
    relation,
)
from workflow.cli.progress import counted
from workflow.cli.question import read_allocation
from workflow.cli.rationals import INSIDE_UNIT, POSITIVE, Rational

if TYPE_CHECKING:
    from kernels.accounting.census.allocation import Allocation
    from workflow.design.tune import Tuning

_MOST_DENOMINATOR = 10**30


@click.command("tune", short_help="Budget in, noise out: the largest rhos that keep a promise.")
@click.option("--allocation", metavar="NAME|FILE", required=True, help="The allocation to start from.")
@click.option("--target-eps", type=Rational(POSITIVE), metavar="E", help="eps that every pair must meet.")
@click.option("--delta", type=Rational(INSIDE_UNIT), metavar="D", required=True, help="delta of the promise.")
@click.option(
    "--level",
    "levels",
    metavar="LEVEL",
    multiple=True,
    help="Scale this level only, so that the whole release meets the target. May be repeated.",
)
@click.option(
    "--level-eps",
    type=(str, Rational(POSITIVE)),
    metavar="LEVEL E",
    multiple=True,
    help="Give this level, alone against itself, an eps of its own. May be repeated.",
)
@click.option(
    "--move",
    "moves",
    type=(str, str, Rational(POSITIVE)),
    metavar="FROM TO RHO",
    multiple=True,
    help="First move so much rho from one level to another; the total stays the same. May be repeated.",
)
@click.option(
    "--denominator",
    type=click.IntRange(1),
    metavar="N",
    help="Round every rho down to a multiple of 1/N, each level's query shares being kept.",
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE.yaml", help="The allocation file to write."
)
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@click.option("--jobs", type=click.IntRange(1, 4096), metavar="N", help="Processes; default: one per core.")
@json_option
def tune(
    allocation: str,
    target_eps: Fraction | None,
    delta: Fraction,
    levels: tuple[str, ...],
    level_eps: tuple[tuple[str, Fraction], ...],
    moves: tuple[tuple[str, str, Fraction], ...],
    denominator: int | None,
    output: Path | None,
    force: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Tune an allocation to a promise: the largest rhos, so the least noise, with which every pair is
    (E, D)-differentially private.

    The scale is found on the first pair, then every pair is evaluated exactly, and the scale is found again
    on the worst one where needed. Rhos are rounded down. All levels keep their proportions, unless --level,
    --level-eps or --move says otherwise. Without --target-eps nothing is scaled: the allocation that --move
    or --level-eps make is evaluated as it is.
    """
    loaded = read_allocation(allocation)
    _check(loaded, target_eps, levels, level_eps, moves)
    if denominator is not None and denominator > _MOST_DENOMINATOR:
        raise BadInput(f"--denominator: too large; allowed: 1 to {_MOST_DENOMINATOR:g}.")
    from kernels.accounting.design.rescale import Unmet
    from workflow.allocation.write import allocation_name
    from workflow.design.tune import Request, run_tuning
    from workflow.errors import ConfigError
    from workflow.files import check_free

    if output is not None:
        try:
            allocation_name(output)
            check_free(output, force)
        except ConfigError as error:
            raise BadInput(f"--output: {error}.") from None
    request = Request(delta, target_eps, tuple(dict.fromkeys(levels)), dict(level_eps), moves, denominator)
    with counted(f"tuning {loaded.name}") as advance, refusals():
        try:
            found = run_tuning(loaded, request, jobs, advance, warning)
        except Unmet as error:
            hint = "; set it by --denominator N" if "denominator" in str(error) else ""
            raise BadInput(f"{loaded.name}: {error}{hint}.") from None
    if output is not None:
        _write(output, found)
    if as_json:
        emit_json(_document(found, output))
    else:
        _print(found, output)


def _check(
    allocation: Allocation,
    target_eps: Fraction | None,
    levels: tuple[str, ...],
    level_eps: tuple[tuple[str, Fraction], ...],
    moves: tuple[tuple[str, str, Fraction], ...],
) -> None:
    """Raises BadInput when options contradict each other or name no level."""
    own = [level for level, _ in level_eps]
    named = [("--level", level) for level in levels] + [("--level-eps", level) for level in own]
    named += [("--move", level) for source, target, _ in moves for level in (source, target)]
    for option, level in named:
        if level not in allocation.levels:
            from workflow.words import suggestion

            hint = suggestion(level, allocation.levels) + "allowed: " + ", ".join(allocation.levels)
            raise BadInput(f"{option}: '{level}' is not a level of {allocation.name}; {hint}.")
    for level in own:
        if level in levels or own.count(level) > 1:
            raise BadInput(f"--level-eps: {level} has an eps of its own once, and cannot go with --level.")
    if target_eps is None and (levels or not named):
        raise BadInput("--target-eps E is missing; only --move and --level-eps go without it.")


def _write(output: Path, found: Tuning) -> None:
    from dataclasses import replace

    from workflow.allocation.write import prose, write_allocation

    before, made = found.before, _what_was_done(found)
    titled = replace(
        found.after,
        title=prose(f"{before.title}, tuned"),
        source=prose(f"exact-census tune of {before.name}: {made}. Before: {before.source}"),
    )
    comments = [
        f"{before.name}, tuned by exact-census: {made}.",
        f"Exact eps at delta {short(found.request.delta)} of the worst pair, {_pair_text(found)}: at most "
        f"{at_most(found.worst_eps)}; least slack {at_least(found.slack)}.",
        f"Total rho {short(found.after.total_rho)}, before {short(before.total_rho)}; zCDP alone would allow "
        f"{at_most(found.zcdp_total)}.",
    ]
    write_allocation(output, titled, comments)


def _what_was_done(found: Tuning) -> str:
    """The request in words."""
    request = found.request
    parts = [f"{short(rho)} of rho moved from {source} to {target}" for source, target, rho in request.moves]
    parts += [f"level {level} alone at eps {short(eps)}" for level, eps in (request.level_eps or {}).items()]
    if request.eps is not None:
        what = "level " + ", ".join(request.levels) if request.levels else "all levels"
        what = "the other levels" if request.level_eps and not request.levels else what
        parts.append(f"{what} scaled to eps {short(request.eps)}")
    rounded = f", rhos multiples of 1/{request.denominator}" if request.denominator else ""
    return "; ".join(parts) + f" at delta {short(request.delta)}{rounded}"


def _pair_text(found: Tuning) -> str:
    from kernels.accounting.census.joint import pattern_text

    first, second = (pattern_text(found.before, pattern) for pattern in found.account.worst)
    return f"[{first}, {second}]"


def _document(found: Tuning, output: Path | None) -> dict[str, Any]:
    from kernels.accounting.census.joint import pattern_text
    from kernels.accounting.census.mechanism import mechanism_name

    before, account = found.before, found.account
    worst = account.worst
    return {
        "command": "tune",
        "neighbours": before.neighbours,
        "allocation": before.name,
        **(given_fields("target_eps", found.request.eps) if found.request.eps is not None else {}),
        **given_fields("delta", found.request.delta),
        "pairs": str(len(account.epsilons)),
        "worst_pair": [pattern_text(before, pattern) for pattern in worst],
        "worst_pair_names": [mechanism_name(before, pattern) for pattern in worst],
        **certified_fields("eps", found.worst_eps),
        **certified_fields("slack", found.slack),
        **certified_fields("eps_proxy", account.epsilons[account.proxy]),
        **exact_fields("scale", found.scale),
        **exact_fields("total_rho_before", before.total_rho),
        **exact_fields("total_rho", found.after.total_rho),
        **certified_fields("total_rho_zcdp", found.zcdp_total),
        "output": None if output is None else str(output),
        "rows": [
            {
                "level": change.level,
                **exact_fields("rho_before", change.before),
                **exact_fields("rho", change.after),
                **certified_fields("rho_zcdp", change.by_zcdp),
                **certified_fields("variance_saved", change.variance_saved),
            }
            for change in found.levels
        ],
    }


def _print(found: Tuning, output: Path | None) -> None:
    from workflow.words import how_many

    before, delta = found.before, given(found.request.delta)
    ratio = f"{float(found.after.total_rho / before.total_rho):.6g}"
    emit_table(
        [
            f"{before.name}: {_what_was_done(found)}.",
            relation(before.neighbours),
            f"Worst of {how_many(len(found.account.epsilons), 'pairs')}: {_pair_text(found)}, exact eps "
            f"{at_most(found.worst_eps)} at delta {delta}, at most; slack {at_least(found.slack)}.",
            f"Total rho {short(found.after.total_rho)}, {ratio} times the {short(before.total_rho)} before; "
            f"zCDP alone allows {at_most(found.zcdp_total)} for eps {_target_text(found)}.",
        ],
        ["level", "rho before", "rho", "rho by zCDP", "noise variance saved, at least"],
        [
            [
                change.level,
                short(change.before),
                short(change.after),
                at_most(change.by_zcdp),
                percent_at_least(change.variance_saved),
            ]
            for change in found.levels
        ],
        words=1,
        notes=[
            *_coarse(found),
            "rho by zCDP: what the Census Bureau's conversion allows at the same eps, by the same levels.",
            *(
                [f"Written: {output}."]
                if output
                else ["Nothing was written; --output FILE.yaml writes the allocation."]
            ),
        ],
    )


def _coarse(found: Tuning) -> list[str]:
    """Says that the rhos' denominator keeps the worst pair away from the target, and which one would not."""
    if found.finer is None:
        return []
    return [
        f"The slack comes from rounding: the scaled rhos are multiples of 1/{found.denominator}; "
        f"a larger --denominator, such as {found.finer}, comes nearer to the target and takes longer."
    ]


def _target_text(found: Tuning) -> str:
    request = found.request
    return short(request.eps) if request.eps is not None else at_most(found.worst_eps)
