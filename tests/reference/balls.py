"""Conversions between Arb balls, exact rationals and rational intervals."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq

from .cells import Enclosure

precision = ctx.workprec


def ball(value: Fraction | int) -> arb:
    """Ball around an exact rational at the current precision."""
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def exact(value: arb) -> Fraction:
    """The rational equal to a ball of radius zero."""
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def enclosure(value: arb) -> Enclosure:
    """Rational interval that holds a finite ball."""
    if not value.is_finite():
        raise ValueError("the ball is not finite")
    middle, radius = exact(value.mid()), exact(value.rad())  # exact at any working precision
    return Enclosure(middle - radius, middle + radius)


def widened(value: arb, slack: arb) -> arb:
    """The ball grown by `slack` on both sides."""
    return value + arb(0, slack.upper())
