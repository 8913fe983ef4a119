"""How the report prints numbers: always to the safe side."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow import numbers
from workflow.pages.findings import Spread
from workflow.pages.heat_map import COLOURS, Scale

DECIMALS = st.decimals(min_value=0, max_value=5000, allow_nan=False, places=15)


@given(DECIMALS, st.integers(0, 12))
def test_printed_eps_is_never_below_and_printed_reduction_never_above(value: Decimal, places: int) -> None:
    step = Decimal(1).scaleb(-places)
    assert value <= Decimal(numbers.round_up(value, places)) < value + step
    assert value - step < Decimal(numbers.round_down(value, places)) <= value


WRITTEN = [
    (numbers.percent_down(Decimal("0.248299999"), 2), "24.82\u00a0%"),
    (numbers.percent_down(Decimal("0.1"), 1), "10.0\u00a0%"),
    (numbers.percent_down(Decimal("1E-9"), 2), "0.00\u00a0%"),
    (numbers.round_up(Decimal("Infinity"), 2), "∞"),
    (numbers.delta_text(Fraction("1e-10")), "10⁻¹⁰"),
    (numbers.delta_text(Fraction("1e-3000")), "10⁻³⁰⁰⁰"),
    (numbers.delta_text(Fraction("2.5e-7")), "2.5\u00a0×\u00a010⁻⁷"),
    (numbers.delta_text(Fraction("1/20")), "0.05"),
    (numbers.delta_text(Fraction("1/3")), "1/3"),
    (numbers.rational_text(Fraction("24811/5000")), "4.9622"),
    (numbers.rational_text(Fraction("3")), "3"),
    (numbers.rational_text(Fraction("293764/114921")), "293764/114921 ≈ 2.55623"),
    (numbers.rational_text(Fraction("1/8")), "0.125"),
    (numbers.scientific_up(Decimal("3.01e-36")), "3.1\u00a0×\u00a010⁻³⁶"),
    (numbers.scientific_up(Decimal("9.91e-36")), "1.0\u00a0×\u00a010⁻³⁵"),
    (numbers.scientific_up(Decimal("0")), "0"),
    (numbers.integer_text(1_092_345), "1,092,345"),
    (numbers.integer_text(7 * 10**15), "7.00\u00a0×\u00a010¹⁵"),
]


@pytest.mark.parametrize(("written", "text"), WRITTEN)
def test_numbers_read_as_a_reader_expects_them(written: str, text: str) -> None:
    assert written == text


def test_the_colours_of_the_heat_map_tell_sign_and_decade() -> None:
    scale = Scale.fitting(Decimal("3.5e-6"), Decimal("1e-12"))
    assert scale.bottom == -11
    classes = [scale.colour(Decimal(text)) for text in ("0", "9e-12", "1e-11", "2e-10", "-3.5e-6", "9.99e-6")]
    assert classes == [0, 0, 1, 2, -6, 6]
    assert scale.meaning(-1) == "−10⁻¹¹ to −10⁻¹⁰"
    assert len(set(COLOURS)) == 13


def test_equal_pairs_and_differences_within_the_uncertainty_have_no_colour() -> None:
    assert Scale.fitting(Decimal(0), Decimal(0)).colour(Decimal(0)) == 0
    scale = Scale.fitting(Decimal("3e-11"), Decimal("2e-12"))
    assert [scale.colour(Decimal(text)) for text in ("9e-12", "3e-11", "-3e-11")] == [0, 1, -1]


def test_the_median_of_a_spread_occurs_among_the_values() -> None:
    assert Spread.of([5, 1, 4, 2]).values() == (1, 4, 5)
