"""What attackers can do, against the reference trade-off functions and Bayes' rule in exact arithmetic."""

from decimal import Decimal
from fractions import Fraction as F

import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.attack import doubt, exceeded, largest_factor, odds_factor, posterior
from kernels.accounting.composition import Composition
from kernels.accounting.settings import Settings
from kernels.intervals.interval import INFINITE, Interval, from_fraction
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, enclosure, precision
from tests.reference.checks import assert_encloses
from tests.reference.tradeoff import tradeoff
from workflow.census.compute import compute
from workflow.census.plan import CurveTask
from workflow.results.attack import AttackRow, StoredAttack
from workflow.results.curves import Identity, StoredResult

CELLS = {F(2, 7): 3, F(3, 11): 2, F(1, 2): 4}
COMPOSITION = Composition.from_counts(CELLS)
TRUTH = ArbTail(CELLS)
SETTINGS = Settings(thresholds=301, eps_points=16)


def encloses(number: Interval, truth: F, slack: F = F(1, 10**30)) -> bool:
    return F(number.lower) - slack <= truth <= F(number.upper) + slack


@pytest.fixture(scope="module")
def accountant() -> Accountant:
    return Accountant(COMPOSITION)


@pytest.fixture(scope="module")
def result() -> StoredResult:
    return compute(CurveTask(Identity("pair", "00", "01"), COMPOSITION, SETTINGS, "key", 0.0))


@pytest.mark.parametrize("alpha", [F(1, 100), F(1, 20), F(1, 10), F(1, 3)])
def test_odds_and_posterior_follow_from_the_trade_off(accountant: Accountant, alpha: F) -> None:
    miss = tradeoff(TRUTH, alpha).beta.middle
    factor = odds_factor(alpha, accountant.tradeoff(alpha))
    assert encloses(factor, (1 - miss) / alpha)
    for prior in (F(1, 1000), F(1, 2), F(99, 100)):
        odds = prior / (1 - prior) * (1 - miss) / alpha
        assert encloses(posterior(prior, factor), odds / (1 + odds))


def test_certainties() -> None:
    half = from_fraction(F(1, 2))
    assert odds_factor(F(0), half) == INFINITE
    assert posterior(F(1, 3), INFINITE).lower == 1
    assert [posterior(F(prior), half).value for prior in (0, 1)] == [0, 1]
    assert posterior(F(0), INFINITE).upper == 0
    assert largest_factor(INFINITE) == INFINITE


def test_a_posterior_is_known_nearly_1_and_nearly_0() -> None:
    left = doubt(F(1, 3), from_fraction(F(10**400)))
    assert encloses(left, F(2, 2 + 10**400), F(0))
    assert left.width < Decimal("1e-450")
    small = posterior(F(1, 10**400), from_fraction(F(3)))
    assert encloses(small, F(3, 2 + 10**400), F(0))
    assert small.width < Decimal("1e-450")


def test_a_loss_beyond_eps_is_as_likely_as_it_is(accountant: Accountant) -> None:
    eps = accountant.epsilon(F(1, 10**6))
    found = exceeded(accountant.profile, eps)
    assert F(found.lower) <= TRUTH.power(F(eps.lower)).upper
    assert F(found.upper) >= TRUTH.power(F(eps.upper)).lower
    assert found.upper - found.lower < Decimal("1e-9") * found.upper
    with precision(200):
        power = enclosure(ball(F(eps.value)).exp())
    assert encloses(largest_factor(eps), power.middle)
    assert exceeded(accountant.profile, INFINITE).upper == 0


def test_stored_results_say_the_same_within_their_spacing(
    accountant: Accountant, result: StoredResult
) -> None:
    stored = StoredAttack(result)
    exact = accountant.profile([F(0)])[0].delta
    assert stored.advantage.lower <= exact.value <= stored.advantage.upper
    assert stored.advantage.width < Decimal("1e-11")
    for alpha in (F(0), F(1, 10**20), F(1, 100), F(1, 20), F(1, 10), F(1, 2), F(999, 1000), F(1)):
        miss = stored.miss_rate(alpha)
        assert_encloses(miss, accountant.tradeoff(alpha))
        assert miss.upper - miss.lower < Decimal("0.01")
    for delta, row in zip(result.deltas, result.epsilon.tolist(), strict=True):
        eps = Interval(*map(Decimal, row))
        near, truth = stored.exceeded(eps), exceeded(accountant.profile, accountant.epsilon(delta))
        assert_encloses(near, truth)
        assert near.upper < 1
    assert stored.exceeded(from_fraction(F(10**6))).lower == 0
    assert stored.exceeded(from_fraction(F(-(10**6)))).upper == 1
    assert stored.exceeded(INFINITE).upper < Decimal("1e-28")


def test_the_table_is_rounded_to_the_safe_side(accountant: Accountant, result: StoredResult) -> None:
    rows = [row.texts() for row in AttackRow.rows_of(result, {"00": "M00", "01": "M01"})]
    assert [row["alpha"] for row in rows] == ["0.01", "0.05", "0.1"]
    for row in rows:
        truth = accountant.tradeoff(F(row["alpha"]))
        assert Decimal(row["miss_rate"]) == Decimal(row["miss_rate_lower"]) <= truth.value
        assert Decimal(row["miss_rate_upper"]) >= truth.value
        factor = odds_factor(F(row["alpha"]), truth)
        assert Decimal(row["odds_factor"]) == Decimal(row["odds_factor_upper"]) >= factor.value
        assert Decimal(row["odds_factor_lower"]) <= factor.value
        assert Decimal(row["advantage_lower"]) <= TRUTH.delta(F(0)).upper <= Decimal(row["advantage"])
