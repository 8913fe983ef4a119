"""The trade-off function between its vertices.

f is convex and piecewise linear: the greatest of the lines beta = Q(T < t) + e^t (P(T >= t) - alpha) over
lattice points t, each of which is exact between P(T > t) and P(T >= t).
"""

import math
from collections.abc import Callable
from fractions import Fraction

from kernels.accounting.certified import ONE, ZERO, Certified, from_fraction
from kernels.accounting.enclosure import difference, exponential, product, total


def type_two_error(
    vertex: Callable[[int], tuple[Certified, Certified]],
    spacing: Fraction,
    total_rho: Fraction,
    alpha: Fraction,
) -> Certified:
    """f(alpha) for a composition with lattice spacing h and total rho R; vertex(s) gives P(T >= t) and Q(T <
    t) at S = s."""
    if alpha in (0, 1):
        return ONE if alpha == 0 else ZERO
    exact = from_fraction(alpha)
    # P(|S| h >= x) <= 2 exp(-x^2 / 2R): the place lies within x of 0.
    bits = max(number.bit_length() for number in (alpha.denominator, (1 - alpha).denominator))
    reach = math.ceil(Fraction(math.isqrt(math.ceil(2 * total_rho * (bits + 2))) + 1) / spacing) + 1
    low, high = -reach, reach
    while high - low > 1:  # P(S >= low) >= alpha > P(S >= high), up to the error of the tails
        middle = (low + high) // 2
        low, high = (middle, high) if vertex(middle)[0].value >= exact.value else (low, middle)
    lines = []
    for position in (low - 1, low, low + 1):  # the neighbours, in case alpha is a vertex to the last digit
        reached, missed = vertex(position)
        slope = exponential(position * spacing - total_rho / 2)
        lines.append(total(missed, product(slope, difference(reached, exact))))
    value, lower, upper = (max(getattr(line, side) for line in lines) for side in ("value", "lower", "upper"))
    return Certified(value, lower, upper).clipped(ZERO.value, ONE.value)
