"""Laws that hold for every composition, tried on random ones, with an exact reference beside them."""

from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from tests.kernels.accounting.cases import assert_exact
from tests.reference.checks import assert_relative
from tests.reference.convolution import ConvolutionTail

RELAXED = settings(max_examples=20, deadline=None, derandomize=True)
FEW = settings(RELAXED, max_examples=6)  # each example asks for many points of the trade-off function

rhos = st.fractions(min_value=F(1, 60), max_value=4, max_denominator=60)


def decimal_of(value: Fraction) -> Decimal:
    """To 28 digits, enough for everything compared here."""
    return Decimal(value.numerator) / Decimal(value.denominator)


compositions = st.dictionaries(rhos, st.integers(1, 5), min_size=1, max_size=2)
points = st.fractions(min_value=-6, max_value=40, max_denominator=1000)


@RELAXED
@given(compositions, st.lists(points, min_size=1, max_size=4))
def test_random_compositions_match_the_reference(counts: dict[Fraction, int], grid: list[Fraction]) -> None:
    truth = ConvolutionTail(counts, bits=900)
    for eps, point in zip(grid, Accountant(Composition.from_counts(counts)).profile(grid), strict=True):
        assert point.eps == eps
        assert_exact(point, truth)


@RELAXED
@given(compositions, st.randoms(use_true_random=False))
def test_order_and_splitting_of_cells_do_not_matter(counts: dict[Fraction, int], random: Random) -> None:
    shuffled = list(counts.items())
    random.shuffle(shuffled)
    by_rows = Composition.from_counts({shuffled[0][0]: 1})
    rows = [rho for rho, count in shuffled for _ in range(count)][1:]
    for rho in rows:
        by_rows = by_rows + Composition.from_counts({rho: 1})
    whole = Composition.from_counts(counts)
    assert by_rows == whole
    assert Composition.from_counts(dict(shuffled)) == whole
    grid = [F(0), F(2)]
    assert Accountant(by_rows).profile(grid) == Accountant(whole).profile(grid)


@RELAXED
@given(compositions, points)
def test_both_errors_are_mirror_images(counts: dict[Fraction, int], eps: Fraction) -> None:
    """P(T > eps) = Q(T < -eps) = 1 - Q(T >= -eps); no lattice point is within 1e-30 to the left of -eps."""
    case = Accountant(Composition.from_counts(counts))
    here, there = case.profile([eps, -eps - F(1, 10**30)])
    assert abs(F(here.alpha.value) + F(there.power.value) - 1) <= 2 * F(1, 10**35)


@RELAXED
@given(compositions, st.fractions(min_value=0, max_value=8, max_denominator=50))
def test_delta_at_minus_eps(counts: dict[Fraction, int], eps: Fraction) -> None:
    """delta(-eps) = 1 - e^-eps (1 - delta(eps)), because the pair of laws is its own mirror image."""
    case = Accountant(Composition.from_counts(counts))
    here, there = case.profile([eps, -eps])
    factor = (-decimal_of(eps)).exp()
    expected = 1 - factor * (1 - here.delta.value)
    assert abs(there.delta.value - expected) <= expected * decimal_of(F(3, 10**12))


@RELAXED
@given(compositions)
def test_delta_falls_and_is_convex_in_exp_eps(counts: dict[Fraction, int]) -> None:
    case = Accountant(Composition.from_counts(counts))
    grid = [F(k, 2) for k in range(-4, 30)]
    found = case.profile(grid)
    for left, right in pairwise(found):
        assert left.delta.upper >= right.delta.lower
        assert left.alpha.upper >= right.alpha.lower
        assert left.power.upper >= right.power.lower
    x = [decimal_of(eps).exp() for eps in grid]
    for i in range(1, len(grid) - 1):
        weight = (x[i + 1] - x[i]) / (x[i + 1] - x[i - 1])
        chord = weight * found[i - 1].delta.upper + (1 - weight) * found[i + 1].delta.upper
        assert found[i].delta.lower <= chord * (1 + decimal_of(F(1, 10**20)))


@FEW
@given(compositions, st.fractions(min_value=F(1, 10**6), max_value=F(999_999, 10**6), max_denominator=10**6))
def test_tradeoff_function_is_its_own_inverse(counts: dict[Fraction, int], alpha: Fraction) -> None:
    case = Accountant(Composition.from_counts(counts))
    beta = case.tradeoff(alpha)
    low, high = case.tradeoff(min(F(beta.upper), F(1))), case.tradeoff(max(F(beta.lower), F(0)))
    slack = F(1, 10**10)  # the curve may be steep where it comes back
    assert F(low.lower) - slack <= alpha <= F(high.upper) + slack
    assert F(beta.lower) <= 1 - alpha


@FEW
@given(compositions)
def test_tradeoff_function_is_convex_and_falls(counts: dict[Fraction, int]) -> None:
    case = Accountant(Composition.from_counts(counts))
    grid = [F(k, 9) for k in range(1, 9)]
    beta = [case.tradeoff(alpha) for alpha in grid]
    for i in range(1, len(grid) - 1):
        assert beta[i - 1].upper >= beta[i].lower
        assert 2 * F(beta[i].lower) <= F(beta[i - 1].upper) + F(beta[i + 1].upper)


@RELAXED
@given(compositions, rhos)
def test_another_cell_never_helps(counts: dict[Fraction, int], rho: Fraction) -> None:
    fewer = Composition.from_counts(counts)
    more = fewer + Composition.from_counts({rho: 1})
    grid = [F(0), F(1), F(5)]
    for before, after in zip(Accountant(fewer).profile(grid), Accountant(more).profile(grid), strict=True):
        assert before.delta.lower <= after.delta.upper


@RELAXED
@given(compositions, st.integers(1, 18))
def test_epsilon_inverts_delta(counts: dict[Fraction, int], decades: int) -> None:
    delta = F(3, 7 * 10**decades)
    case = Accountant(Composition.from_counts(counts))
    answer = case.epsilon(delta)
    truth = ConvolutionTail(counts, bits=500)
    if truth.delta(F(0)).upper <= delta:
        assert answer.upper == 0
    else:
        assert truth.delta(F(answer.upper)).lower <= delta <= truth.delta(F(answer.lower)).upper


@pytest.mark.parametrize("count", [1, 2, 17, 60, 200])
def test_counts_count(count: int) -> None:
    truth = ConvolutionTail({F(1, 9): count}, bits=300)
    [point] = Accountant(Composition.from_counts({F(1, 9): count})).profile([F(1)])
    assert_relative(point.delta, truth.delta(F(1)))
