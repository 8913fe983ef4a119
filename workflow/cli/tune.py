"""`exact-census tune`: budget in, noise out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.joint import pattern_text
from kernels.accounting.census.mechanism import mechanism_name
from kernels.accounting.design.rescale import Unmet
from kernels.intervals.text import short
from workflow.allocation.read import load_allocation
from workflow.allocation.write import allocation_name, prose, write_allocation
from workflow.cli.answer import (
    at_least,
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
    POSITIVE,
    Rational,
    check_output,
    force_option,
    jobs_option,
    json_option,
    output_option,
)
from workflow.cli.question import check_level
from workflow.design.tune import Request, Tuning, run_tuning
from workflow.errors import ConfigError
from workflow.script import complain
from workflow.words import how_many

_MOST_DENOMINATOR = 10**30


@click.command()
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
@output_option("FILE.yaml", "The allocation file to write.")
@force_option
@jobs_option()
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
    loaded = load_allocation(allocation)
    _check(loaded, target_eps, levels, level_eps, moves)
    if denominator is not None and denominator > _MOST_DENOMINATOR:
        raise ConfigError(f"--denominator: too large; allowed: 1 to {_MOST_DENOMINATOR:g}.")
    if output is not None:
        try:
            allocation_name(output)
        except ConfigError as error:
            raise ConfigError(f"--output: {error}.") from None
    check_output(output, force)
    request = Request(delta, target_eps, tuple(dict.fromkeys(levels)), dict(level_eps), moves, denominator)
    program = click.get_current_context().command_path
    with progress(f"tuning {loaded.name}") as advance:
        try:
            tuning = run_tuning(loaded, request, jobs, advance, lambda line: complain(program, line))
        except Unmet as error:
            hint = "; set it by --denominator N" if "denominator" in str(error) else ""
            raise ConfigError(f"{loaded.name}: {error}{hint}.") from None
    if output is not None:
        _write(output, tuning)
    if as_json:
        emit_json(_document(tuning, output))
    else:
        _print(tuning, output)


def _check(
    allocation: Allocation,
    target_eps: Fraction | None,
    levels: tuple[str, ...],
    level_eps: tuple[tuple[str, Fraction], ...],
    moves: tuple[tuple[str, str, Fraction], ...],
) -> None:
    """Raises ConfigError when options contradict each other or name no level."""
    own = [level for level, _ in level_eps]
    named = [("--level", level) for level in levels] + [("--level-eps", level) for level in own]
    named += [("--move", level) for source, target, _ in moves for level in (source, target)]
    for option, level in named:
        check_level(option, level, allocation)
    for level in own:
        if level in levels or own.count(level) > 1:
            raise ConfigError(f"--level-eps: {level} has an eps of its own once, and cannot go with --level.")
    if target_eps is None and (levels or not named):
        raise ConfigError("--target-eps E is missing; only --move and --level-eps go without it.")


def _write(output: Path, tuning: Tuning) -> None:
    before, made = tuning.before, _what_was_done(tuning)
    titled = replace(
        tuning.after,
        title=prose(f"{before.title}, tuned"),
        source=prose(f"exact-census tune of {before.name}: {made}. Before: {before.source}"),
    )
    comments = [
        f"{before.name}, tuned by exact-census: {made}.",
        f"Exact eps at delta {short(tuning.request.delta)} of the worst pair, {_pair_text(tuning)}: at most "
        f"{at_most(tuning.worst_eps)}; least slack {at_least(tuning.slack)}.",
        f"Total rho {short(tuning.after.total_rho)}, before {short(before.total_rho)}; zCDP alone would "
        f"allow {at_most(tuning.zcdp_total)}.",
    ]
    write_allocation(output, titled, comments)


def _what_was_done(tuning: Tuning) -> str:
    """The request in words."""
    request = tuning.request
    parts = [f"{short(rho)} of rho moved from {source} to {target}" for source, target, rho in request.moves]
    parts += [f"level {level} alone at eps {short(eps)}" for level, eps in (request.level_eps or {}).items()]
    if request.eps is not None:
        what = "level " + ", ".join(request.levels) if request.levels else "all levels"
        what = "the other levels" if request.level_eps and not request.levels else what
        parts.append(f"{what} scaled to eps {short(request.eps)}")
    rounded = f", rhos multiples of 1/{request.denominator}" if request.denominator else ""
    return "; ".join(parts) + f" at delta {short(request.delta)}{rounded}"


def _pair_text(tuning: Tuning) -> str:
    first, second = (pattern_text(tuning.before, pattern) for pattern in tuning.account.worst)
    return f"[{first}, {second}]"


def _document(tuning: Tuning, output: Path | None) -> dict[str, Any]:
    before, account = tuning.before, tuning.account
    worst = account.worst
    return {
        "command": "tune",
        "neighbours": before.neighbours,
        "allocation": before.name,
        **(given_fields("target_eps", tuning.request.eps) if tuning.request.eps is not None else {}),
        **given_fields("delta", tuning.request.delta),
        "pairs": str(len(account.epsilons)),
        "worst_pair": [pattern_text(before, pattern) for pattern in worst],
        "worst_pair_names": [mechanism_name(before, pattern) for pattern in worst],
        **interval_fields("eps", tuning.worst_eps),
        **interval_fields("slack", tuning.slack),
        **interval_fields("eps_proxy", account.epsilons[account.proxy]),
        **exact_fields("scale", tuning.scale),
        **exact_fields("total_rho_before", before.total_rho),
        **exact_fields("total_rho", tuning.after.total_rho),
        **interval_fields("total_rho_zcdp", tuning.zcdp_total),
        "output": None if output is None else str(output),
        "rows": [
            {
                "level": change.level,
                **exact_fields("rho_before", change.before),
                **exact_fields("rho", change.after),
                **interval_fields("rho_zcdp", change.by_zcdp),
                **interval_fields("variance_saved", change.variance_saved),
            }
            for change in tuning.levels
        ],
    }


def _print(tuning: Tuning, output: Path | None) -> None:
    before, delta = tuning.before, given(tuning.request.delta)
    ratio = f"{float(tuning.after.total_rho / before.total_rho):.6g}"
    emit_table(
        [
            f"{before.name}: {_what_was_done(tuning)}.",
            relation(before.neighbours),
            f"Worst of {how_many(len(tuning.account.epsilons), 'pairs')}: {_pair_text(tuning)}, exact eps "
            f"{at_most(tuning.worst_eps)} at delta {delta}, at most; slack {at_least(tuning.slack)}.",
            f"Total rho {short(tuning.after.total_rho)}, {ratio} times the {short(before.total_rho)} before; "
            f"zCDP alone allows {at_most(tuning.zcdp_total)} for eps {_target_text(tuning)}.",
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
            for change in tuning.levels
        ],
        words=1,
        notes=[
            *_coarse(tuning),
            "rho by zCDP: what the Census Bureau's conversion allows at the same eps, by the same levels.",
            f"Written: {output}."
            if output
            else "Nothing was written; --output FILE.yaml writes the allocation.",
        ],
    )


def _coarse(tuning: Tuning) -> list[str]:
    """Says that the rhos' denominator keeps the worst pair away from the target, and which one would not."""
    if tuning.finer is None:
        return []
    return [
        f"The slack comes from rounding: the scaled rhos are multiples of 1/{tuning.denominator}; "
        f"a larger --denominator, such as {tuning.finer}, comes nearer to the target and takes longer."
    ]


def _target_text(tuning: Tuning) -> str:
    request = tuning.request
    return short(request.eps) if request.eps is not None else at_most(tuning.worst_eps)
