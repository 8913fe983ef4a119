"""Arb balls and exact rationals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with `bits` bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(value: Fraction | int) -> arb:
    """Ball around an exact rational, at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def widened(value: arb, slack: arb) -> arb:
    """The ball grown on both sides by a slack >= 0."""
    return value + arb(0, slack.abs_upper())


def exact(value: arb) -> Fraction:
    """The rational equal to a ball of radius zero."""
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """Lower and upper end of a finite ball, exactly."""
    middle, radius = exact(value.mid()), exact(value.rad())
    return middle - radius, middle + radius
