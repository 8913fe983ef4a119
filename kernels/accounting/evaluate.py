"""The batch job: everything the pipeline stores about many compositions."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.inverse import log_fraction
from kernels.accounting.result import PairResult
from kernels.accounting.settings import Settings
from kernels.intervals.interval import Interval
from kernels.numerics.absolute.grid import GridTails, grid_tails

_LOWEST_DELTA = 1e-35  # the privacy profile reaches at least down to here


def eps_grid(zcdp_rho: Fraction, points: int) -> np.ndarray:
    """Equally spaced eps from 0 to where even the zCDP bound on delta is below 1e-35; exact doubles with few
    bits, [points]."""
    rho = float(zcdp_rho)
    last = rho + 2.0 * math.sqrt(rho * math.log(1.0 / _LOWEST_DELTA))
    step = last / max(points - 1, 1)
    unit = 2.0 ** (math.floor(math.log2(step)) - 8)
    return math.ceil(step / unit) * unit * np.arange(points, dtype=np.float64)


def _arithmetic(first: Fraction, step: Fraction, number: int) -> np.ndarray:
    """first + j step, each rounded once, [number]."""
    below = math.lcm(first.denominator, step.denominator)
    start, stride = int(first * below), int(step * below)
    return np.array([(start + j * stride) / below for j in range(number)])


def _table(numbers: Sequence[Interval]) -> np.ndarray:
    return np.array([number.floats() for number in numbers]).reshape(-1, 3)


def evaluate(compositions: Sequence[Composition], settings: Settings) -> list[PairResult]:
    """Results of all compositions, in order; the same bits whatever the batches.

    Raises Refused when one of them is out of reach.
    """
    accountants = [Accountant(composition, settings.thresholds) for composition in compositions]
    tiers = [accountant.tiers for accountant in accountants]
    curves = grid_tails([each.plan for each in tiers], [each.rule for each in tiers])
    return [_result(*pair, settings) for pair in zip(accountants, curves, strict=True)]


def _result(accountant: Accountant, curve: GridTails, settings: Settings) -> PairResult:
    half = accountant.composition.spacing / 2
    first, step = curve.first * half, curve.step * half
    eps = eps_grid(accountant.composition.zcdp_rho, settings.eps_points)
    logs, relative = accountant.log_profile(eps)
    guesses = np.interp([-log_fraction(delta) for delta in settings.deltas], -logs, eps)
    epsilons = [accountant.epsilon(*given) for given in zip(settings.deltas, guesses, strict=True)]
    reductions = [accountant.reduction(delta) for delta in settings.deltas]
    with np.errstate(under="ignore"):
        delta = np.exp(logs)
    return PairResult(
        summary=accountant.plan_summary().figures,
        threshold_first=first,
        threshold_step=step,
        threshold=_arithmetic(first, step, len(curve.upper)),
        alpha=curve.upper,
        beta=curve.lower,
        absolute_bound=float(curve.bound),
        eps=eps,
        delta=delta,
        log10_delta=logs / math.log(10.0),
        relative_bound=relative,
        epsilon=_table(epsilons),
        reduction=_table([each.reduction for each in reductions]),
        eps_zcdp=_table([each.eps_zcdp for each in reductions]),
        scale=_table([each.scale for each in reductions]),
    )
