"""Tail probabilities at every threshold of an equally spaced grid, for many compositions at once.

On the grid v = step (2 j + 1) with N = step * period the angle pi p v / (2 N) depends on p modulo 4 * period
only, so nodes fold onto period / 2 odd frequencies, and what is left is a sine and a cosine transform that
all compositions with the same period share:

    P(T > h v / 2) = 1/2 - sum_r A_r sin(x_rj) - sum_r B_r cos(x_rj),   x_rj = pi (2 r + 1)(2 j + 1) / (2
    period).

The transforms are matrix products made exact by splitting (Ozaki, Ogita, Oishi, Rump 2012): both matrices are
cut into slices of small integers, whose products float64 matrix multiplication sums without rounding, in any
order. Results are therefore the same bits on any number of threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from kernels.numerics.absolute.trapezoid import Quadrature, tails
from kernels.numerics.arithmetic.elementary import fraction_of_turn, sin_cos_turns
from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import (
    Triple,
    add,
    at,
    from_fraction,
    from_integer,
    multiply,
    negate,
    scale,
)
from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.residues import LIMB_BITS

_WIDTH = 22  # bits a slice; |slice| <= 2**21, so 2**11 products sum exactly below 2**53
_SLICES = 7
_FIRST = 20  # the first slice has unit 2**-20, enough for |number| <= 2
_CHUNK = 2 ** (53 - 2 * (_WIDTH - 1))


@dataclass(frozen=True, slots=True)
class GridTails:
    """Curve of one composition: v = 2 tau / h ascending (first, step, number), upper[j] = P(T > tau_j),
    lower[j] = P(T > -tau_j).

    upper, lower: [m, 3] triples; bound: absolute error of each, everything included.
    """

    first: int
    step: int
    upper: np.ndarray
    lower: np.ndarray
    bound: float


@kernel
def _fold(
    p: np.ndarray, turn: np.ndarray, coefficient: np.ndarray, precise: int, width: Triple, period: int
) -> np.ndarray:
    """Folded coefficients, [2, r, 3]: A_r (times the sine) and B_r (times the cosine)."""
    half = (period + 1) // 2
    folded = np.zeros((2, half, 3))
    base = 2**LIMB_BITS % (4 * period)
    for i in range(p.shape[0]):
        rest = np.int64(0)
        for position in range(p.shape[1] - 1, -1, -1):
            rest = (rest * base + p[i, position]) % (4 * period)
        sign_sine = 1.0
        sign_cosine = 1.0
        if rest > 2 * period:
            rest -= 2 * period
            sign_sine = -1.0
            sign_cosine = -1.0
        if rest > period:
            rest = 2 * period - rest
            sign_cosine = -sign_cosine
        r = (rest - 1) // 2
        turns = multiply(at(turn[i]), width)
        if i < precise:
            sine, cosine = sin_cos_turns(turns)
        else:
            part = fraction_of_turn(turns)
            angle = 2.0 * math.pi * (part[0] + part[1])
            sine = (math.sin(angle), 0.0, 0.0)
            cosine = (math.cos(angle), 0.0, 0.0)
        c = at(coefficient[i])
        folded[0, r] = add(at(folded[0, r]), scale(multiply(c, cosine), sign_sine))
        folded[1, r] = add(at(folded[1, r]), scale(multiply(c, sine), sign_cosine))
    return folded


@kernel
def _waves(period: int, rows: int, columns: int, unit: Triple) -> np.ndarray:
    """sin and cos of x_rj, [2, rows, columns, 3]; unit = 1 / (4 period)."""
    table = np.empty((2, 4 * period, 3))
    for number in range(4 * period):
        table[0, number], table[1, number] = sin_cos_turns(scale(unit, float(number)))
    waves = np.empty((2, rows, columns, 3))
    for r in range(rows):
        for j in range(columns):
            waves[:, r, j] = table[:, ((2 * r + 1) * (2 * j + 1)) % (4 * period)]
    return waves


@kernel
def _split(numbers: np.ndarray) -> np.ndarray:
    """Slices of triples of size at most 2: [m, 3] -> [slices, m], number = sum of slice * 2**-(20 + 22 l) up
    to 2**-153."""
    m = numbers.shape[0]
    slices = np.empty((_SLICES, m))
    for i in range(m):
        a, b, c = numbers[i]
        for level in range(_SLICES):
            unit = 2.0 ** -(_FIRST + _WIDTH * level)
            part = np.rint(a / unit)
            # a - part * unit is exact; b can shift the next slice by one unit at most, which the width allows
            # for.
            a, b, c = add((a - part * unit, b, c), (0.0, 0.0, 0.0))
            slices[level, i] = part
    return slices


@lru_cache(maxsize=4)
def _wave_slices(period: int, columns: int) -> np.ndarray:
    """Slices of both matrices, [2, slices, rows, columns]."""
    rows = (period + 1) // 2
    waves = _waves(period, rows, columns, from_fraction(Fraction(1, 4 * period)))
    return np.stack([_split(part.reshape(-1, 3)).reshape(_SLICES, rows, columns) for part in waves])


@kernel
def _accumulate(total: np.ndarray, product: np.ndarray, unit: float) -> None:
    """total += product * unit, triples [m, 3] and exact integers [m]."""
    for i in range(total.shape[0]):
        total[i] = add(at(total[i]), (product[i] * unit, 0.0, 0.0))


def _exact_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Product of sliced matrices, [slices, n, r] and [slices, r, m] -> triples [n * m, 3]."""
    n, rows, columns = left.shape[1], left.shape[2], right.shape[2]
    total = np.zeros((n * columns, 3))
    for start in range(0, rows, _CHUNK):
        part = slice(start, start + _CHUNK)
        # All slices of the left matrix at once, so that each of the right one is read once.
        products = [
            (
                left[: _SLICES - level, :, part].reshape(-1, min(_CHUNK, rows - start)) @ right[level][part]
            ).reshape(_SLICES - level, -1)
            for level in range(_SLICES)
        ]
        for level in range(_SLICES - 1, -1, -1):
            for k in range(level + 1):
                _accumulate(total, products[level - k][k], 2.0 ** -(2 * _FIRST + _WIDTH * level))
    return total


@kernel
def _clip(tails: np.ndarray) -> np.ndarray:
    """Triples [m, 3] in place: what rounding puts beyond 0 or 1 becomes 0 or 1."""
    for i in range(tails.shape[0]):
        if tails[i, 0] < 0.0:
            tails[i] = 0.0
        elif tails[i, 0] > 1.0 or (tails[i, 0] == 1.0 and tails[i, 1] > 0.0):
            tails[i] = 0.0
            tails[i, 0] = 1.0
    return tails


@kernel
def _combine(odd: np.ndarray, even: np.ndarray) -> np.ndarray:
    """1/2 - odd - even, triples [m, 3]."""
    result = np.empty_like(odd)
    for i in range(odd.shape[0]):
        rest = add((0.5, 0.0, 0.0), negate(at(odd[i])))
        result[i] = add(rest, negate(at(even[i])))
    return _clip(result)


def _on_grid(plans: Sequence[Plan], rules: Sequence[Quadrature]) -> list[GridTails]:
    """Curves of plans that share period, half and parts.

    Thresholds j = parts i + l are a grid of their own: parts times the step, shifted by step (2 l + 1 -
    parts).
    """
    grid = plans[0].grid
    period, parts = grid.period // grid.parts, grid.parts
    folded = np.stack(
        [
            _fold(
                plan.nodes.p,
                rule.turn,
                rule.coefficient,
                rule.precise,
                from_integer(plan.width + plan.grid.step * (2 * part + 1 - parts)),
                period,
            )
            for plan, rule in zip(plans, rules, strict=True)
            for part in range(parts)
        ]
    )
    waves = _wave_slices(period, grid.half // parts)
    n, rows = folded.shape[0], folded.shape[2]
    odd, even = (
        _exact_product(
            _split(folded[:, which].reshape(-1, 3)).reshape(_SLICES, n, rows), waves[which]
        ).reshape(n, -1, 3)
        for which in range(2)
    )
    # What splitting leaves out: 2**-153 a number on either side, the slice products beyond the last level
    # kept, and the last bits of the sums.
    left_out = rows * 2.0**-153 * 4.0
    left_out += rows * 2.0 ** (2 * (_WIDTH - 1) - 2 * _FIRST - _WIDTH * _SLICES) * 2.0 * _SLICES
    curves = []
    for i, (plan, rule) in enumerate(zip(plans, rules, strict=True)):
        upper = np.empty((2 * grid.half, 3))
        for part in range(parts):
            one, other = odd[i * parts + part], even[i * parts + part]
            upper[part::parts] = np.concatenate([_combine(-one, other)[::-1], _combine(one, other)])
        lower = upper[::-1].copy()
        bound = plan.truncation_bound + plan.sieve_bound + rule.rounding_bound + 2.0 * left_out + 2.0**-140
        curves.append(GridTails(-plan.grid.limit, 2 * plan.grid.step, upper, lower, bound * (1.0 + 1e-9)))
    return curves


def _on_midpoints(plan: Plan, rule: Quadrature) -> GridTails:
    """Curve at every midpoint between lattice points, for a lattice with few of them."""
    limit = plan.grid.limit
    first = -limit + (limit + plan.width + 1) % 2
    odd = list(range(first, -first + 1, 2))
    upper = _clip(tails(rule, [v + plan.width for v in odd]))
    bound = plan.truncation_bound + plan.sieve_bound + rule.rounding_bound
    return GridTails(first, 2, upper, upper[::-1].copy(), bound * (1.0 + 1e-9))


def grid_tails(plans: Sequence[Plan], rules: Sequence[Quadrature]) -> list[GridTails]:
    """Curves of all plans, in order; those with the same period are transformed together."""
    together: dict[tuple[int, int], list[int]] = {}
    for i, plan in enumerate(plans):
        together.setdefault((plan.grid.period, plan.grid.half), []).append(i)
    curves: dict[int, GridTails] = {}
    for (period, _), members in together.items():
        if period == 0:
            curves.update({i: _on_midpoints(plans[i], rules[i]) for i in members})
        else:
            found = _on_grid([plans[i] for i in members], [rules[i] for i in members])
            curves.update(zip(members, found, strict=True))
    return [curves[i] for i in range(len(plans))]
