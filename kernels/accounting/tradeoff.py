"""The trade-off function between its vertices.

f is convex and piecewise linear: the greatest of the lines beta = Q(T < t) + e^t (P(T >= t) - alpha) over
lattice points t, each of which is exact between P(T > t) and P(T >= t). Any of them is a lower bound; a chord
between two vertices is an upper one.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from kernels.accounting.certified.enclosure import complement, difference, exponential, product, total
from kernels.accounting.certified.number import ONE, ZERO, Certified, from_fraction

_WIDER = 8  # of a step that has not left the tails' errors behind


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
    value, lower = max(line.value for line in lines), max(line.lower for line in lines)
    upper = max(_chord(vertex, low, reach, alpha), lower)
    most = complement(exact).upper  # the chord from (0, 1) to (1, 0)
    return Certified(min(max(value, lower), upper), lower, upper).clipped(ZERO.value, most)


def _chord(
    vertex: Callable[[int], tuple[Certified, Certified]], start: int, reach: int, alpha: Fraction
) -> Decimal:
    """An upper bound on f(alpha): the chord between vertices that certainly lie on either side of alpha.

    On a lattice finer than the errors of the tails these are not the neighbours of the start.
    """
    right, left = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    step = 0
    while start - step > -reach:
        reached, missed = vertex(start - step)
        if Fraction(reached.lower) >= alpha:
            right = Fraction(reached.upper), Fraction(missed.upper)
            break
        step = _WIDER * step + 1
    step = 1
    while start + step < reach:
        reached, missed = vertex(start + step)
        if Fraction(reached.upper) <= alpha:
            left = Fraction(reached.upper), Fraction(missed.upper)
            break
        step = _WIDER * step
    if right[0] <= left[0]:
        return from_fraction(left[1]).upper
    share = (alpha - left[0]) / (right[0] - left[0])
    return from_fraction(left[1] + share * (right[1] - left[1])).upper
