"""Tail probabilities: rounding against the same sum in balls, the rest against integer products."""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import cache

import numpy as np
import pytest
from flint import arb, fmpq

from kernels.certificate.transform import Cell
from kernels.numerics.absolute.trapezoid import Quadrature, quadrature, tails
from kernels.numerics.nodes.layout import TOLERANCE
from kernels.numerics.nodes.plan import Plan
from tests.kernels.numerics.exact import integer, total
from tests.kernels.numerics.scan import SMALL, nodes_of, plan_of
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, enclosure, precision
from tests.reference.cells import FINE as BEYOND_DOUBLES
from tests.reference.cells import PRIMES, Cells, rational_gcd
from tests.reference.convolution import ConvolutionTail
from tests.reference.fine import FineTail
from tests.reference.tails import TailReference

BITS = 420
#: Far more nodes than can be scanned; the first N is beyond 2^53, so that a node is no longer a double.
FINE: dict[str, Cells] = {
    "N near 5e17": BEYOND_DOUBLES,
    "N near 2e14": {F(3, 10 * prime): prime for prime in PRIMES[:-2]},
}
_SIXTEEN = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)
_NEAR_2_53: Cells = {F(2, 7 * prime): 2 * prime for prime in PRIMES}
#: N so large that p and N are one double, or that two doubles do not hold 2 s - 1; and numbers of thresholds.
HUGE: dict[str, tuple[Cells, int]] = {
    "odd N beyond 2^53": ({F(1): 2, **_NEAR_2_53}, 201),
    "even N beyond 2^53": ({F(1, 3): 1, **_NEAR_2_53}, 1001),
    "N of 121 bits": ({F(1, prime): prime for prime in _SIXTEEN}, 1001),
}
CASES = SMALL | FINE | {"many narrow cells": {F(20): 4000}}


@cache
def made(name: str) -> tuple[Plan, Quadrature]:
    plan = plan_of(*HUGE[name]) if name in HUGE else plan_of(CASES[name])
    return plan, quadrature(plan)


@cache
def exact_rule(name: str) -> list[tuple[int, arb]]:
    """p and phi / (N sin(pi p / 2N)), half of it at p = N, of every node of the plan, in balls."""
    plan, cells = made(name)[0], CASES[name]
    size = 2 * plan.modulus
    with precision(BITS):
        phis = [(Cell(rho, F(0), BITS), int(rho / plan.spacing), cells[rho]) for rho in cells]
        terms = []
        for p in nodes_of(plan):
            value = 1 / (plan.modulus * arb.sin_pi_fmpq(fmpq(p, size)))
            for phi, weight, count in phis:
                value *= phi.at(weight * p, size) ** count
            terms.append((p, value / 2 if p == plan.modulus else value))
    return terms


def exact_sum(name: str, odd: int) -> F:
    """1/2 - sum c_n sin(pi p (2 s - 1) / 2N) over the plan's nodes, to about 1e-60."""
    size = 2 * made(name)[0].modulus
    with precision(BITS):
        value = arb(1) / 2
        for p, coefficient in exact_rule(name):
            value -= coefficient * arb.sin_pi_fmpq(fmpq(p * odd % (2 * size), size))
        return enclosure(value).middle


def questions(plan: Plan) -> list[int]:
    """2 s - 1 in the middle, out to the reach on both sides, and in between."""
    edge = int(2 * F(plan.reach) / plan.spacing)
    edge -= (edge + 1) % 2
    between = {int(edge * share) | 1 for share in (0.03, 0.11, 0.35, 0.6, 0.81)}
    return sorted({1, 3, edge, *between, -1, -edge, *(-odd for odd in between)})


@pytest.mark.parametrize("name", CASES)
def test_rounding_is_within_its_bound(name: str) -> None:
    plan, rule = made(name)
    odd = questions(plan)
    for u, result in zip(odd, tails(rule, odd), strict=True):
        assert abs(total(result) - exact_sum(name, u)) <= F(rule.rounding_bound)


@pytest.mark.parametrize("name", CASES)
def test_rounding_of_the_coefficients(name: str) -> None:
    plan, rule = made(name)
    error = F(0)
    with precision(BITS):
        for i, (p, coefficient) in enumerate(exact_rule(name)):
            q = F(p, 4 * plan.modulus)
            assert abs(total(rule.turn[i]) - q) <= q / 2**145
            error += abs(total(rule.coefficient[i]) - enclosure(coefficient).middle)
            assert i < rule.precise or not rule.coefficient[i, 1:].any()
    assert error <= F(rule.rounding_bound)


def test_both_precisions_are_in_use() -> None:
    assert any(0 < made(name)[1].precise < len(made(name)[1].turn) for name in SMALL)
    assert any(0 < made(name)[1].precise < len(made(name)[1].turn) for name in FINE)


@cache
def truth(name: str) -> TailReference:
    if name == "N of 121 bits":
        return FineTail(HUGE[name][0], F(350), last=40_001)
    if name in HUGE or name in FINE:
        return ArbTail(HUGE[name][0] if name in HUGE else FINE[name], digits=42)
    return ConvolutionTail(CASES[name], bits=320)


@pytest.mark.parametrize("name", [*CASES, *HUGE])
def test_tails_are_within_the_error_budget(name: str) -> None:
    plan, rule = made(name)
    bound = F(plan.truncation_bound) + F(plan.sieve_bound) + F(rule.rounding_bound)
    assert bound <= F(TOLERANCE)
    odd = questions(plan)
    for u, result in zip(odd, tails(rule, odd), strict=True):
        exact = truth(name).tail_beyond(F(u, 2) * plan.spacing)
        assert abs(total(result) - exact.middle) <= bound + exact.width


@pytest.mark.parametrize("name", SMALL)
def test_both_sides_add_up_to_one(name: str) -> None:
    plan, rule = made(name)
    odd = questions(plan)
    for first, second in zip(tails(rule, odd), tails(rule, [-u for u in odd]), strict=True):
        assert abs(total(first) + total(second) - 1) <= 2 * F(rule.rounding_bound)


def test_tails_do_not_depend_on_the_company() -> None:
    plan, rule = made("three kinds")
    odd = questions(plan)
    together = tails(rule, odd)
    for u, result in zip(odd, together, strict=True):
        assert np.array_equal(tails(rule, [u])[0], result)
    assert tails(rule, []).shape == (0, 3)


def test_huge_cases_are_huge() -> None:
    assert [made(name)[0].modulus % 2 for name in HUGE][:2] == [1, 0]
    assert made("N of 121 bits")[0].modulus.bit_length() == 121
    again = FineTail(HUGE["N of 121 bits"][0], F(731, 2), last=40_001)
    assert abs(truth("N of 121 bits").alpha(F(5)).middle - again.alpha(F(5)).middle) < F(1, 10**42)


def test_fine_cases_are_fine() -> None:
    for name, cells in FINE.items():
        plan = made(name)[0]
        assert plan.modulus > 2**47
        assert plan.spacing == rational_gcd(list(cells))
        assert len(nodes_of(plan)) < 20_000
        assert integer(plan.nodes.p[0]) == 1


def test_one_narrow_cell_by_its_two_values() -> None:
    """sigma^2 = 1/100: P(S >= 1) = e^-50 / (1 + 2 e^-50 + ...)."""
    _, rule = made("one narrow cell")
    weight = math.exp(-50.0)
    assert abs(float(total(tails(rule, [1])[0])) / (weight / (1.0 + 2.0 * weight)) - 1.0) < 1e-12
    with precision(BITS):
        tail = (ball(F(-50)).exp() + ball(F(-200)).exp()) / (1 + 2 * ball(F(-50)).exp())
        assert abs(total(tails(rule, [1])[0]) - enclosure(tail).middle) < F(1, 10**35)
