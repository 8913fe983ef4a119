"""Curves on a grid: against single tails, exact to the bit whatever the batch and the number of threads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from fractions import Fraction as F
from functools import cache
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.numerics.absolute.grid import (
    _SLICES,
    GridTails,
    _exact_product,
    _split,
    _wave_slices,
    _waves,
    grid_tails,
)
from kernels.numerics.absolute.trapezoid import Quadrature, quadrature, tails
from kernels.numerics.arithmetic.triple import from_fraction
from kernels.numerics.nodes.layout import TOLERANCE
from kernels.numerics.nodes.plan import Plan
from tests.kernels.numerics.exact import FEW, SOME, Triple, to_mpf, total, triples
from tests.kernels.numerics.scan import SMALL, plan_of
from tests.reference.cells import Cells
from tests.reference.convolution import ConvolutionTail

#: Composition and number of thresholds; few enough for a grid, or so many that every midpoint is taken.
CASES: dict[str, tuple[Cells, int]] = {
    "census": (SMALL["census"], 101),
    "wide": (SMALL["wide"], 51),
    "three kinds": (SMALL["three kinds"], 21),
    "odd number of thresholds": (SMALL["many equal cells"], 13),
    "two thresholds": (SMALL["two lattices"], 2),
    "large R": ({F(1, 3): 2000, F(1, 7): 1500}, 31),
    "every midpoint": (SMALL["unit cells"], 1001),
    "every midpoint, one cell": (SMALL["one narrow cell"], 1001),
    "every midpoint, even width": (SMALL["many equal cells"], 1001),
}
ON_A_GRID = [name for name in CASES if "midpoint" not in name]


@cache
def made(name: str) -> tuple[Plan, Quadrature]:
    plan = plan_of(*CASES[name])
    return plan, quadrature(plan)


@cache
def curve(name: str) -> GridTails:
    plan, rule = made(name)
    return grid_tails([plan], [rule])[0]


@cache
def law(name: str) -> ConvolutionTail:
    return ConvolutionTail(CASES[name][0], bits=256)


def thresholds(name: str) -> list[int]:
    """v of every threshold T > h v / 2."""
    one = curve(name)
    return [one.first + j * one.step for j in range(len(one.upper))]


def test_cases_take_the_way_they_are_named_for() -> None:
    for name in CASES:
        assert (made(name)[0].grid.period > 0) == (name in ON_A_GRID)
    assert len({made(name)[0].grid.period for name in ON_A_GRID}) > 2
    assert {made(name)[0].grid.period % 2 for name in ON_A_GRID} == {0, 1}
    assert {made(name)[0].width % 2 for name in ON_A_GRID} == {0, 1}


@pytest.mark.parametrize("name", CASES)
def test_thresholds_lie_between_lattice_points_and_reach_out(name: str) -> None:
    plan = made(name)[0]
    vs = thresholds(name)
    assert all((v + plan.width) % 2 == 1 for v in vs)
    assert vs == [-v for v in reversed(vs)]
    assert all(after > before for before, after in pairwise(vs))
    if name in ON_A_GRID:
        assert len(vs) >= CASES[name][1]
    else:
        assert curve(name).step == 2
    beyond = law(name).tail_beyond(F(vs[-1] + 2 + plan.width, 2) * plan.spacing)
    assert beyond.upper <= F(TOLERANCE)


@pytest.mark.parametrize("name", CASES)
def test_curve_equals_single_tails(name: str) -> None:
    """What the grid adds to the error of a single tail is what its bound adds to that tail's bounds.

    A curve holds probabilities: what errs beyond 0 or 1 is put there.
    """
    plan, rule = made(name)
    one = curve(name)
    single = tails(rule, [v + plan.width for v in thresholds(name)])
    added = F(one.bound) - F(plan.truncation_bound) - F(plan.sieve_bound) - F(rule.rounding_bound)
    assert added >= 0
    for on_grid, alone in zip(one.upper, single, strict=True):
        errors = [total(on_grid) - value for value in (total(alone), min(max(total(alone), F(0)), F(1)))]
        assert min(map(abs, errors)) <= added + 2 * F(rule.rounding_bound)


@pytest.mark.parametrize("name", CASES)
def test_curve_is_within_its_bound(name: str) -> None:
    plan, one = made(name)[0], curve(name)
    vs = thresholds(name)
    for j in range(0, len(vs), max(1, len(vs) // 12)):
        for v, result in ((vs[j], one.upper[j]), (-vs[j], one.lower[j])):
            exact = law(name).tail_beyond(F(v + plan.width, 2) * plan.spacing)
            assert abs(total(result) - exact.middle) <= F(one.bound) + exact.width
    assert one.bound <= TOLERANCE


@pytest.mark.parametrize(("cells", "thresholds"), [({F(1, 100): 60_000}, 1001), ({F(1, 1000): 10_000}, 5001)])
def test_the_grid_keeps_to_1e_35(cells: Cells, thresholds: int) -> None:
    """What is left out grows with the period: with R from 500 on, or some 5000 thresholds."""
    plan = plan_of(cells, thresholds)
    assert plan.grid.period > 0
    assert grid_tails([plan], [quadrature(plan)])[0].bound <= TOLERANCE


@pytest.mark.parametrize("name", CASES)
def test_lower_is_upper_backwards(name: str) -> None:
    one = curve(name)
    assert np.array_equal(one.lower, one.upper[::-1])


def bits(curves: list[GridTails]) -> list[bytes]:
    return [one.upper.tobytes() + one.lower.tobytes() for one in curves]


def test_any_batch_gives_the_same_bits() -> None:
    alone = {name: bits([curve(name)])[0] for name in CASES}
    cells = SMALL["census"]
    scaled = {f"scaled {k}": {rho * F(k, 7): count for rho, count in cells.items()} for k in (8, 9, 12)}
    more = {name: (plan_of(one, 101), quadrature(plan_of(one, 101))) for name, one in scaled.items()}
    together: dict[tuple[int, int], int] = {}
    for plan, _ in more.values():
        together[plan.grid.period, plan.grid.half] = together.get((plan.grid.period, plan.grid.half), 0) + 1
    assert max(together.values()) > 1  # some of them do share a transform
    alone |= {name: bits(grid_tails([plan], [rule]))[0] for name, (plan, rule) in more.items()}
    every = {name: made(name) for name in CASES} | more
    for order in (list(every), list(every)[::-1], list(every)[::2] * 2):
        plans, rules = zip(*(every[name] for name in order), strict=True)
        assert bits(grid_tails(plans, rules)) == [alone[name] for name in order]


SUMMARY = """
import hashlib
from fractions import Fraction as F
from kernels.numerics.absolute.grid import grid_tails
from kernels.numerics.nodes.plan import make_plan
from kernels.numerics.absolute.trapezoid import quadrature
pairs = ((73, 999), (11, 310), (478, 430))
plans = [make_plan([F(a, 10_000), F(b, 10_000)], [20, 18], 401) for a, b in pairs]
for one in grid_tails(plans, [quadrature(plan) for plan in plans]):
    print(hashlib.sha256(one.upper.tobytes() + one.lower.tobytes()).hexdigest())
"""


def test_any_number_of_threads_gives_the_same_bits() -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SUMMARY],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            stdout=subprocess.PIPE,
            text=True,
        )
        for threads in ("1", "3")
    ]
    first, second = (process.communicate(timeout=300)[0].split() for process in running)
    assert [process.returncode for process in running] == [0, 0]
    assert first == second
    assert len(set(first)) == 3
    assert len(first[0]) == len(hashlib.sha256().hexdigest())


@SOME
@given(st.lists(triples(-140, 0), min_size=1, max_size=6))
def test_slices_are_small_integers_that_add_up(numbers: list[Triple]) -> None:
    slices = _split(np.array(numbers))
    assert slices.shape == (_SLICES, len(numbers))
    assert np.array_equal(slices, np.rint(slices))
    assert np.abs(slices).max() <= 2**21
    for number, digits in zip(numbers, slices.T, strict=True):
        value = sum(F(int(digit)) / 2 ** (20 + 22 * level) for level, digit in enumerate(digits))
        assert abs(value - total(number)) <= F(1, 2**131)


def test_products_of_slices_do_not_depend_on_the_order_of_summation() -> None:
    random = np.random.default_rng(5)
    left = random.integers(-(2**21), 2**21 + 1, (_SLICES, 3, 5000)).astype(np.float64)
    right = random.integers(-(2**21), 2**21 + 1, (_SLICES, 5000, 4)).astype(np.float64)
    left[:, 0], right[:, :, 0] = 2.0**21, 2.0**21  # the largest there can be
    product = _exact_product(left, right)
    order = random.permutation(5000)
    blocks = np.concatenate([order[:2048], order[2048:4096], order[4096:]])
    assert np.array_equal(product, _exact_product(left[:, ::-1], right).reshape(3, 4, 3)[::-1].reshape(-1, 3))
    again = _exact_product(left[:, :, blocks], right[:, blocks])
    scale = max(abs(total(row)) for row in product)
    for one, other in zip(product, again, strict=True):
        assert abs(total(one) - total(other)) <= scale / 2**140
    small, large = left[0][:, :2048], right[0][:2048]
    assert np.array_equal(small @ large, (small.astype(np.int64) @ large.astype(np.int64)).astype(np.float64))


@FEW
@given(st.integers(0, 2**32), st.integers(1, 2500))
def test_product_of_triples_is_within_its_bound(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    high = random.uniform(-2.0, 2.0, (2, rows))
    low = random.uniform(-0.5, 0.5, (2, 2, rows)) * np.spacing(high)[:, None]
    low[:, 1] *= 2.0**-54
    left, right = np.concatenate([high[:, None], low], axis=1).transpose(0, 2, 1).copy()
    product = _exact_product(_split(left).reshape(_SLICES, 1, rows), _split(right).reshape(_SLICES, rows, 1))
    truth = sum((total(a) * total(b) for a, b in zip(left, right, strict=True)), F(0))
    # each number is cut at 2^-131 (sizes up to 2), products of slices beyond the last level are left out
    bound = rows * (F(4, 2**131) + F(_SLICES, 2**152)) + F(rows, 2**150)
    assert abs(total(product[0]) - truth) <= bound


@pytest.mark.parametrize("period", [3, 8, 1164])
def test_waves_are_sines_and_cosines_of_the_grid(period: int) -> None:
    rows, columns = (period + 1) // 2, 4
    waves = _waves(period, rows, columns, from_fraction(F(1, 4 * period)))
    with mpmath.workdps(60):
        for r in {0, rows // 3, rows - 1}:
            for j in range(columns):
                x = mpmath.pi * to_mpf(F((2 * r + 1) * (2 * j + 1), 2 * period))
                assert abs(to_mpf(total(waves[0, r, j])) - mpmath.sin(x)) <= mpmath.mpf(2) ** -135
                assert abs(to_mpf(total(waves[1, r, j])) - mpmath.cos(x)) <= mpmath.mpf(2) ** -135


def test_slices_of_waves_are_kept_for_the_next_batch() -> None:
    assert _wave_slices(8, 3) is _wave_slices(8, 3)
    assert _wave_slices(8, 3).shape == (2, _SLICES, 4, 3)


def test_no_plans_give_no_curves() -> None:
    assert grid_tails([], []) == []
