"""The plan: layout inequalities, and what the sieve leaves out, summed over every node it left out."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction as F
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.absolute.trapezoid import quadrature
from kernels.numerics.arithmetic.rational import rational_gcd
from kernels.numerics.nodes.lattice import LatticeError
from kernels.numerics.nodes.layout import TOLERANCE, TRUNCATION, _nodes_and_grid, _stretch
from kernels.numerics.nodes.plan import Plan, foreseen
from kernels.numerics.nodes.shells import Weight
from kernels.numerics.nodes.survivors import factors_of
from tests.kernels.numerics.exact import MANY, SOME, to_mpf
from tests.kernels.numerics.scan import SMALL, Scan, nodes_of, plan_of, scan
from tests.kernels.numerics.test_lattice import assert_exact
from tests.reference.cells import Cells, total
from tests.reference.census import pair_cells
from tests.reference.convolution import ConvolutionTail

FLOAT = 1e-9  # relative accuracy of the scan's doubles, generously


@cache
def planned(name: str) -> tuple[Plan, Scan]:
    plan = plan_of(SMALL[name])
    return plan, scan(plan, SMALL[name])


def test_the_cases_hold_odd_and_even_n() -> None:
    parities = {planned(name)[0].modulus % 2 for name in SMALL}
    assert parities == {0, 1}


@SOME
@given(st.lists(st.tuples(st.integers(1, 10**12), st.integers(1, 10**12)), min_size=1, max_size=6))
@example([(11, 10_000), (73, 10_000)])
@example([(355, 113), (22, 7)])
def test_lattice_spacing_is_the_greatest_common_divisor(pairs: list[tuple[int, int]]) -> None:
    numbers = [F(*pair) for pair in pairs]
    spacing = rational_gcd(numbers)
    multiples = [number / spacing for number in numbers]
    assert all(multiple.denominator == 1 for multiple in multiples)
    assert math.gcd(*(multiple.numerator for multiple in multiples)) == 1


def check_layout(rhos: list[F], counts: list[int], thresholds: int, stretch: float = 1.0) -> None:
    """N, reach and grid satisfy the inequalities that the truncation bound and the thresholds need."""
    spacing = rational_gcd(rhos)
    whole = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), F(0))
    width = int(whole / spacing)
    modulus, reach, grid = _nodes_and_grid(spacing, whole, width, thresholds, stretch)
    with mpmath.workdps(60):
        r, h = to_mpf(whole), to_mpf(spacing)
        # points wrap onto the queried range only from beyond this distance, on either side
        gap = h * modulus - reach
        assert 2 * mpmath.exp(-(gap**2) / (2 * r)) <= TRUNCATION
        assert h * modulus >= stretch * (mpmath.sqrt(2 * r * mpmath.log(2 / TRUNCATION)) + reach)
        # |h (s - 1/2)| of the last threshold, T > h v / 2 being S >= s with 2 s - 1 = v + W
        assert h * (grid.limit + width) / 2 <= reach
        last = h * grid.limit / 2
        assert last > 0
        assert mpmath.exp(-((last + r / 2) ** 2) / (2 * r)) <= TOLERANCE
    if grid.step:
        assert modulus == grid.step * grid.period
        assert (grid.step + width) % 2 == 1
        assert grid.limit == grid.step * (2 * grid.half - 1)
        assert thresholds <= 2 * grid.half < thresholds + 2 * grid.parts
        assert grid.half % grid.parts == 0 == grid.period % grid.parts
    else:
        assert grid.limit < 3 * thresholds
        assert (grid.half, grid.period) == (0, 0)


@MANY
@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True),
    st.integers(1, 10**7),
    st.lists(st.integers(1, 300), min_size=5, max_size=5),
    st.sampled_from([2, 11, 1001, 5001]),
    st.sampled_from([1.0, 1.5]),
)
@example([1], 1, [1] * 5, 1001, 1.0)
@example([1], 10**7, [1] * 5, 2, 1.5)
@example([10**6], 1, [300] * 5, 11, 1.0)
@example([10**6 - 1, 10**6], 1, [300] * 5, 1001, 1.5)
def test_layout_holds_its_inequalities(
    tops: list[int], bottom: int, counts: list[int], thresholds: int, stretch: float
) -> None:
    check_layout([F(top, bottom) for top in tops], counts[: len(tops)], thresholds, stretch)


def test_narrow_cells_take_more_nodes_for_their_tilted_laws() -> None:
    assert _stretch([F(1, 2), F(2)], [100, 20]) == 1.0
    assert _stretch([F(1, 10**400), F(30)], [7, 15]) == 1.5


def test_layout_of_a_lattice_beyond_64_bits() -> None:
    rhos = [F(355, 791 * prime) for prime in (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)]
    check_layout(rhos, [6] * len(rhos), 1001)


def test_factors_belong_to_their_rhos() -> None:
    rhos, counts = [F(1, 3), F(7)], [4, 9]
    factors = factors_of(rhos, counts)
    assert factors.count.tolist() == [4.0, 9.0]
    for c, rho in enumerate(rhos):
        assert factors.g[c, 0] == pytest.approx(2 * math.pi**2 / float(rho), rel=1e-15)
        with mpmath.workdps(40):
            g = 2 * mpmath.pi**2 / to_mpf(rho)
            at_zero = sum(mpmath.exp(-g * k * k) for k in range(-9, 10))
            assert abs(factors.log_normaliser[c] - mpmath.log(at_zero)) <= 2.0**-51
            assert abs(factors.normaliser[c, 0] - 1 / at_zero) <= 2.0**-52


@pytest.mark.parametrize("name", SMALL)
def test_the_plan_is_exact(name: str) -> None:
    plan, cells = planned(name)[0], SMALL[name]
    assert plan.total == total(cells)
    assert plan.width * plan.spacing == plan.total
    assert [weight * plan.spacing for weight in plan.weights] == list(cells)
    assert_exact(plan.nodes, plan.weights, plan.modulus)


@pytest.mark.parametrize("name", SMALL)
def test_weights_of_the_nodes_kept(name: str) -> None:
    plan, every = planned(name)
    at = np.searchsorted(every.p, nodes_of(plan))
    assert np.allclose(plan.nodes.log_kernel, np.log(every.kernel[at]), rtol=0, atol=FLOAT)
    assert np.allclose(
        plan.nodes.log_weight, np.log(every.kernel[at]) + every.log_phi[at], rtol=0, atol=FLOAT
    )
    assert np.all(plan.nodes.norm <= -every.log_phi[at] + FLOAT)
    assert np.all(np.diff(plan.nodes.log_weight) <= 0)


def test_a_sieve_that_keeps_everything_has_no_error() -> None:
    plan, every = planned("one narrow cell")
    assert sorted(nodes_of(plan)) == every.p.tolist()
    assert plan.sieve_bound == 0.0
    assert plan.left_out == plan.faint.at_softest == Weight(0.0, 0.0)


@pytest.mark.parametrize("name", [name for name in SMALL if name not in ("wide", "census")])
def test_aliasing_is_within_the_truncation_bound(name: str) -> None:
    """The rule gives the law of S modulo N up to a sign, so a tail is off by what lies N further out."""
    plan = planned(name)[0]
    law = ConvolutionTail(SMALL[name], bits=400)
    h, edge = plan.spacing, int(F(plan.reach) / plan.spacing + F(1, 2))
    assert plan.truncation_bound <= TRUNCATION
    for s in (edge, 1 - edge, 0, edge // 2):
        above = law.tail_beyond((s + plan.modulus) * h - h / 2).upper
        below = law.tail_beyond((plan.modulus - s) * h).upper  # P(S < s - N) by symmetry
        assert above + below <= F(plan.truncation_bound)


#: More nodes seem to matter than are worth their time, or nearly.
CHOSEN: dict[str, Cells] = {
    "DHC persons, [011111, 111111]": pair_cells("011111", "111111"),
    "PL 94 units of Puerto Rico, [0111, 0111]": {
        F(57624834127, 133546655320420): 2,
        F(9950850913653, 133546655320420): 2,
    },
    "a third beside 0.12345": {F(1, 3): 5, F(12345, 100_003): 1},
    "nearly a half": {F(1, 2): 3, F(1, 2) + F(1, 10**5): 3},
    "three of unlike sizes": {F(1, 10): 3, F(1, 1013): 2, F(7, 2003): 1},
    "seven primes": {F(1, prime): 2 for prime in (3, 5, 7, 11, 13, 17, 19)},
    "20-digit denominators": {F(2718281828459045, 10**20 - 17): 3, F(1414213562373095, 10**20 + 121): 2},
}


@pytest.mark.parametrize("name", [*SMALL, *CHOSEN])
def test_predicted_nodes_are_of_the_right_order(name: str) -> None:
    cells = (SMALL | CHOSEN)[name]
    found = len(plan_of(cells).nodes.log_weight)
    most = max(8 * found, 100 if name in SMALL else 0)
    assert found / 8 <= foreseen(list(cells), list(cells.values())).nodes <= most


def test_few_nodes_are_predicted_where_a_fine_lattice_has_few() -> None:
    """By the reduced basis, not at once what plans keep that must choose."""
    cells: Cells = {F(326, 10**8): 24, F(659, 10**8): 17, F(872, 10**7): 13, F(473, 10**4): 36}
    plan = plan_of(cells)
    assert plan.modulus > 10**9
    found = len(plan.nodes.log_weight)
    assert found / 8 <= foreseen(list(cells), list(cells.values())).nodes <= 50 * found < 20_000


def test_prediction_copes_with_any_lattice() -> None:
    assert 0 < foreseen([F(2718281828459045, 10**40 - 17), F(1, 3)], [3, 2]).nodes < math.inf


@pytest.mark.parametrize("cells", [{F(1, 10**320 + 7): 1, F(1, 3): 2}, {F(1, 10**290): 3, F(1): 2}])
def test_a_lattice_beyond_doubles_is_planned_or_refused(cells: Cells) -> None:
    with suppress(LatticeError):
        quadrature(plan_of(cells))


def test_cells_so_narrow_that_their_decay_underflows() -> None:
    assert plan_of({F(1600): 1}).sieve_bound == 0.0


def test_the_order_of_cells_only_permutes() -> None:
    cells = SMALL["three kinds"]
    plan, other = plan_of(cells), plan_of(dict(reversed(list(cells.items()))))
    assert sorted(nodes_of(plan)) == sorted(nodes_of(other))
    assert plan.grid == other.grid
    assert plan.sieve_bound == pytest.approx(other.sieve_bound, rel=1e-9)
