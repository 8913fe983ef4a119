"""Numbers from text are exact, and nothing else is a number."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow.input.rational import (
    common_denominator,
    parse_count,
    parse_ratio,
    parse_rational,
    parse_rho,
    shown,
    with_decimals,
    wrong_sum,
)


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**30))
def test_fractions(numerator: int, denominator: int) -> None:
    assert parse_rational(f"{numerator}/{denominator}") == F(numerator, denominator)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_decimals(number) -> None:
    assert parse_rational(str(number)) == F(number)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-10", F(1, 10**10)),
        ("0.1", F(1, 10)),
        (".5", F(1, 2)),
        ("5.", F(5)),
        ("+3E+2", F(300)),
        ("-7/14", F(-1, 2)),
        (" 2 ", F(2)),
        ("1e-4000", F(1, 10**4000)),
    ],
)
def test_forms(text: str, value: F) -> None:
    assert parse_rational(text) == value
    assert str(value)  # short enough for Python to print


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nan",
        "inf",
        "-inf",
        "1_000",
        "1,5",
        "1/2/3",
        "1/ 2",
        "1/-2",
        "0x10",
        "1e",
        "e5",
        "1e1.5",
        "²",
        "٣",
        "--1",
        "1\n",
    ],
)
def test_what_is_not_a_number(text: str) -> None:
    with pytest.raises(ValueError, match="must be an exact number such as"):
        parse_rational(text)


@pytest.mark.parametrize(
    ("text", "hinted"), [("0,1", True), ("-,5e3", True), ("1,000,000", False), ("0,x", False), (",", False)]
)
def test_a_decimal_comma_is_named(text: str, hinted: bool) -> None:
    with pytest.raises(ValueError, match="must be an exact number") as caught:
        parse_rational(text)
    assert str(caught.value).endswith(" (a decimal point, no comma)") == hinted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1/0", "denominator of a fraction must not be 0"),
        ("1e4001", "exponent of a number must lie between -4000 and 4000"),
        ("1e-99999999999999999999", "exponent of a number must lie between"),
        ("1" * 201, "at most 200 characters"),
    ],
)
def test_numbers_out_of_bounds(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_rational(text)


def test_privacy_parameters_and_counts_have_bounds() -> None:
    assert parse_rho("1e-30") == F(1, 10**30)
    for text in ("0", "-1"):
        with pytest.raises(ValueError, match="must be above 0"):
            parse_rho(text)
    for text in ("1e-31", "2e30"):
        with pytest.raises(ValueError, match="must lie between 1e-30 and 1e30"):
            parse_rho(text)
    assert parse_count("007", 1, 10) == 7
    for text in ("0", "11", "-1", "1.0", "1e1", "", "٣", "9" * 500):
        with pytest.raises(ValueError, match="must be a whole number from 1 to 10, in plain digits"):
            parse_count(text, 1, 10)


def test_common_denominators_stop_growing() -> None:
    assert common_denominator([F(1, 4), F(1, 6), F(3)], 10) == 12
    with pytest.raises(ValueError, match="more than 10 digits"):
        common_denominator([F(1, 10**10), F(1, 3)], 10)


def test_long_numbers_are_shown_as_approximations() -> None:
    assert shown(F(9, 10)) == "9/10"
    assert shown(F(10**300 + 1, 10**301)) == "about 0.1"


def test_fractions_are_shown_with_their_decimals() -> None:
    assert with_decimals(F(3)) == "3"
    assert with_decimals(F(21, 10)) == "21/10 (2.1)"
    assert with_decimals(F(1, 3)) == "1/3 (about 0.3333333333333333)"
    assert with_decimals(F(1, 10**12)) == "1/1000000000000 (1E-12)"
    assert with_decimals(F(10**300 + 1, 10**301)) == "about 0.1"


def test_a_wrong_sum_says_by_how_much() -> None:
    more = wrong_sum("the rhos", F(21, 10), F(2))
    assert more == "the rhos add up to 21/10 (2.1), 1/10 (0.1) too much; they must add up to exactly 2"
    less = wrong_sum("the rhos", F(1), F(5, 3))
    assert "add up to 1, 2/3 (about 0.6666666666666667) too little" in less
    assert less.endswith("exactly 5/3 (about 1.666666666666667)")


@pytest.mark.parametrize("number", [F(3), F(-1, 7), F(10**300 + 1, 7**400)])
def test_ratios_of_own_files_are_read_back(number: F) -> None:
    assert parse_ratio(str(number)) == number


@pytest.mark.parametrize("text", ["1e999999999", "1/0", "1/00", "", "1.5", " 1", "1/-2", "١"])
def test_other_ratios_are_refused_at_once(text: str) -> None:
    """1e999999999 has a billion digits: a plan that held it took a quarter of an hour to be refused."""
    with pytest.raises(ValueError, match="digits"):
        parse_ratio(text)
