"""Exact views of the kernels' numbers, and strategies that draw awkward ones, for the tests of this floor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from random import Random

import mpmath
from hypothesis import settings
from hypothesis import strategies as st

Triple = tuple[float, float, float]

#: Repeatable searches: the same examples on every run and every machine.
MANY = settings(max_examples=300, deadline=None, derandomize=True, database=None)
SOME = settings(max_examples=80, deadline=None, derandomize=True, database=None)
FEW = settings(max_examples=20, deadline=None, derandomize=True, database=None)

SEEDS = st.integers(0, 2**32)


def total(parts: Iterable[float]) -> Fraction:
    """The exact sum of doubles."""
    return sum((Fraction(float(part)) for part in parts), Fraction(0))


def to_mpf(number: Fraction | Decimal) -> mpmath.mpf:
    """The number at the precision in force."""
    numerator, denominator = number.as_integer_ratio()
    return mpmath.mpf(numerator) / denominator


def to_fraction(number: mpmath.mpf) -> Fraction:
    """The rational that an mpmath number is, exactly."""
    mantissa, exponent = number.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def integer(limbs: Iterable[int]) -> int:
    """The integer that limbs of 30 bits stand for."""
    return sum(int(limb) << (30 * position) for position, limb in enumerate(limbs))


def doubles(least: int = -300, most: int = 300) -> st.SearchStrategy[float]:
    """Doubles of either sign with exponents in a range, many with long runs of equal bits, and zero."""
    return st.builds(_double, SEEDS, st.integers(least, most))


def triples(least: int = -40, most: int = 40) -> st.SearchStrategy[Triple]:
    """Sums of three doubles, each at most half a unit in the last place of the one before; not zero.

    Gaps between the parts, parts of opposite sign, half units and missing parts all occur.
    """
    return st.builds(_triple, SEEDS, st.integers(least, most))


def _mantissa(random: Random) -> float:
    """In [1, 2), often with long runs of equal bits."""
    kind = random.randrange(4)
    if kind == 0:
        return 1.0
    if kind == 1:
        return 2.0 - 2.0 ** -random.randint(0, 52)
    if kind == 2:
        return 1.0 + 2.0 ** -random.randint(1, 52)
    return 1.0 + random.getrandbits(52) * 2.0**-52


def _double(seed: int, exponent: int) -> float:
    random = Random(seed)
    return random.choice([1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 0.0]) * _mantissa(random) * 2.0**exponent


def _triple(seed: int, exponent: int) -> Triple:
    random = Random(seed)
    first = random.choice([1.0, -1.0]) * _mantissa(random) * 2.0**exponent
    second = _below(random, first)
    return first, second, _below(random, second)


def _below(random: Random, above: float) -> float:
    """A part that may follow another: at most half of its unit in the last place."""
    gap = random.choice([0, 0, 0, 1, 2, random.randint(3, 60)])
    part = random.choice([1.0, -1.0, 1.0, -1.0, 0.0]) * _mantissa(random) * 2.0**-gap
    return max(-1.0, min(1.0, part)) * math.ulp(above) / 2 if above else 0.0
