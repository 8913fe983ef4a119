"""The accountant for dp-accounting, where that is installed: its own test suite, and our references."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import pytest

from tests.reference.cells import Cells
from tests.reference.convolution import ConvolutionTail

dp_accounting = pytest.importorskip("dp_accounting")
suite = pytest.importorskip("dp_accounting.privacy_accountant_test")
adapter = pytest.importorskip("exact_census.dp_accounting")
event = dp_accounting.dp_event
Accountant, Noise = adapter.ExactAccountant, adapter.DiscreteGaussianDpEvent
RELATIONS = list(dp_accounting.privacy_accountant.NeighboringRelation)


class TestTheSuiteOfDpAccounting(suite.PrivacyAccountantTest):  # type: ignore[misc, name-defined]
    def _make_test_accountants(self) -> list[Any]:
        return [Accountant(relation) for relation in RELATIONS] + [Accountant(denominator=10)]


THRICE = event.SelfComposedDpEvent(event.ComposedDpEvent([Noise(2.0), Noise(4.0)]), 3)
EVENTS: dict[str, tuple[Any, Cells]] = {
    "one cell": (Noise(2.0), {F(1, 4): 1}),
    "a record replaced": (Noise(2.5, math.sqrt(2)), {F(4, 25): 2}),
    "three changes": (Noise(2.0, math.sqrt(3)), {F(1, 4): 3}),
    "of one coordinate": (Noise(2.0, math.sqrt(3), 1), {F(1, 4): 1}),
    "repeated": (event.SelfComposedDpEvent(Noise(3.0), 7), {F(1, 9): 7}),
    "composed": (event.ComposedDpEvent([Noise(2.0), THRICE]), {F(1, 4): 4, F(1, 16): 3}),
    "a double": (Noise(0.1), {1 / F(0.1) ** 2: 1}),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_its_cells(name: str) -> None:
    given, cells = EVENTS[name]
    accountant = Accountant()
    assert accountant.supports(given)
    truth = ConvolutionTail(cells, bits=420)
    eps = accountant.compose(given).get_epsilon(1e-6)
    assert truth.delta(F(eps)).lower <= F(1e-6) <= truth.delta(F(eps) * (1 - F(1, 10**12))).upper
    for at in (0.0, 0.5, 3.0, -1.0):
        delta, exact = accountant.get_delta(at), truth.delta(F(at))
        assert exact.lower <= F(delta) <= exact.upper * (1 + F(1, 10**12)) + F(5e-324)
    assert accountant.get_delta(math.inf) == 0.0


def test_it_is_tighter_than_their_own_and_not_below_it() -> None:
    """Their privacy loss distribution on a grid bounds the same mechanism from above."""
    distribution = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    theirs = distribution.from_discrete_gaussian_mechanism(3.0, value_discretization_interval=1e-3)
    ours = Accountant().compose(Noise(3.0), 20)
    for eps in (0.5, 2.0, 5.0):
        bound = theirs.self_compose(20).get_delta_for_epsilon(eps)
        assert 0.9 * bound < ours.get_delta(eps) <= bound
    zcdp = dp_accounting.rdp.RdpAccountant().compose(event.ZCDpEvent(1 / 18), 20)
    assert ours.get_epsilon(1e-9) < zcdp.get_epsilon(1e-9)


def test_a_denominator_reads_rounded_roots_as_the_rhos_meant() -> None:
    accountant = Accountant(denominator=100)
    for rho in (10, 14, 35):
        accountant.compose(Noise(math.sqrt(100 / rho)), 4)
    truth = ConvolutionTail({F(rho, 100): 4 for rho in (10, 14, 35)}, bits=420)
    assert F(accountant.get_delta(2.0)) == pytest.approx(truth.delta(F(2)).middle, rel=1e-14)
    assert not accountant.supports(Noise(math.pi))


REFUSED = [
    *(Noise(1.0, sensitivity) for sensitivity in (2.0, 0.5, math.nextafter(2.0, 0.0), math.nan)),
    *(Noise(sigma) for sigma in (-1.0, math.nan, math.inf)),
    *(Noise(1.0, 1.0, 0), event.GaussianDpEvent(1.0), event.PoissonSampledDpEvent(0.5, Noise(1.0))),
]


@pytest.mark.parametrize("given", REFUSED)
def test_what_is_not_covered_is_refused(given: Any) -> None:
    accountant = Accountant()
    assert not accountant.supports(given)
    with pytest.raises(dp_accounting.privacy_accountant.UnsupportedEventError, match="caused by subevent"):
        accountant.compose(event.ComposedDpEvent([Noise(1.0), given]))
    assert accountant.get_epsilon(1e-6) == 0.0


def test_no_noise_and_no_change() -> None:
    assert Accountant().compose(Noise(0.0)).get_epsilon(0.5) == math.inf
    assert Accountant().compose(Noise(0.0, 0.0)).get_delta(0.0) == 0.0
    assert Accountant().get_delta(-1.0) == pytest.approx(1 - math.exp(-1))
