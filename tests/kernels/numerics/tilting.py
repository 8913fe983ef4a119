"""Compositions for the tests of the relative tier, with tilted sums and exact laws, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache

import mpmath
from flint import acb, arb, fmpq

from kernels.numerics.nodes.plan import Plan
from kernels.numerics.relative.selection import select, softness
from kernels.numerics.relative.tilt import Tails, Tilt
from tests.kernels.numerics.exact import to_mpf
from tests.kernels.numerics.scan import SMALL, plan_of
from tests.reference.balls import ball
from tests.reference.cells import Cells, Enclosure
from tests.reference.census import level_cells
from tests.reference.convolution import ConvolutionTail
from tests.reference.tails import TailReference

ONE = F(1)
CASES: dict[str, Cells] = {
    "R below 4": {F(1): 2, F(1, 2): 3},
    "R above 4": {F(1): 4, F(1, 2): 3},
    "three kinds": SMALL["three kinds"],
    "many equal cells": SMALL["many equal cells"],
    "wide": {F(1, 10**4): 2, F(1, 500): 2},
    "census level": level_cells("State"),
    "over x, one cell": {F(100): 1},
    "over x": {F(20): 3, F(10): 2},
    "both sides of the switch": {F(99, 10): 2, F(98, 10): 2},
    "narrow and wide": {F(10): 3, F(1, 10): 10},
    "lumps": {F(1, 50): 17, F(41, 20): 11, F(134, 5): 15},
    "half narrow": {F(13): 8, F(6): 9, F(1, 3): 5},
}


@cache
def planned(name: str) -> Plan:
    """The plan of a case."""
    return plan_of(CASES[name], 101)


def tilt_of(cells: Cells) -> Tilt:
    """Tilted sums of any composition."""
    plan = plan_of(cells, 101)
    return Tilt(plan, select(plan, 1.0))


@cache
def tilted(name: str, scale: F = ONE) -> Tilt:
    """Tilted sums of a case with all rhos scaled."""
    plan = planned(name)
    return Tilt(plan, select(plan, min(1.0, softness(plan, scale))), scale)


@cache
def law(name: str, scale: F = ONE) -> ConvolutionTail:
    """The exact law of the same."""
    return ConvolutionTail({rho * scale: count for rho, count in CASES[name].items()}, bits=1400)


def answer(tails: Tails, row: int, which: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Q (0), P (1) or delta (2) of a row and the bound on its error, at the precision in force."""
    power = F(tails.exponent[row], tails.exponent_denominator) + F(float(tails.log_norm[row]))
    if which == 1:
        power -= F(tails.t[row], tails.t_denominator)
    size = mpmath.exp(to_mpf(power))
    value = size * mpmath.mpf(float(tails.mantissa[row, which]))
    error = size * mpmath.mpf(float(tails.error[row, which]))
    return (1 - value if tails.middle[row] and which != 1 else value), error


def check(tails: Tails, row: int, which: int, truth: Enclosure, relative: float | None) -> None:
    """The bound covers the error; where asked for, it is small beside the truth."""
    with mpmath.workdps(60):
        value, error = answer(tails, row, which)
        exact, doubt = to_mpf(truth.middle), to_mpf(truth.width)
        assert abs(value - exact) <= error + doubt, f"off by {abs(value - exact) / error} bounds"
        if relative is not None and exact > 1e-300:
            assert doubt <= exact * 1e-20
            assert error <= exact * relative


def check_points(tilt: Tilt, eps: Sequence[F], truth: TailReference, relative: float | None) -> None:
    """Q, P and delta at every eps."""
    found = tilt.tails([tilt.first_point(one) for one in eps])
    for row, one in enumerate(eps):
        for which, exact in enumerate((truth.power(one), truth.alpha(one), truth.delta(one))):
            check(found, row, which, exact, relative)


def exact_norm(rho: F, mu: F) -> arb:
    """sum_x exp(-rho (x - mu)^2 / 2)."""
    reach = math.isqrt(int(600 / rho)) + 2
    return sum(
        ((-ball(rho * (x - mu) ** 2 / 2)).exp() for x in range(int(mu) - reach, int(mu) + reach)), arb(0)
    )


def wave(turns: F) -> acb:
    """e^(2 pi i turns)."""
    half_turns = fmpq(2 * turns.numerator, turns.denominator)
    return acb(arb.cos_pi_fmpq(half_turns), arb.sin_pi_fmpq(half_turns))


def exact_phi(rho: F, mu: F, f: F) -> acb:
    """E exp(2 pi i f (x - mu)) under the tilted cell."""
    reach = math.isqrt(int(600 / rho)) + 2
    value = acb(0)
    for x in range(int(mu) - reach, int(mu) + reach):
        value += wave(f * (x - mu)) * (-ball(rho * (x - mu) ** 2 / 2)).exp()
    return value / acb(exact_norm(rho, mu))
