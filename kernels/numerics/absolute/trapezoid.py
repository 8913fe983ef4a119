"""Absolute tier: tail probabilities P(S >= s) by the shifted trapezoidal rule over the surviving nodes.

    P(S >= s) = 1/2 - sum_n c_n sin(2 pi q_n (2 s - 1)),   q_n = p / (4 N),   c_n = phi / (N sin(2 pi q_n))
    (half of it at p = N).

A node whose term is small enough is summed in double precision, the others in triple-double arithmetic.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

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
    reciprocal,
    scale,
    times_power,
)
from kernels.numerics.nodes import theta
from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.residues import to_triple, turns

#: Rounding allowed to the nodes summed in double precision, or this share of what the sieve leaves out.
_DOUBLE_ROUNDING = 3e-37
_DOUBLE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Quadrature:
    """Coefficients of the rule: triples for the first nodes, doubles for the rest.

    turn: q_n, [k, 3]; coefficient: c_n, [k, 3], low parts zero from node precise on; rounding_bound: absolute
    error of one tail that rounding can cause.
    """

    turn: np.ndarray
    coefficient: np.ndarray
    precise: int
    rounding_bound: float


@kernel
def _coefficients(
    turn: np.ndarray,
    residue: np.ndarray,
    log_weight: np.ndarray,
    precise: int,
    g: np.ndarray,
    normaliser: np.ndarray,
    count: np.ndarray,
    inverse: Triple,
    own_mirror: np.ndarray,
) -> np.ndarray:
    """c_n; turn: q_n as triples; inverse = 1 / (4 N) as a triple."""
    k, d = residue.shape[:2]
    coefficient = np.zeros((k, 3))
    f = np.empty((d, 3))
    double = times_power(inverse, 2.0)
    four = reciprocal(inverse)
    for i in range(k):
        if i >= precise:
            coefficient[i, 0] = math.exp(log_weight[i])
            continue
        for c in range(d):
            f[c] = multiply(to_triple(residue[i, c]), double)
        sine = sin_cos_turns(at(turn[i]))[0]
        value = multiply(
            theta.product_triple(g, normaliser, count, f), reciprocal(multiply(scale(four, 0.25), sine))
        )
        coefficient[i] = times_power(value, 0.5 if own_mirror[i] else 1.0)
    return coefficient


def quadrature(plan: Plan) -> Quadrature:
    """Coefficients of a plan and the bound on the rounding of every sum over them."""
    weight = np.exp(plan.nodes.log_weight)
    cells = float(plan.factors.count.sum())
    unit = 2.0**-46 * (4.0 + plan.nodes.exponent + cells / 16.0)
    doubtful = np.cumsum((weight * unit)[::-1])[::-1]
    allowed = max(_DOUBLE_ROUNDING, _DOUBLE_SHARE * plan.sieve_bound)
    precise = int(np.count_nonzero(doubtful > allowed))
    turn = turns(plan.nodes.p, plan.modulus)
    coefficient = _coefficients(
        turn,
        plan.nodes.residue,
        plan.nodes.log_weight,
        precise,
        plan.factors.g,
        plan.factors.normaliser,
        plan.factors.count,
        from_fraction(Fraction(1, 4 * plan.modulus)),
        plan.nodes.own_mirror,
    )
    # One term: relative error of c_n and of the sine; the phase q_n (2 s - 1) has |error| <= 2**-145 |q_n (2
    # s - 1)| turns, and c_n q_n <= 1 / (4 N) since sin(x) >= 2 x / pi, while 2 s - 1 <= 2 N. Additions:
    # 2**-150 of the partial sums.
    head = weight[:precise]
    terms = float(head @ (2.0**-128 * (4.0 + plan.nodes.exponent[:precise]) + 2.0**-144 * cells))
    phases = len(weight) * 2.0**-143
    sums = 2.0**-149 * (len(weight) + 4) * (1.0 + float(weight.sum()))
    bound = (terms + phases + sums + (float(doubtful[precise]) if precise < len(weight) else 0.0)) * (
        1.0 + 1e-9
    )
    return Quadrature(turn, coefficient, precise, bound)


@kernel
def _tail(turn: np.ndarray, coefficient: np.ndarray, precise: int, factor: Triple) -> Triple:
    total = (0.5, 0.0, 0.0)
    for i in range(turn.shape[0]):
        phase = multiply(at(turn[i]), factor)
        if i < precise:
            sine = sin_cos_turns(phase)[0]
            term = multiply(at(coefficient[i]), sine)
            total = add(total, negate(term))
        else:
            rest = fraction_of_turn(phase)
            term_double = -coefficient[i, 0] * math.sin(2.0 * math.pi * (rest[0] + rest[1]))
            total = add(total, (term_double, 0.0, 0.0))
    return total


@kernel
def _tails(turn: np.ndarray, coefficient: np.ndarray, precise: int, points: np.ndarray) -> np.ndarray:
    result = np.empty((points.shape[0], 3))
    for j in range(points.shape[0]):
        result[j] = _tail(turn, coefficient, precise, at(points[j]))
    return result


def tails(rule: Quadrature, odd: list[int]) -> np.ndarray:
    """P(S >= s) for each odd integer 2 s - 1, as triples [m, 3]; absolute error: the plan's and the rule's
    bounds.

    Only for |2 s - 1| <= 2 reach / h of the plan.
    """
    points = np.array([from_integer(u) for u in odd]).reshape(-1, 3)
    return _tails(rule.turn, rule.coefficient, rule.precise, points)
