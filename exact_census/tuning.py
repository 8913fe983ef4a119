"""Budget in, noise out: the allocation with the least noise that keeps a promise."""

from __future__ import annotations

from collections.abc import Sequence

from exact_census.exact import InputError, Number, checking, written
from kernels.accounting.census.allocation import Allocation
from workflow.design.tune import Request, run_tuning
from workflow.design.tune import Tuning as Tuning


def tune(
    allocation: Allocation,
    target_eps: Number,
    delta: Number,
    levels: Sequence[str] = (),
    denominator: int | None = None,
    jobs: int | None = None,
) -> Tuning:
    """The allocation with the largest rhos, so the least noise, with which every pair of mechanisms is
    (target_eps, delta)-differentially private.

    levels: those that are scaled, all by default; the others stay as they are. denominator: every rho is
    rounded down to a multiple of 1/denominator. jobs: processes, one per core by default; more than one
    needs a script to guard its top level by `if __name__ == "__main__"`, and a notebook nothing.

    Returns the Tuning: `after` is the allocation, `worst_eps` the exact eps of its worst pair, `slack` what
    is left to the target, `levels` each level's rho before, after, and by zCDP alone.

    target_eps, above 0, and delta, above 0 and below 1, are exact, so a float is refused: write "1e-10".
    Raises InputError for that and for an unknown level, Refused when no scale meets the target or a pair is
    out of reach.
    """
    eps, failure = written(target_eps, "target_eps"), written(delta, "delta")
    with checking():
        if eps <= 0 or not 0 < failure < 1:
            raise InputError("target_eps must be above 0, delta above 0 and below 1")
        for level in levels:
            allocation.level_rho(level)
    return run_tuning(allocation, Request(failure, eps, tuple(levels), denominator=denominator), jobs)
