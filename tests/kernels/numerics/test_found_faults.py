"""Faults that tests of this floor once found, kept as cases: huge N, many narrow cells, far tilts."""

# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb

from kernels.certificate.transform import Cell
from kernels.numerics.absolute.grid import grid_tails
from kernels.numerics.absolute.trapezoid import quadrature, tails
from kernels.numerics.nodes.lattice import LatticeError
from kernels.numerics.nodes.layout import TOLERANCE
from kernels.numerics.nodes.theta import factor
from kernels.numerics.relative.selection import select
from kernels.numerics.relative.tilt import Tilt
from kernels.numerics.relative.tilted_sums import log_norms
from tests.kernels.numerics.exact import total
from tests.kernels.numerics.scan import nodes_of, plan_of
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, precision
from tests.reference.fine import FineTail

PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


def off_by_bounds(cells, thresholds, reference, eps=(F(0), F(1, 3), F(5))) -> float:
    """Largest error of P(T > eps) in units of the certified bound."""
    plan = plan_of(cells, thresholds)
    rule = quadrature(plan)
    bound = F(plan.truncation_bound) + F(plan.sieve_bound) + F(rule.rounding_bound)
    worst = 0.0
    for one in eps:
        s = (one + plan.total / 2) // plan.spacing + 1
        exact = reference.alpha(one)
        error = abs(total(tails(rule, [2 * s - 1])[0]) - exact.middle) - exact.width
        worst = max(worst, float(error / bound))
    return worst


def test_nodes_close_to_an_odd_N_beyond_2_53_are_not_halved() -> None:
    """trapezoid._coefficients takes q[0] == 0.25 for p == N; q rounds to 0.25 for all p within N 2^-54 of N."""
    cells = {F(1): 2, **{F(2, 7 * prime): 2 * prime for prime in PRIMES}}
    assert plan_of(cells, 201).modulus % 2 == 1
    assert off_by_bounds(cells, 201, ArbTail(cells, digits=42)) <= 1.0  # 1.6e14 bounds


def test_faint_nodes_close_to_an_even_N_beyond_2_53_are_not_halved() -> None:
    """survivors._weigh takes ratio == 0.5 for p == N, also where N is even and p == N is no node at all."""
    cells = {F(1, 3): 1, **{F(2, 7 * prime): 2 * prime for prime in PRIMES}}
    assert plan_of(cells, 1001).modulus % 2 == 0
    assert off_by_bounds(cells, 1001, ArbTail(cells, digits=42)) <= 1.0  # 1e10 bounds


def test_phases_beyond_N_of_106_bits() -> None:
    """trapezoid.tails (2 s - 1) and grid._fold (W) pass integers as two doubles: relative error 2^-106."""
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)
    cells = {F(1, prime): prime for prime in primes}
    reference, again = (FineTail(cells, period, last=40_001) for period in (F(350), F(731, 2)))
    assert abs(reference.alpha(F(5)).middle - again.alpha(F(5)).middle) < F(1, 10**42)
    assert plan_of(cells, 1001).modulus.bit_length() == 121
    assert off_by_bounds(cells, 1001, reference, (F(0), F(5), F(-3))) <= 1.0  # 90 bounds; more with more bits


def test_many_narrow_cells() -> None:
    """product_triple needs E = sum count g f^2 < 500; nothing keeps it there where phi is large but E is too."""
    cells = {F(20): 4000}
    plan = plan_of(cells, 11)
    rule = quadrature(plan)
    assert np.isfinite(rule.coefficient).all()  # 168 of 1110 are NaN, with weights up to 2.3e-4
    with precision(200):
        phi = Cell(F(20), F(0), 200)
        worst = 0.0
        for i, p in enumerate(nodes_of(plan)):
            exact = phi.at(p, 2 * plan.modulus) ** 4000 / (
                plan.modulus * arb.sin_pi(arb(p) / (2 * plan.modulus))
            )
            exact = exact / 2 if p == plan.modulus else exact
            worst = max(worst, float(abs(ball(total(rule.coefficient[i])) - exact).mid()))
    assert worst <= rule.rounding_bound


@pytest.mark.parametrize(("cells", "thresholds"), [({F(1, 100): 60_000}, 1001), ({F(1, 1000): 10_000}, 5001)])
def test_the_grid_keeps_to_1e_35(cells, thresholds) -> None:
    """left_out grows with the period: R >= 500 (end = tail / 8) or some 5000 thresholds make bound > 1e-35."""
    plan = plan_of(cells, thresholds)
    assert plan.grid.period > 0
    assert grid_tails([plan], [quadrature(plan)])[0].bound <= TOLERANCE  # 1.6e-35, 1.2e-35


@pytest.mark.parametrize(
    "cells", [{F(1, 10**320 + 7): 1, F(1, 3): 2}, {F(1, 10**290): 3, F(1): 2}], ids=["a", "b"]
)
def test_an_absurd_lattice_is_refused(cells) -> None:
    """residues.py says N may be of any size; beyond doubles it is an OverflowError, not a LatticeError."""
    try:
        quadrature(plan_of(cells, 11))
    except LatticeError:
        return


@pytest.mark.parametrize("rho", [F(500), F(1000)], ids=str)
def test_very_narrow_cells_in_the_relative_tier(rho) -> None:
    """log_norms and tilted_phi summed over |x - mu| <= sqrt(90 / rho) only: empty from rho = 360 on."""
    plan = plan_of({rho: 1}, 101)
    tilt = Tilt(plan, select(plan, 1.0))
    assert np.isfinite(log_norms(np.array([factor(rho).g[0]]), 0.5)).all()
    assert np.isfinite(tilt.tails([tilt.first_point(F(0))]).mantissa).all()


def test_the_self_test_is_run() -> None:
    """Nothing calls triple.self_test: a compiler that breaks error-free transformations goes unnoticed."""
    code = (
        "import kernels.numerics.arithmetic.triple as t\n"
        "def called(): raise SystemExit(7)\n"
        "t.self_test = called\n"
        "from fractions import Fraction as F\n"
        "from kernels.accounting.accountant import Accountant\n"
        "from kernels.accounting.composition import Composition\n"
        "Accountant(Composition.from_counts({F(1): 1})).profile([F(0)])\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 7


def test_cells_so_narrow_that_their_decay_underflows() -> None:
    """plan.foreseen takes the logarithm of decays; decay_of is 0.0 from rho near 1500 on (sigma^2 < 1/1500)."""
    assert plan_of({F(1600): 1}, 11).sieve_bound == 0.0  # ValueError: math domain error
