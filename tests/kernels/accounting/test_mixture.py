"""Cells taken out: sharp between the lumps of narrow ones, the same as all cells together, and in time."""

from fractions import Fraction
from fractions import Fraction as F

import pytest

from kernels.accounting import mixture, plan_summary
from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.mixture import MOST_COST, cheapest, narrowest
from kernels.accounting.profile_point import ProfilePoint
from kernels.accounting.tiers import MOST_KINDS
from kernels.errors import Refused
from kernels.numerics.nodes import lattice
from tests.kernels.accounting.cases import LUMPY, NEARLY_EQUAL, assert_holds, cells_of
from tests.reference.cells import Cells, total
from tests.reference.convolution import ConvolutionTail

NARROW: dict[str, Cells] = {
    "three kinds": {F(20): 3, F(7): 2, F(3, 10): 4},
    "one narrow cell": {F(8): 1, F(1, 100): 10},
    "not lumpy": {F(1): 4, F(1, 8): 10},
    "three lumpy kinds": {F(100): 4, F(123, 2): 1, F(60): 5, F(1, 8): 4},
}
DELTAS = [F(1, 10), F(1, 10**6), F(1, 10**18)]


def made(cells: Cells, effort: float = MOST_COST) -> Accountant:
    return Accountant(Composition.from_counts(cells), effort=effort)


def disjoint(one: ProfilePoint, other: ProfilePoint) -> list[str]:
    pairs = ((name, getattr(one, name), getattr(other, name)) for name in ("delta", "alpha", "power"))
    return [name for name, a, b in pairs if a.lower > b.upper or b.lower > a.upper]


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("eps", [F(0), F(7, 2), F(45), F(-3), F(80), F(709)])
def test_profile_is_that_of_all_cells_together(name: str, eps: Fraction) -> None:
    [together], [apart] = (made(NARROW[name], effort).profile([eps]) for effort in (0.0, MOST_COST))
    assert not disjoint(together, apart)
    assert apart.is_sharp


@pytest.mark.parametrize("name", NARROW)
def test_profile_and_tradeoff_against_polynomial_products(name: str) -> None:
    truth, case = ConvolutionTail(NARROW[name], bits=900), made(NARROW[name])
    for eps in (F(1), F(20), F(301, 10)):
        [point] = case.profile([eps])
        assert_holds(point, truth)
        assert max(point.alpha.width, point.power.width) <= F(2, 10**35)
        assert point.is_sharp


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("name", [*LUMPY, "three kinds"])
def test_eps_and_reduction_are_sharp(name: str, delta: Fraction) -> None:
    """Between the lumps the intervals were as wide as the answer when only tilting served them."""
    case = made(NARROW[name] if name in NARROW else cells_of(name))
    eps, found = case.epsilon(delta), case.reduction(delta)
    assert F(eps.width) <= F(eps.value) / 10**13
    assert F(found.scale.width) <= F(1, 10**12)
    for scale, eps_zcdp, side in (
        (found.scale.lower, found.eps_zcdp.upper, -1),
        (found.scale.upper, found.eps_zcdp.lower, 1),
    ):
        scaled = made({rho * F(scale): n for rho, n in case.composition.cells})
        [point] = scaled.profile([F(eps_zcdp)])
        assert side * (F(point.delta.value) - delta) >= 0


FINE: dict[str, Cells] = {
    "nearly equal": NEARLY_EQUAL,
    "two of three nearly equal": {F(1, 5): 6, F(1, 5) * (1 + F(3, 10**7)): 6, F(1, 7): 3},
}


@pytest.mark.parametrize("name", FINE)
def test_tails_on_lattices_too_fine_to_plan_are_sharp(name: str) -> None:
    """Together their nodes are too many for 1e-35, but without one kind the others are few."""
    case = made(FINE[name])
    [point] = case.profile([F(3)])
    assert case.tiers.absolute_bound > 1e-8
    assert max(point.alpha.width, point.power.width) <= F(3, 10**35)
    assert point.is_sharp


def test_tradeoff_of_nearly_equal_rhos_is_sharp() -> None:
    assert made(FINE["nearly equal"]).tradeoff(F(1, 3)).width <= F(1, 10**34)


def test_nearly_equal_rhos_are_almost_one_rho() -> None:
    """delta moves with the rhos by less than their relative distance times the number of cells."""
    close, equal = (made(cells).profile([F(3)])[0].delta for cells in (FINE["nearly equal"], {F(1, 2): 20}))
    assert 0 < abs(F(close.value) / F(equal.value) - 1) < F(1, 10**8)


VERY_NARROW: Cells = {F(10) ** 30: 1, F(1): 2}


@pytest.mark.parametrize("cells", [NARROW["three kinds"], VERY_NARROW], ids=["three kinds", "no noise"])
@pytest.mark.parametrize("eps", [-(F(10) ** 33), -(F(10) ** 200)])
def test_far_below_zero_nothing_is_searched_for(cells: Cells, eps: Fraction) -> None:
    """Where 1 - delta is below any decimal, too."""
    [point] = made(cells).profile([eps])
    for found in (point.delta, point.alpha, point.power):
        assert 0 < 1 - F(found.lower) <= F(1, 10**59)
        assert found.upper == 1


def test_beside_a_cell_without_noise_the_rest_is_asked_for_far_below_zero() -> None:
    [point] = made(VERY_NARROW).profile([F(3)])
    assert 1 - F(point.delta.lower) <= F(1, 10**40)
    assert point.alpha.upper <= F(1, 10**300)


@pytest.mark.parametrize("eps", [F(390), F(450)])
def test_where_too_many_terms_matter_the_first_ones_are_bounds(
    monkeypatch: pytest.MonkeyPatch, eps: Fraction
) -> None:
    """The truth is still enclosed, and longer laws are not made again and again: they would not help."""
    cells, asked = NARROW["three lumpy kinds"], []
    monkeypatch.setattr(mixture, "_FIRST_GAP", 2.0)
    monkeypatch.setattr(mixture, "_MOST_TERMS", 8)
    monkeypatch.setattr(mixture, "_LEAST_TERMS", 8)
    original = mixture.sum_law
    monkeypatch.setattr(mixture, "sum_law", lambda *kind: asked.append(kind) or original(*kind))
    apart = narrowest(Composition.from_counts(cells), MOST_COST)
    assert apart
    assert apart.others
    point = apart.point(Accountant(apart.others).profile, eps, alone=False)
    truth = ConvolutionTail(cells, bits=900)
    assert point
    assert_holds(point, truth)
    assert len(asked) <= 2 * len(apart.kinds)


COMMENSURATE: Cells = {F(30): 2, F(20): 3, F(10): 4, F(5, 4): 3}


@pytest.mark.parametrize("beside", [F(0), F(1, 10**30), -F(1, 10**30)], ids=float)
@pytest.mark.parametrize("lattice_point", [F(425, 8), F(-15, 8), F(-425, 8), F(1045, 8)], ids=float)
def test_at_and_beside_lattice_points_of_kinds_that_fall_together(
    lattice_point: Fraction, beside: Fraction
) -> None:
    """Many combinations of the Ks ask the rest for the same, often exactly where it has an atom."""
    apart, truth = (
        narrowest(Composition.from_counts(COMMENSURATE), MOST_COST),
        ConvolutionTail(COMMENSURATE, 700),
    )
    assert apart
    assert apart.others
    assert ((lattice_point + total(COMMENSURATE) / 2) / F(5, 4)).denominator == 1
    eps = lattice_point + beside
    point = apart.point(Accountant(apart.others).profile, eps, alone=True)
    assert point
    assert point.is_sharp
    assert_holds(point, truth)
    assert max(point.delta.width, point.alpha.width, point.power.width) <= F(2, 10**35)


def test_of_many_kinds_not_every_pair_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism may have 160 kinds, and each try costs a millisecond."""
    cells, tried = {F(1, 1009 + 2 * k * k): 1 for k in range(60)}, []
    original = plan_summary.foreseen
    monkeypatch.setattr(plan_summary, "foreseen", lambda *cells: tried.append(cells) or original(*cells))
    assert cheapest(Composition.from_counts(cells), MOST_COST) is None
    assert len(tried) <= 5 * len(cells)


@pytest.mark.parametrize("cells", [{F(112): 3}, {F(763): 1}])
def test_reduction_where_the_noise_is_too_little_for_any_tilt(cells: Cells) -> None:
    found = made(cells).reduction(F(1, 10**15))
    assert F(found.scale.width) <= F(1, 10**12)
    for scale, side in ((found.scale.lower, -1), (found.scale.upper, 1)):
        [point] = made({rho * F(scale): n for rho, n in cells.items()}).profile([F(found.eps_zcdp.value)])
        assert side * (F(point.delta.value) - F(1, 10**15)) > 0


def kinds(many: int, step: F) -> dict[F, int]:
    """`many` distinct rhos, step apart, one cell each."""
    return {step * k: 1 for k in range(1, many + 1)}


def test_coordinates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reduction of a basis takes time with a high power of its dimension: minutes for 1,500 rhos."""
    assert len(lattice.choose_factors([1e6] * 5_000, 80.0)) == lattice._MOST_CHOSEN
    monkeypatch.setattr(lattice, "_MOST_CHOSEN", 8)
    cells = kinds(40, F(1, 40))
    truth, case = ConvolutionTail(cells, bits=900), made(cells)
    assert case.tiers.absolute_bound <= 1e-35
    for point in case.profile([F(0), F(20), F(301, 10)]):
        assert_holds(point, truth)


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
