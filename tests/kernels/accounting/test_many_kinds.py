"""Compositions of hundreds and thousands of distinct rhos: answered within seconds, or refused at once."""

from fractions import Fraction as F

import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.mixture import MOST_COST, cheapest, narrowest
from kernels.accounting.tiers import MOST_KINDS
from kernels.errors import Refused
from kernels.numerics.nodes import lattice
from tests.reference.checks import assert_encloses
from tests.reference.convolution import ConvolutionTail


def kinds(many: int, step: F) -> dict[F, int]:
    """`many` distinct rhos, step apart, one cell each."""
    return {step * k: 1 for k in range(1, many + 1)}


def test_coordinates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reduction of a basis takes time with a high power of its dimension: minutes for 1,500 rhos."""
    assert len(lattice.choose_factors([1e6] * 5_000, 80.0)) == lattice._MOST_CHOSEN
    monkeypatch.setattr(lattice, "_MOST_CHOSEN", 8)
    cells = kinds(40, F(1, 40))
    truth, case = ConvolutionTail(cells, bits=900), Accountant(Composition.from_counts(cells))
    assert case.tiers.absolute_bound <= 1e-35
    for eps in (F(0), F(20), F(301, 10)):
        [point] = case.profile([eps])
        for found in ("delta", "alpha", "power"):
            assert_encloses(getattr(point, found), getattr(truth, found)(eps))


@pytest.mark.parametrize("many", [400, MOST_KINDS])
def test_very_many_lumps_are_not_all_taken_out(many: int) -> None:
    """Their values together are more than a double can count."""
    composition = Composition.from_counts(kinds(many, F(1, 10)))
    for taken in (narrowest, cheapest):
        found = taken(composition, MOST_COST)
        assert found is None or (found.cost <= MOST_COST and len(found.kinds) < 50)


def test_too_many_kinds_are_refused() -> None:
    many = MOST_KINDS + 1
    with pytest.raises(Refused, match=f"{many} distinct rhos; allowed: {many - 1}"):
        Accountant(Composition.from_counts(kinds(many, F(1, 1000))))


def test_values_too_many_to_look_at_are_not_listed() -> None:
    """An array of all values of a very wide cell took gigabytes, or was refused with a message of numpy's."""
    for rho in (F(1, 10**18), F(1, 10**30)):
        composition = Composition.from_counts({rho: 3, rho * F(7, 10**6 + 3): 5})
        assert cheapest(composition, MOST_COST) is None
    composition = Composition.from_counts({F(1, 10**18): 3, F(7, 10**24): 5})
    [point] = Accountant(composition).profile([F(0)])
    assert 0 <= point.delta.lower <= point.delta.upper < 1e-8
