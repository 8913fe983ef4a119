"""Exponential, sine and cosine against mpmath at 90 digits: the stated bounds as inequalities."""

from __future__ import annotations

from fractions import Fraction as F

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.arithmetic import elementary
from kernels.numerics.arithmetic.elementary import (
    EXP_UNIT,
    TURN_UNIT,
    TWO_PI,
    constant,
    exp,
    fraction_of_turn,
    sin_cos_turns,
)
from kernels.numerics.arithmetic.triple import from_fraction
from tests.kernels.numerics.exact import MANY, SOME, Triple, to_fraction, to_mpf, total, triples

DIGITS = 90
QUARTERS = [F(k, 8) for k in range(-9, 10)]


def relative_error_of_exp(x: Triple) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The relative error of exp(x) and its bound."""
    exact = to_mpf(total(x))
    truth = mpmath.exp(exact)
    return abs(to_mpf(total(exp(x))) / truth - 1), EXP_UNIT * (1 + abs(exact))


@MANY
@given(triples(-120, 8))
@example((0.0, 0.0, 0.0))
@example((599.9999, 2.0**-45, -(2.0**-99)))
@example((-599.9999, -(2.0**-45), 2.0**-99))
@example((2.0**-1000, 0.0, 0.0))
def test_exp_is_within_its_bound(x: Triple) -> None:
    with mpmath.workdps(DIGITS):
        error, bound = relative_error_of_exp(x)
        assert error <= bound


@pytest.mark.parametrize("halves", [1, -1, 2, -3, 101, -601, 865, -1731])
def test_exp_is_within_its_bound_where_the_reduction_turns(halves: int) -> None:
    with mpmath.workdps(DIGITS):
        edge = to_fraction(mpmath.log(2) * halves / 2)
        for nudge in (F(0), F(1, 2**40), F(-1, 2**40), F(1, 2**100), F(-1, 2**160)):
            error, bound = relative_error_of_exp(from_fraction(edge + nudge))
            assert error <= bound


def errors_of_waves(turns: Triple) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """Absolute errors of sine and cosine, and the true sine."""
    angle = 2 * mpmath.pi * to_mpf(total(turns) % 1)
    sine, cosine = (to_mpf(total(value)) for value in sin_cos_turns(turns))
    return abs(sine - mpmath.sin(angle)), abs(cosine - mpmath.cos(angle)), mpmath.sin(angle)


@MANY
@given(triples(-60, 60))
@example((0.0, 0.0, 0.0))
@example((0.5, 2.0**-60, 0.0))
@example((-0.5, -(2.0**-54), 2.0**-110))
@example((2.0**70 + 2.0**18, 0.375, 2.0**-60))
@example((1e18, 63.5, 2.0**-48))
def test_sine_and_cosine_are_within_their_bound(turns: Triple) -> None:
    with mpmath.workdps(DIGITS):
        sine_error, cosine_error, _ = errors_of_waves(turns)
        assert sine_error <= TURN_UNIT
        assert cosine_error <= TURN_UNIT


@pytest.mark.parametrize("centre", QUARTERS)
def test_sine_and_cosine_near_the_ends_of_the_octants(centre: F) -> None:
    with mpmath.workdps(DIGITS):
        for nudge in (F(0), F(1, 2**55), F(-1, 2**54), F(1, 3 * 2**100), F(-1, 3 * 2**150)):
            sine_error, cosine_error, _ = errors_of_waves(from_fraction(centre + nudge))
            assert sine_error <= TURN_UNIT
            assert cosine_error <= TURN_UNIT


@SOME
@given(triples(-140, -4))
@example((0.125 - 2.0**-56, 2.0**-110, 0.0))
def test_sine_of_a_small_angle_is_good_relatively(turns: Triple) -> None:
    """The quadrature divides by the sine of p / (4 N) turns, however large N is."""
    with mpmath.workdps(DIGITS):
        sine_error, _, truth = errors_of_waves(turns)
        assert sine_error <= TURN_UNIT * abs(truth)


@SOME
@given(triples(-30, 100))
@example((0.5, 2.0**-60, 0.0))
@example((1.5, -(2.0**-53), 2.0**-108))
@example((2.0**80, 2.0**27 + 0.5, 2.0**-26))
def test_fraction_of_turn_is_exact(turns: Triple) -> None:
    rest = total(fraction_of_turn(turns))
    assert (total(turns) - rest).denominator == 1
    assert abs(rest) <= F(1, 2) + F(1, 2**52)


@SOME
@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_constant_keeps_all_that_three_doubles_hold(a: int, b: int) -> None:
    with mpmath.workprec(260):
        number = mpmath.sqrt(mpmath.mpf(a) / b)
        assert abs(total(constant(number)) - to_fraction(number)) <= to_fraction(number) / 2**158


def test_two_pi_and_ln_2_are_those_numbers() -> None:
    with mpmath.workdps(DIGITS):
        assert abs(to_mpf(total(TWO_PI)) / (2 * mpmath.pi) - 1) <= mpmath.mpf(2) ** -158
        assert abs(to_mpf(total(elementary.LN2)) / mpmath.log(2) - 1) <= mpmath.mpf(2) ** -158
