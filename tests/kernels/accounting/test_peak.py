"""Upper bounds on concave functions: above every value, and sharp where the function is known well."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.accounting.tradeoff.peak import Known, peak_between, peak_beyond
from kernels.intervals.interval import ONE, ZERO, Interval, from_fraction

RELAXED = settings(max_examples=60, deadline=None, derandomize=True)
#: Lines a + b x whose least is the function.
lines = st.lists(
    st.tuples(st.fractions(-3, 3, max_denominator=9), st.fractions(-5, 5, max_denominator=9)),
    min_size=1,
    max_size=6,
)
places = st.lists(st.fractions(F(1, 50), 20, max_denominator=50), min_size=2, max_size=6, unique=True).map(
    sorted
)


def least(pieces: Sequence[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    return min(a + b * x for a, b in pieces)


def known(pieces: Sequence[tuple[Fraction, Fraction]], x: Fraction, error: Fraction, blur: Fraction) -> Known:
    """Value within error, a slope of the function within blur."""
    value = least(pieces, x)
    slope = next(b for a, b in pieces if a + b * x == value)
    return Known(from_fraction(x), around(value, error), around(slope, blur))


def around(value: Fraction, error: Fraction) -> Interval:
    return Interval(
        from_fraction(value + error / 3).value,
        from_fraction(value - error).lower,
        from_fraction(value + error).upper,
    )


def corners(pieces: Sequence[tuple[Fraction, Fraction]]) -> list[Fraction]:
    return [(c - a) / (b - d) for a, b in pieces for c, d in pieces if b != d]


errors = st.sampled_from([F(0), F(1, 10**30), F(1, 1000)])
blurs = st.sampled_from([F(0), F(1, 100), F(100)])


@RELAXED
@given(lines, places, errors, blurs)
def test_no_value_is_above_the_bound(
    pieces: list[tuple[Fraction, Fraction]], xs: list[Fraction], error: Fraction, blur: Fraction
) -> None:
    points = [known(pieces, x, error, blur) for x in xs]
    for left in range(len(xs) - 1):
        bound = F(peak_between(points, left, straight=False).bound)
        inside = [x for x in corners(pieces) if xs[left] <= x <= xs[left + 1]]
        assert all(least(pieces, x) <= bound for x in [xs[left], xs[left + 1], *inside])


@RELAXED
@given(lines, places, errors, blurs, st.fractions(F(1, 9), 3, max_denominator=9))
def test_no_value_beyond_the_last_place_is_above_the_bound(
    pieces: list[tuple[Fraction, Fraction]],
    xs: list[Fraction],
    error: Fraction,
    blur: Fraction,
    fall: Fraction,
) -> None:
    pieces = [*pieces, (F(1), -fall)]
    points = [known(pieces, x, error, blur) for x in xs]
    bound = F(peak_beyond(points, ONE, from_fraction(fall)).bound)
    further = [x for x in corners(pieces) if x > xs[-1]]
    assert all(least(pieces, x) <= bound for x in [xs[-1], 10 * xs[-1], *further])


def test_slopes_on_both_sides_find_the_corner() -> None:
    pieces = [(F(0), F(2)), (F(3), F(-1))]
    peak = peak_between([known(pieces, x, F(0), F(0)) for x in (F(1, 2), F(3))], 0, straight=False)
    assert abs(F(peak.bound) - 2) < F(1, 10**50)
    assert abs(F(peak.place) - 1) < F(1, 10**50)


def test_chords_serve_where_slopes_are_not_known() -> None:
    """x (2 - x) near 1 from four values a hundredth apart: the bound is off by the square of that."""
    points = [
        Known(from_fraction(x), from_fraction(x * (2 - x)), Interval(Decimal(0), Decimal(-9), Decimal(9)))
        for x in (F(98, 100), F(99, 100), F(101, 100), F(102, 100))
    ]
    peak = peak_between(points, 1, straight=False)
    assert 1 <= peak.bound <= 1 + F(3, 10**4)


@pytest.mark.parametrize("straight", [False, True])
def test_the_ends_bound_a_linear_stretch(straight: bool) -> None:
    rising = Interval(Decimal(1), Decimal(-1) if straight else Decimal(0), Decimal(1))
    points = [Known(ZERO, ZERO, rising), Known(ONE, ONE, rising)]
    assert peak_between(points, 0, straight).bound == 1


@pytest.mark.parametrize("places", [1, 20, 50])
def test_the_bound_beyond_the_last_place_holds_to_the_last_digit(places: int) -> None:
    """Lines that meet 10^-places above 0, where what is subtracted from 1 must not be rounded up."""
    for k in range(1, 60):
        last, rise, fall = F(k % 9 + 1, 10), F(k, 7), from_fraction(F(k, 60 * k + 7))
        meet = (1 - F(1, 10**places)) / F(fall.lower)
        here = Known(
            from_fraction(last),
            from_fraction(1 - F(fall.lower) * meet - rise * (meet - last)),
            from_fraction(rise),
        )
        # The highest lines that are within the enclosures
        a, b = F(here.value.upper) - F(here.slope.upper) * last, F(here.slope.upper)
        x = (1 - a) / (b + F(fall.lower))
        assert a + b * x <= F(peak_beyond([here], ONE, fall).bound)
