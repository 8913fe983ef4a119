"""Exponential, sine and cosine in triple-double arithmetic.

Both reduce the argument, sum a Taylor series of an argument below 2**-8 and double back with formulas that do
not cancel, so each doubling costs at most one bit. Bounds (docs/method.md): exp has a relative error <=
EXP_UNIT (1 + |x|); sine and cosine of a number of turns have an absolute error <= TURN_UNIT.
"""

from fractions import Fraction

import mpmath
import numpy as np

from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import (
    Triple,
    add,
    from_fraction,
    multiply,
    negate,
    renormalise,
    scale,
    times_power,
)

EXP_UNIT = 2.0**-136
TURN_UNIT = 2.0**-136
_HALVINGS = 8
_TERMS = 13


def constant(number: mpmath.mpf) -> Triple:
    """Three doubles of an mpmath number of at least 200 bits."""
    mantissa, exponent = mpmath.frexp(number)
    return from_fraction(Fraction(int(mpmath.ldexp(mantissa, 220)), 1) * Fraction(2) ** (int(exponent) - 220))


with mpmath.workprec(260):
    LN2 = constant(mpmath.log(2))
    TWO_PI = constant(2 * mpmath.pi)
_INVERSE_LN2 = float(1 / mpmath.log(2))
_FACTORIALS = tuple(from_fraction(Fraction(1, int(mpmath.factorial(k)))) for k in range(_TERMS + 2))


@kernel
def _exp_small_minus_one(x: Triple) -> Triple:
    """exp(x) - 1 for |x| < 2**-9."""
    total = _FACTORIALS[_TERMS]
    for k in range(_TERMS - 1, 0, -1):
        total = add(multiply(total, x), _FACTORIALS[k])
    return multiply(total, x)


@kernel
def exp(x: Triple) -> Triple:
    """exp(x) for -600 < x < 600."""
    turns = np.rint(x[0] * _INVERSE_LN2)
    rest = add(x, scale(LN2, -turns))
    grown = _exp_small_minus_one(times_power(rest, 2.0**-_HALVINGS))
    for _ in range(_HALVINGS):  # (1 + g)^2 - 1 = 2 g + g^2
        grown = add(times_power(grown, 2.0), multiply(grown, grown))
    return times_power(add((1.0, 0.0, 0.0), grown), 2.0**turns)


@kernel
def fraction_of_turn(turns: Triple) -> Triple:
    """The number of turns less the nearest integer. Exact."""
    a, b, c = turns
    for _ in range(3):
        a, b, c = renormalise(a - np.rint(a), b - np.rint(b), c - np.rint(c))
    return a, b, c


@kernel
def sin_cos_turns(turns: Triple) -> tuple[Triple, Triple]:
    """sin and cos of 2 pi times a number of turns."""
    rest = fraction_of_turn(turns)
    quarter = int(np.rint(4.0 * rest[0]))
    rest = add(rest, (-0.25 * quarter, 0.0, 0.0))
    x = times_power(multiply(rest, TWO_PI), 2.0**-_HALVINGS)
    square = negate(multiply(x, x))
    sine = _FACTORIALS[_TERMS]
    versed = _FACTORIALS[_TERMS + 1]
    for k in range(_TERMS - 2, 0, -2):
        sine = add(multiply(sine, square), _FACTORIALS[k])
        versed = add(multiply(versed, square), _FACTORIALS[k + 1])
    sine = multiply(sine, x)
    versed = multiply(versed, square)  # cos(x) - 1, sums of x^2/2! and so on, with its sign
    for _ in range(_HALVINGS):
        # sin 2x = 2 sin x (1 + v), cos 2x - 1 = 2 v (2 + v), v = cos x - 1
        sine = times_power(multiply(sine, add((1.0, 0.0, 0.0), versed)), 2.0)
        versed = times_power(multiply(versed, add((2.0, 0.0, 0.0), versed)), 2.0)
    cosine = add((1.0, 0.0, 0.0), versed)
    if quarter % 4 == 1:
        return cosine, negate(sine)
    if quarter % 4 == 2:
        return negate(sine), negate(cosine)
    if quarter % 4 == 3:
        return negate(cosine), sine
    return sine, cosine
