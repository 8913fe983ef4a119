"""Exact rationals."""

import math
from collections.abc import Sequence
from fractions import Fraction


def rational_gcd(numbers: Sequence[Fraction]) -> Fraction:
    """The largest rational of which all numbers are integer multiples (Bezout)."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return Fraction(
        math.gcd(*(number.numerator * (denominator // number.denominator) for number in numbers)), denominator
    )
