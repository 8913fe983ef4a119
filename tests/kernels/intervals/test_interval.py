"""Arithmetic of intervals and their text: bounds hold the exact result, and little more."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F

import pytest
from flint import arb, ctx, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernels.intervals.balls import certified, to_decimals
from kernels.intervals.interval import INFINITE, UP, Interval, exponential, from_fraction, from_triple
from kernels.intervals.text import down, nearest, plain, ratio, short, up

SOME = settings(max_examples=150, deadline=None, derandomize=True, database=None)
RATIONALS = st.fractions(-(10**6), 10**6, max_denominator=10**9)


def around(number: F, width: F) -> Interval:
    """An interval that holds a rational, off centre."""
    low, high = from_fraction(number - width), from_fraction(number + 2 * width)
    return Interval(from_fraction(number).value, low.lower, high.upper)


@SOME
@given(RATIONALS, RATIONALS, st.sampled_from([F(0), F(1, 10**20), F(1, 3), F(5)]))
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_operations_hold_the_exact_result(operation: Callable, a: F, b: F, width: F) -> None:
    first, second = around(a, width), around(b, width)
    if operation is operator.truediv and second.lower <= 0:
        with pytest.raises(ValueError, match="may be 0"):
            operation(first, second)
        return
    found, exact = operation(first, second), operation(a, b)
    assert F(found.lower) <= exact <= F(found.upper)
    if width == 0:
        assert F(found.width) <= abs(exact) / 10**55 + F(1, 10**50)


def test_one_minus_an_interval() -> None:
    rest = 1 - around(F(1, 3), F(1, 10))
    assert F(rest.lower) <= F(2, 3) - F(1, 5) <= F(2, 3) <= F(2, 3) + F(1, 10) <= F(rest.upper)


def test_what_is_not_an_enclosure_is_refused() -> None:
    with pytest.raises(ValueError, match="not an enclosure"):
        Interval(Decimal(1), Decimal(2), Decimal(3))


def test_two_enclosures_of_the_same_number() -> None:
    wide, narrow = around(F(1, 3), F(1)), around(F(1, 3), F(1, 10**9))
    both = wide.meet(narrow)
    assert (both.lower, both.upper) == (narrow.lower, narrow.upper)
    with pytest.raises(ValueError, match="contradictory"):
        narrow.meet(around(F(1, 2), F(1, 10**9)))
    assert wide.clipped(Decimal(0), Decimal(1)).floats() == (pytest.approx(1 / 3), 0.0, 1.0)
    assert INFINITE.width == 0


@SOME
@given(st.fractions(-(10**4), 10**4, max_denominator=10**12))
@example(F(0))
@example(F(-(10**17), 3))
def test_exponentials_against_balls(power: F) -> None:
    found = exponential(power)
    with ctx.workprec(400):
        exact = to_decimals(arb(fmpq(power.numerator, power.denominator)).exp())
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper
    assert found.width <= UP.multiply(found.value, Decimal("1e-40"))


def test_exponentials_below_every_decimal() -> None:
    found = exponential(F(-(10**18) - 1))
    assert found.lower == 0 < found.upper < Decimal("1e-100000000000000000")


@SOME
@given(st.floats(-1e10, 1e10), st.floats(0, 1e-3), st.floats(0, 1e-20))
def test_triples_and_floats_are_rounded_outward(high: float, low: float, bound: float) -> None:
    found = from_triple((high, low, 0.0), bound)
    exact = F(high) + F(low)
    assert F(found.lower) <= exact - F(bound) <= exact + F(bound) <= F(found.upper)
    _, lower, upper = found.floats()
    assert F(lower) <= F(found.lower) <= F(found.upper) <= F(upper)
    assert upper <= math.nextafter(math.nextafter(float(found.upper), math.inf), math.inf)


def test_a_formula_is_asked_again_until_it_is_narrow() -> None:
    asked = []

    def formula() -> arb | None:
        asked.append(ctx.prec)
        return (arb(1) + arb(2) ** -400) - 1 if ctx.prec > 500 else None

    assert F(certified(formula).value) == pytest.approx(F(1, 2**400), rel=1e-39)
    assert asked[-1] > 500
    with pytest.raises(ArithmeticError, match="no enclosure"):
        certified(lambda: None)


@SOME
@given(st.decimals(-(10**9), 10**9, allow_nan=False), st.integers(1, 20))
def test_text_is_rounded_to_its_side(number: Decimal, digits: int) -> None:
    assert Decimal(down(number, digits)) <= number <= Decimal(up(number, digits))
    assert nearest(number, digits) in (down(number, digits), up(number, digits))


PLAIN = [("1E+3", "1000"), ("1e30", "1" + "0" * 30), ("1e60", "1e60"), ("0.00010", "0.0001")]
PLAIN += [("0.000012", "1.2e-5"), ("-0.0", "0"), ("Infinity", "Infinity")]
PLAIN += [("1E-300000000000", "1e-300000000000")]


@pytest.mark.parametrize(("number", "text"), PLAIN)
def test_plain_text(number: str, text: str) -> None:
    assert plain(Decimal(number)) == text


def test_rationals_of_any_length() -> None:
    assert (ratio(F(6, 4)), ratio(F(-3)), short(F(1, 8)), short(F(1, 3))) == ("3/2", "-3", "0.125", "1/3")
    assert ratio(F(10**6000 + 1, 3)) == f"1{'0' * 5999}1/3"
