"""Tails and delta against references that share no code with the kernels."""

import json
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F

import pytest

from tests.kernels.accounting.cases import (
    LUMPY,
    MANY,
    PAIRS,
    SMALL,
    accountant,
    arb_reference,
    assert_exact,
    cells_of,
    convolution_reference,
    reference,
)
from tests.paths import DATA
from tests.reference.cells import Enclosure, total
from tests.reference.checks import (
    ABSOLUTE,
    RELATIVE,
    assert_absolute,
    assert_encloses,
    assert_relative,
    assert_relative_ball,
    assert_tail,
)
from tests.reference.small import PUBLISHED, single_cell


def eps_grid(name: str) -> list[Fraction]:
    """Points over the whole curve, unsorted, on a lattice point (R/2 always is one) and just beside it."""
    cells = cells_of(name)
    middle, spread = total(cells) / 2, F(int(1000 * float(total(cells)) ** 0.5) + 1, 1000)
    around = [middle + spread * k for k in (4, -1, F(1, 3), -3, 1, 7, 11)]
    beside = reference(name).step / 10**6
    return [F(0), *around, middle, middle + beside, middle - beside, -middle]


def as_printed(text: str, accuracy: Fraction) -> Enclosure:
    """What a rounded figure says: within half a unit of its last digit, or within the absolute accuracy."""
    figure = Decimal(text)
    half_unit = F(5) * F(10) ** (figure.as_tuple().exponent - 1) if figure else F(0)
    spread = max(half_unit, accuracy)
    return Enclosure(max(F(text) - spread, F(0)), F(text) + spread)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_published_row(number: int) -> None:
    published = json.loads((DATA / "reference" / f"census-{number}.json").read_text())
    name = next(name for name, pair in PAIRS.items() if list(pair) == published["patterns"])
    rows = published["rows"]
    accuracy = F(published["absolute_accuracy_of_tails"])
    for row, point in zip(rows, accountant(name).profile([F(row["eps"]) for row in rows]), strict=True):
        assert point.eps == F(row["eps"])
        for result, key in ((point.alpha, "P(T>eps)"), (point.power, "Q(T>eps)")):
            assert_absolute(result, as_printed(row[key], accuracy))
        if row["delta"] is not None:
            assert_relative(point.delta, as_printed(row["delta"], accuracy))


@pytest.mark.parametrize("name", [*PAIRS, *SMALL, *MANY])
def test_tails_and_delta_over_the_whole_curve(name: str) -> None:
    grid = eps_grid(name)
    truth, sharp = reference(name), LUMPY.get(name, RELATIVE)
    for eps, point in zip(grid, accountant(name).profile(grid), strict=True):
        assert point.eps == eps
        assert_exact(point, truth)
        for found, tail in ((point.alpha, truth.alpha(eps)), (point.power, truth.power(eps))):
            if tail.width < tail.lower / 10**14:
                assert_tail(found, tail, sharp)


@pytest.mark.parametrize("name", ["heavy, one path", "heavy, two paths"])
def test_heavily_bypassed_pairs_against_ball_arithmetic(name: str) -> None:
    truth = arb_reference(name, 37)
    for point in accountant(name).profile([F(0), F(5), F(49, 2)]):
        assert_exact(point, truth)


@pytest.mark.parametrize(
    ("name", "eps", "digits", "exponent"),
    [
        ("no bypass", F(72), 160, -101),
        ("no bypass", F(122), 390, -303),
        ("one deep bypass", F(72), 160, -101),
        ("200 cells of 50 kinds", F(50), 200, None),
    ],
)
def test_far_tails_of_large_compositions(name: str, eps: Fraction, digits: int, exponent: int | None) -> None:
    truth = arb_reference(name, digits)
    [point] = accountant(name).profile([eps])
    assert exponent is None or point.delta.value.adjusted() == exponent
    assert_relative(point.delta, truth.delta(eps))
    assert_relative(point.power, truth.power(eps))
    assert_encloses(point.alpha, truth.alpha(eps))


@pytest.mark.parametrize(
    ("name", "eps", "bits", "decades"),
    [
        ("one cell, sigma^2 = 1", F(115), 11_500, (-2900, -2860)),
        ("three lattices", F(33), 1800, (-420, -100)),
        ("level State", F(61), 1400, (-310, -290)),
        ("level State", F(190), 11_000, (-3000, -2960)),
        ("level Block", F(6), 1400, (-365, -350)),
        ("heavy, one path", F(122), 1700, (-310, -295)),
        ("200 cells, R = 10000", F(5000), 8000, (-12, 0)),
        ("200 cells, R = 10000", F(7000), 13_000, (-420, -390)),
        ("sigma^2 = 1/6 and 1/5", F(300), 9000, (-3000, -300)),
    ],
)
def test_far_tails_against_integer_products(
    name: str, eps: Fraction, bits: int, decades: tuple[int, int]
) -> None:
    truth = convolution_reference(name, bits)
    [point] = accountant(name).profile([eps])
    assert decades[0] <= point.delta.value.adjusted() <= decades[1]
    for tail in ("delta", "power", "alpha"):
        assert_relative(getattr(point, tail), getattr(truth, tail)(eps))


@pytest.mark.parametrize("eps", [F(709), F(710), F(5000)], ids=str)
def test_one_cell_beyond_the_range_of_a_double(eps: Fraction) -> None:
    truth = single_cell(F(1), eps)
    [point] = accountant("one cell, sigma^2 = 1").profile([eps])
    assert_relative_ball(point.delta, truth.delta)
    assert_relative_ball(point.power, truth.power)
    assert_relative_ball(point.alpha, truth.alpha)


@pytest.mark.parametrize("eps", [F(709), F(710), F(5000)], ids=str)
def test_a_census_pair_beyond_the_range_of_a_double(eps: Fraction) -> None:
    [point] = accountant("no bypass").profile([eps])
    for result in (point.delta, point.power, point.alpha):
        assert 0 <= result.lower <= result.value <= result.upper
    # delta <= exp(-(eps - rho)^2 / (4 rho)), rho = R / 2, in decades
    rho = float(total(cells_of("no bypass")) / 2)
    decades = -((float(eps) - rho) ** 2) / (4 * rho) * 0.4342944819
    assert point.delta.upper <= Decimal(10) ** int(decades)
    assert point.delta.value.adjusted() >= 1.01 * decades - 10
    assert point.alpha.upper <= point.delta.upper * 10


@pytest.mark.parametrize("eps", [F(709), F(710), F(5000)], ids=str)
@pytest.mark.parametrize("name", ["no bypass", "one cell, sigma^2 = 1/100", "200 cells, R = 10000"])
def test_far_to_the_left_everything_is_above_eps(name: str, eps: Fraction) -> None:
    truth = convolution_reference(name, 420) if name != "no bypass" else reference(name)
    [point] = accountant(name).profile([-eps])
    assert_exact(point, truth)
    assert_relative(point.delta, truth.delta(-eps))


@pytest.mark.parametrize("count", PUBLISHED)
def test_published_small_cases(count: int) -> None:
    case = accountant("one cell, sigma^2 = 1" if count == 1 else "two cells, sigma^2 = 1")
    at_zero, at_one, eps = PUBLISHED[count]
    zero, one = case.profile([F(0), F(1)])
    assert abs(float(zero.delta.value) - at_zero) < 1e-14
    assert abs(float(one.delta.value) - at_one) < 1e-14
    assert abs(float(case.epsilon(F(1, 10**10)).value) - eps) < 1e-13


def test_bounds_are_as_narrow_as_promised_in_the_middle_of_the_curve() -> None:
    [point] = accountant("no bypass").profile([F(5)])
    for tail in (point.alpha, point.power):
        assert 0 < F(tail.upper) - F(tail.lower) <= 2 * ABSOLUTE
