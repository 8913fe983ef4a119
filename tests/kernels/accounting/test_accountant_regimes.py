"""The corners: absurd lattices, plans, refusals, and the sharpness of these tests themselves."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest

from kernels.accounting.accountant import Accountant, ProfilePoint
from kernels.accounting.composition import Composition
from kernels.errors import Refused
from kernels.intervals.interval import Interval, from_fraction
from tests.kernels.accounting.cases import (
    LONG,
    MANY,
    PAIRS,
    SMALL,
    accountant,
    assert_exact,
    assert_holds,
    cells_of,
    reference,
)
from tests.paths import ROOT
from tests.reference.arb_tail import ArbTail
from tests.reference.cells import FINE, Cells, Enclosure, rational_gcd, total
from tests.reference.census import pair_cells
from tests.reference.checks import assert_absolute, assert_encloses, assert_relative, assert_tail
from tests.reference.convolution import ConvolutionTail
from tests.reference.fine import FineTail

INCOMMENSURABLE: dict[str, Cells] = {
    "355/113 beside 22/7": {F(355, 1130): 4, F(22, 70): 4},
    "two 40-digit denominators": LONG,
    "355/113 * p/q, two fine lattices": {F(355 * 3, 113 * 7001): 20, F(355 * 5, 113 * 90_001): 30},
}


@pytest.mark.parametrize("name", INCOMMENSURABLE)
def test_incommensurable_rhos_are_answered_rightly_or_refused(name: str) -> None:
    cells = INCOMMENSURABLE[name]
    truth = ConvolutionTail(cells, bits=300)
    grid = [F(0), F(1, 2), F(4), total(cells) / 2]
    for point in answers_or_refusal(Accountant(Composition.from_counts(cells)), grid):
        assert_holds(point, truth)


BEYOND_ENUMERATION: Cells = {F(355, 113) * F(k, 1009 + 2 * k * k): 4 for k in range(3, 43)}


#: 120 rhos from 1/10^5 to 10 with three digits each.
ALL_DIFFERENT: Cells = {F(101 + 89 * k % 899, 10 ** (2 + k % 6)): 1 for k in range(120)}


def test_more_than_a_hundred_different_rhos() -> None:
    """Factors that do not keep points apart are not in the metric, or there are too many to enumerate."""
    truth = ArbTail(ALL_DIFFERENT, digits=37)
    case = Accountant(Composition.from_counts(ALL_DIFFERENT))
    assert len(case.composition.cells) > 100
    assert case.tiers.absolute_bound < 1e-35
    grid = [F(0), F(3), total(ALL_DIFFERENT) / 2, F(-1), F(70)]
    for point in case.profile(grid):
        assert_holds(point, truth)
        assert point.is_sharp


def test_more_than_a_hundred_different_rhos_against_stored_values() -> None:
    """Rhos down to 1/10^6, which the certificate's sums do not reach."""
    stored = json.loads((ROOT / "tests/data/many_rhos.json").read_text(encoding="utf-8"))
    case = Accountant(Composition.from_counts({F(rho): 1 for rho in stored["rhos"]}))
    assert len(case.composition.cells) > 100
    assert case.tiers.absolute_bound < 1e-35
    for row in stored["points"]:
        [point] = case.profile([F(row["eps"])])
        for name in ("alpha", "power", "delta"):
            assert_encloses(getattr(point, name), Enclosure(*map(F, row[name])))
        assert point.is_sharp


def test_a_lattice_beyond_any_scan() -> None:
    """355/113 * p/q with 5e17 nodes, a few hundred of which survive."""
    truth = ArbTail(FINE, digits=40)
    case = Accountant(Composition.from_counts(FINE))
    points = case.profile([F(0), F(5), F(20), F(-3), total(FINE) / 2])
    plan = case.plan_summary()
    assert plan.nodes > 10**15
    assert plan.total_bound <= 1e-35
    for point in points:
        assert_exact(point, truth)
        delta = truth.delta(point.eps)
        assert abs(F(point.delta.value) - delta.middle) <= delta.middle / 10**12 + delta.width


def test_a_lattice_beyond_any_enumeration_is_answered_rightly_or_refused() -> None:
    """Forty unrelated rhos, 1e98 nodes: two unrelated series agree to 1e-36; so must any answer."""
    first, second = FineTail(BEYOND_ENUMERATION, F(150)), FineTail(BEYOND_ENUMERATION, F(331, 2))
    grid = [F(0), F(5), F(20)]
    for point in answers_or_refusal(Accountant(Composition.from_counts(BEYOND_ENUMERATION)), grid):
        eps = point.eps
        for result, question in ((point.alpha, "alpha"), (point.power, "power")):
            truth, again = getattr(first, question)(eps), getattr(second, question)(eps)
            spread = F(1, 10**36)
            assert abs(truth.middle - again.middle) < spread
            assert_encloses(result, Enclosure(truth.middle - spread, truth.middle + spread))
        delta, spread = first.delta(eps).middle, 4 * decimal_exp(eps) / 10**36
        assert_encloses(point.delta, Enclosure(delta - spread, delta + spread))


def decimal_exp(eps: Fraction) -> Fraction:
    """e^eps, roughly."""
    return F((Decimal(eps.numerator) / Decimal(eps.denominator)).exp())


def answers_or_refusal(case: Accountant, grid: list[Fraction]) -> list[ProfilePoint]:
    """Points, or none if the accountant refuses, which it must do in one plain line."""
    try:
        points, reason = case.profile(grid), ""
    except Refused as refused:
        points, reason = [], str(refused)
    assert [point.eps for point in points] == grid or (len(reason) > 20 and "\n" not in reason)
    return points


@pytest.mark.parametrize("name", [*PAIRS, *SMALL, *MANY])
def test_plan_summary(name: str) -> None:
    cells = cells_of(name)
    plan = accountant(name).plan_summary()
    assert plan.lattice == rational_gcd(list(cells))
    assert plan.total_rho == total(cells)
    assert plan.cells == sum(cells.values())
    assert plan.distinct_rhos == len(cells)
    assert 1 <= plan.survivors_half <= plan.survivors <= plan.nodes
    assert (
        2 * plan.survivors_half - 2 <= plan.survivors <= 2 * plan.survivors_half
    )  # node 0 may count once or not be
    parts = (plan.truncation_bound, plan.sieve_bound, plan.rounding_bound)
    assert all(part >= 0 for part in parts)
    assert sum(map(F, parts)) <= F(plan.total_bound) <= F(1, 10**35)


def test_plan_of_the_pair_without_bypass() -> None:
    plan = accountant("no bypass").plan_summary()
    assert plan.lattice == F(1, 10_000)
    assert 500_000 < plan.nodes < 2_000_000
    assert plan.survivors <= 203


@pytest.mark.parametrize("name", ["no bypass", "one deep bypass", "heavy, two paths"])
def test_survivors_are_neither_missing_nor_wasted(name: str) -> None:
    """At least those with phi above 1e-23, at most those above 1e-50, both counted by a scan of all nodes."""
    survivors = accountant(name).plan_summary().survivors_half
    assert len(ArbTail(cells_of(name), digits=23).survivors) <= survivors
    assert survivors <= len(ArbTail(cells_of(name), digits=50).survivors)


@pytest.mark.parametrize("eps", [F(0), F(5), F(49, 2)], ids=str)
def test_these_tests_would_notice_a_small_error(eps: Fraction) -> None:
    """The right answer passes; moved by 1e-34, or by 1e-11 relatively, or with lazy bounds, it does not."""
    [point] = accountant("no bypass").profile([eps])
    truth = reference("no bypass")
    alpha, delta = truth.alpha(eps), truth.delta(eps)
    assert_absolute(point.alpha, alpha)
    assert_relative(point.delta, delta)
    for moved in (moved_by(point.alpha, F(1, 10**34)), moved_by(point.alpha, F(-1, 10**34))):
        with pytest.raises(AssertionError):
            assert_absolute(moved, alpha)
    for relative in (F(1, 10**11), F(-1, 10**11)):
        with pytest.raises(AssertionError):
            assert_relative(moved_by(point.delta, F(point.delta.value) * relative), delta)
        with pytest.raises(AssertionError):
            assert_tail(moved_by(point.alpha, F(point.alpha.value) * relative), alpha)
    lazy = Interval(point.alpha.value, Decimal(0), Decimal(1))
    with pytest.raises(AssertionError):
        assert_absolute(lazy, alpha)
    false = Interval(point.alpha.value, point.alpha.value, point.alpha.value)
    if F(point.alpha.value) != alpha.middle and abs(F(point.alpha.value) - alpha.middle) > alpha.width:
        with pytest.raises(AssertionError):
            assert_absolute(false, alpha)


def moved_by(result: Interval, shift: Fraction) -> Interval:
    """The same certified number, wrong by `shift`."""
    return Interval(
        *(from_fraction(F(part) + shift).value for part in (result.value, result.lower, result.upper))
    )


def test_no_answer_depends_on_what_was_asked_before() -> None:
    fresh = Accountant(Composition.from_counts(cells_of("no bypass")))
    used = accountant("no bypass")
    grid = [F(40), F(0), F(5)]
    together = used.profile(grid)
    assert fresh.profile([F(5)])[0] == together[2]
    assert used.profile([F(0)])[0] == together[1]
    assert fresh.epsilon(F(1, 10**10)) == used.epsilon(F(1, 10**10))
    assert used.profile([]) == []


@pytest.mark.parametrize("share", [F(-1, 10), F(11, 10)], ids=str)
def test_impossible_probabilities_are_refused(share: Fraction) -> None:
    case = accountant("one cell, sigma^2 = 1")
    for name, question in (("delta", case.epsilon), ("alpha", case.tradeoff)):
        with pytest.raises(ValueError, match=name):
            question(share)


@pytest.mark.parametrize("patterns", [("011111", "111111"), ("111111", "111111"), ("000000", "111111")])
def test_the_heaviest_pairs_of_dhc_persons_reach_1e_35(patterns: tuple[str, str]) -> None:
    summary = Accountant(Composition.from_counts(pair_cells(*patterns))).plan_summary()
    assert summary.reaches_tolerance
    assert summary.total_bound <= 1e-35


@pytest.mark.parametrize("rho", [F(4001), F(29_999), F(10**7), F(10**30)])
def test_curves_of_cells_whose_tilted_sums_vanish_are_refused(rho: Fraction) -> None:
    """exp(-rho / 8) underflows: a profile was off by e^114958 with a bound of 2e-10."""
    with pytest.raises(Refused, match="rho is above 4000"):
        Accountant(Composition.from_counts({rho: 1})).log_profile(np.array([1.0]))


@pytest.mark.parametrize("rho", [F(4001), F(29_999), F(10**7)])
@pytest.mark.parametrize("below", [F(1, 10), F(3)])
def test_single_questions_about_such_cells_are_answered(rho: Fraction, below: Fraction) -> None:
    """delta(eps) = 1 - e^(eps - rho / 2) but for terms of about e^(-rho / 2)."""
    [point] = Accountant(Composition.from_counts({rho: 1})).profile([rho / 2 - below])
    with mpmath.workdps(60):
        exact = -mpmath.expm1(-mpmath.mpf(below.numerator) / below.denominator)
        assert abs(mpmath.mpf(str(point.delta.value)) - exact) < mpmath.mpf("1e-40")
    assert point.delta.width < 1e-40


@pytest.mark.parametrize("rho", [F(800), F(1000), F(3000), F(4000)])
def test_eps_of_one_narrow_cell_is_its_only_step(rho: Fraction) -> None:
    """T is rho / 2 but with probability e^(-rho / 2): delta(eps) = 1 - e^(eps - rho / 2) to 100 digits."""
    delta = F(1, 10**6)
    answer = Accountant(Composition.from_counts({rho: 1})).epsilon(delta)
    exact = rho / 2 + F(math.log1p(-1e-6))
    assert F(answer.lower) - F(1, 10**9) <= exact <= F(answer.upper) + F(1, 10**9)
    assert F(answer.width) <= F(1, 10**6)
