"""The trade-off function where it is hard to find: fine lattices, staircases, at vertices, at its ends."""

from fractions import Fraction
from fractions import Fraction as F
from functools import cache

import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.profile_point import ProfilePoint
from kernels.accounting.tradeoff.search import type_two_error
from kernels.numerics.nodes import plan as sieve
from tests.kernels.accounting.cases import LONG, NEARLY_EQUAL
from tests.reference.cells import Cells, rational_gcd, total
from tests.reference.checks import ABSOLUTE, assert_encloses, assert_within
from tests.reference.convolution import ConvolutionTail
from tests.reference.tradeoff import tradeoff

STAIRCASES: dict[str, Cells] = {
    "two 40-digit denominators": LONG,
    "nearly equal": NEARLY_EQUAL,
    "one narrow cell": {F(8): 1, F(1, 100): 10},
    "one cell": {F(1): 1},
    "few steps": {F(1): 2, F(1, 3): 1},
}
FINE: dict[str, Cells] = {
    "355/113 beside 22/7": {F(355, 1130): 4, F(22, 70): 4, F(271828, 1000003): 3},
    "thirds, sevenths and one alone": {F(1, 3): 5, F(2, 7): 3, F(123457, 1000003): 1},
}
ALPHAS = [F(1, 3), F(1, 100), F(999, 1000), F(1, 10**12)]


@cache
def reference(name: str, bits: int) -> ConvolutionTail:
    return ConvolutionTail((STAIRCASES | FINE)[name], bits=bits)


@cache
def accountant(name: str) -> Accountant:
    return Accountant(Composition.from_counts(STAIRCASES[name]))


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize("name", STAIRCASES)
def test_staircases_are_followed_to_the_tails_errors(name: str, alpha: Fraction) -> None:
    truth = tradeoff(reference(name, 300), alpha)
    assert_within(accountant(name).tradeoff(alpha), truth.beta, 2 * ABSOLUTE * (1 + truth.slope))


@pytest.mark.parametrize("name", FINE)
def test_on_fine_lattices_delta_tells_more_than_tails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer nodes, so that it is quick; no cells are taken out."""
    monkeypatch.setattr(sieve, "MOST_ANGLES", 400_000)
    case = Accountant(Composition.from_counts(FINE[name]), effort=0.0)
    bound = F(case.tiers.absolute_bound)
    assert bound > F(1, 10**6)
    for alpha in ALPHAS:
        truth = tradeoff(reference(name, 160), alpha)
        found = case.tradeoff(alpha)
        assert_encloses(found, truth.beta)
        assert F(found.width) <= bound / 100


@pytest.mark.parametrize("eps", [F(0), F(2), F(-3), F(13, 2)], ids=str)
@pytest.mark.parametrize("name", ["one cell", "few steps", "one narrow cell"])
@pytest.mark.parametrize("beside", [F(0), F(1, 10**34), F(-1, 10**34), F(1, 10**40)], ids=float)
def test_at_and_beside_a_vertex(name: str, eps: Fraction, beside: Fraction) -> None:
    tails = reference(name, 400)
    alpha = F(round(tails.alpha(eps).middle * 10**60), 10**60) + beside
    truth = tradeoff(tails, alpha)
    assert_within(accountant(name).tradeoff(alpha), truth.beta, 2 * ABSOLUTE * (1 + truth.slope))


@pytest.mark.parametrize("name", STAIRCASES)
def test_near_the_ends(name: str) -> None:
    case, tiny = accountant(name), F(1, 10**300)
    assert case.tradeoff(F(0)).lower == case.tradeoff(F(0)).upper == 1
    assert case.tradeoff(F(1)).lower == case.tradeoff(F(1)).upper == 0
    near_one, near_zero = case.tradeoff(tiny), case.tradeoff(1 - tiny)
    assert 1 - F(1, 10**50) <= F(near_one.lower) <= F(near_one.upper) <= 1 + F(1, 10**59)
    assert 0 <= F(near_zero.lower) <= F(near_zero.upper) <= tiny


def test_a_far_tail_is_right_relatively() -> None:
    cells, alpha = {F(1, 10): 5, F(1, 3): 2}, 1 - F(1, 10**60)
    truth = tradeoff(ConvolutionTail(cells, bits=900), alpha).beta
    found = Accountant(Composition.from_counts(cells)).tradeoff(alpha)
    assert truth.width < truth.lower / 10**20
    assert_encloses(found, truth)
    assert F(found.width) <= F(found.lower) / 10**11


def test_many_alphas_of_one_staircase_are_convex() -> None:
    case = accountant("two 40-digit denominators")
    beta = [case.tradeoff(F(k, 12)) for k in range(1, 12)]
    for before, here, after in zip(beta, beta[1:], beta[2:], strict=False):
        assert 2 * F(here.lower) <= F(before.upper) + F(after.upper)
        assert here.lower <= before.upper


@pytest.mark.parametrize("name", STAIRCASES)
def test_few_points_are_asked_for(name: str) -> None:
    """A point costs up to half a second where the lattice is fine."""
    case, asked = accountant(name), []
    cells = STAIRCASES[name]

    def profile(eps: list[Fraction]) -> list[ProfilePoint]:
        asked.extend(eps)
        return case.profile(eps)

    for alpha in ALPHAS:
        type_two_error(profile, rational_gcd(list(cells)), total(cells), alpha)
    assert len(asked) <= 20 * len(ALPHAS)
