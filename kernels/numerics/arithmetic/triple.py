"""Triple-double arithmetic: a number is an unevaluated sum of three doubles, largest first.

Built on error-free transformations (Knuth's two_sum, two_prod by fused multiply-add); the shape of the
operations follows Hida, Li and Bailey (2001), "Library for double-double and quad-double arithmetic", and
Fabiano, Muller and Picot (2019), "Algorithms for triple-word arithmetic". Error bounds used everywhere else,
with a margin of several bits (docs/method.md):

    add(a, b)       |error| <= 2**-150 (|a| + |b|)
    multiply(a, b)  |error| <= 2**-150 |a b|, for factors whose parts do not overlap (results of any operation
                    here but a sum that cancelled: for that, relative to the sizes before it)
"""

import math
from fractions import Fraction

import numpy as np

from kernels.numerics.arithmetic.jit import fma, kernel

#: Bound on the error of one addition (relative to |a| + |b|) or multiplication (relative to the product).
UNIT = 2.0**-150

Triple = tuple[float, float, float]


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Rounded sum and its exact error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def two_prod(a: float, b: float) -> tuple[float, float]:
    """Rounded product and its exact error (no underflow: |a b| > 2**-900 or 0)."""
    product = a * b
    return product, fma(a, b, -product)


@kernel
def renormalise(a: float, b: float, c: float) -> Triple:
    """The same sum with components that do not overlap, largest first. Exact."""
    high, low = two_sum(b, c)
    first, rest = two_sum(a, high)
    second, third = two_sum(rest, low)
    return first, second, third


@kernel
def at(row: np.ndarray) -> Triple:
    """The triple that an array holds, [3]."""
    return row[0], row[1], row[2]


@kernel
def add(a: Triple, b: Triple) -> Triple:
    """a + b."""
    s0, e0 = two_sum(a[0], b[0])
    s1, e1 = two_sum(a[1], b[1])
    s1, e2 = two_sum(s1, e0)
    return renormalise(s0, s1, ((a[2] + b[2]) + e1) + e2)


@kernel
def multiply(a: Triple, b: Triple) -> Triple:
    """a * b."""
    p, e = two_prod(a[0], b[0])
    q, e1 = two_prod(a[0], b[1])
    r, e2 = two_prod(a[1], b[0])
    s, t1 = two_sum(q, r)
    s, t2 = two_sum(s, e)
    small = (a[0] * b[2] + a[2] * b[0]) + a[1] * b[1] + (e1 + e2)
    return renormalise(p, s, small + (t1 + t2))


@kernel
def scale(a: Triple, b: float) -> Triple:
    """a * b for a double b."""
    return multiply(a, (b, 0.0, 0.0))


@kernel
def negate(a: Triple) -> Triple:
    """-a, exactly."""
    return -a[0], -a[1], -a[2]


@kernel
def times_power(a: Triple, power: float) -> Triple:
    """a times a power of 2, exactly (no underflow)."""
    return a[0] * power, a[1] * power, a[2] * power


@kernel
def scaled_power(a: Triple, exponent: int) -> tuple[Triple, float]:
    """a ** exponent for a > 0 and an integer exponent >= 0, as a triple times 2 ** (an integer): no overflow.

    |relative error| <= 2 exponent 2**-150.
    """
    result = (1.0, 0.0, 0.0)
    binary = 0.0
    base = a
    base_binary = 0.0
    left = exponent
    while left > 0:
        if left & 1:
            result = multiply(result, base)
            shift = float(math.floor(math.log2(result[0])))
            result = times_power(result, 2.0**-shift)
            binary += base_binary + shift
        base = multiply(base, base)
        shift = float(math.floor(math.log2(base[0])))
        base = times_power(base, 2.0**-shift)
        base_binary = 2.0 * base_binary + shift
        left >>= 1
    return result, binary


@kernel
def reciprocal(a: Triple) -> Triple:
    """1 / a by two Newton steps from the double; |relative error| <= 2**-147."""
    result = (1.0 / a[0], 0.0, 0.0)
    for _ in range(2):
        rest = add((2.0, 0.0, 0.0), negate(multiply(a, result)))
        result = multiply(result, rest)
    return result


def from_fraction(number: Fraction) -> Triple:
    """Three doubles whose sum is the rational to a relative 2**-159 (no underflow)."""
    first = float(number)
    number -= Fraction(first)
    second = float(number)
    return first, second, float(number - Fraction(second))


def from_integer(number: int) -> Triple:
    """Three doubles whose sum is the integer, exactly up to 159 bits."""
    first = float(number)
    second = float(number - int(first))
    return first, second, float(number - int(first) - int(second))


@kernel
def _probe(values: np.ndarray, out: np.ndarray) -> None:
    out[0], out[1] = two_sum(values[0], values[1])
    out[2], out[3] = two_prod(values[0], values[1])
    out[4], out[5], out[6] = multiply((values[0], values[1], 0.0), (values[2], values[3], 0.0))


def self_test() -> None:
    """Check at run time that the error-free transformations survived the compiler.

    Raises RuntimeError when the compiled two_sum, two_prod or multiply do not give the exact results.
    """
    values = np.array([1.0 + 2.0**-40, 2.0**-60 + 2.0**-105, 3.0 - 2.0**-45, 2.0**-53 + 2.0**-100])
    out = np.empty(7)
    _probe(values, out)
    a, b, c, d = (Fraction(value) for value in values)
    exact = [Fraction(value) for value in out]
    error = abs(exact[4] + exact[5] + exact[6] - (a + b) * (c + d))
    if (
        exact[0] + exact[1] != a + b
        or exact[2] + exact[3] != a * b
        or error > Fraction(UNIT) * (a + b) * (c + d)
    ):
        raise RuntimeError("this compiler breaks error-free transformations; results would not be certified")
