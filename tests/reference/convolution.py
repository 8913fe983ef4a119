"""Law of T by enumeration and integer polynomial products: no Fourier step, no floating point in the result.

Probabilities are integers in units of 2^-bits, always rounded down, so a sum of them is a lower bound. The
true law has total mass one; hence adding the mass that rounding and cutting lost (`deficit`) gives an upper
bound. With enough bits the enclosures are tight in the relative sense, however far out the tail.

Cells whose rhos are small multiples of a common step form a family with its own small lattice; families are
combined by running over all values of all but the widest one. So the fine common lattice of the composition
is never built, and its step may be anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from flint import fmpz_poly

from .balls import ball, exact, precision
from .cells import Cells, Enclosure, rational_gcd
from .tails import TailReference

LARGEST_WEIGHT = 100


@dataclass(frozen=True)
class Law:
    """Symmetric law on step * {-reach .. reach}: weights[k] is 2^bits P(S = k - reach), rounded down."""

    step: Fraction
    reach: int
    weights: list[int]


def cell_law(rho: Fraction, bits: int) -> Law:
    """One cell: P(x) proportional to exp(-rho x^2 / 2), cut where it falls under 2^-bits."""
    reach = math.isqrt(int(2 * bits * Fraction(7, 10) / rho)) + 1  # 7/10 > ln 2
    with precision(bits + 32):
        half = ball(rho) / 2
        values = [(-half * x * x).exp() for x in range(reach + 1)]
        # What is cut is at most a geometric series after the first omitted weight.
        first_cut = (-half * (reach + 1) ** 2).exp()
        mass = 1 + 2 * sum(values[1:]) + 2 * first_cut / (1 - (-ball(rho) * (reach + 1)).exp())
        one_side = [max(0, math.floor(exact((value / mass).lower()) * 2**bits)) for value in values]
    return Law(rho, reach, one_side[:0:-1] + one_side)


def times(first: Law, second: Law, bits: int) -> Law:
    """Law of the sum of two independent variables on commensurable lattices, zeros at both ends trimmed."""
    step = rational_gcd([first.step, second.step])
    left, right = (_spread(law.weights, int(law.step / step)) for law in (first, second))
    coefficients = [int(value) >> bits for value in (fmpz_poly(left) * fmpz_poly(right)).coeffs()]
    reach = first.reach * int(first.step / step) + second.reach * int(second.step / step)
    coefficients += [0] * (2 * reach + 1 - len(coefficients))
    trim = next(index for index, value in enumerate(coefficients) if value)
    return Law(step, reach - trim, coefficients[trim : len(coefficients) - trim])


def _spread(weights: list[int], stride: int) -> list[int]:
    if stride == 1:
        return weights
    spread = [0] * (stride * (len(weights) - 1) + 1)
    spread[::stride] = weights
    return spread


def power(law: Law, count: int, bits: int) -> Law:
    """Law of the sum of `count` independent copies."""
    result: Law | None = None
    while count:
        if count & 1:
            result = law if result is None else times(result, law, bits)
        count >>= 1
        if count:
            law = times(law, law, bits)
    assert result is not None
    return result


def families(cells: Cells) -> list[dict[Fraction, int]]:
    """Cells grouped so that within a group every rho is at most LARGEST_WEIGHT times the common step."""
    groups: list[dict[Fraction, int]] = []
    for rho, count in sorted(cells.items()):
        for group in groups:
            if max(*group, rho) / rational_gcd([*group, rho]) <= LARGEST_WEIGHT:
                group[rho] = count
                break
        else:
            groups.append({rho: count})
    return groups


class ConvolutionTail(TailReference):
    """Enclosures of tails and delta for a composition of few families.

    `bits` must exceed -log2 of the smallest tail that matters, by the number of good bits wanted.
    """

    def __init__(self, cells: Cells, bits: int = 256) -> None:
        self.cells = dict(cells)
        self.bits = bits
        laws = [self._family_law(group) for group in families(cells)]
        laws.sort(key=lambda law: law.reach)
        self.step = rational_gcd([law.step for law in laws])
        self.widest = laws.pop()
        self.others = laws
        combinations = math.prod(2 * law.reach + 1 for law in laws)
        if combinations > 4_000_000:
            raise ValueError(f"{combinations} combinations are too many to enumerate")
        # tails[k] = 2^bits P(S >= k - reach) of the widest family
        tails = [0]
        for weight in reversed(self.widest.weights):
            tails.append(tails[-1] + weight)
        self.tails = tails[::-1]
        self.deficit = 1 - math.prod(Fraction(sum(law.weights), 2**bits) for law in [*laws, self.widest])

    def _family_law(self, group: dict[Fraction, int]) -> Law:
        result: Law | None = None
        for rho, count in group.items():
            law = power(cell_law(rho, self.bits), count, self.bits)
            result = law if result is None else times(result, law, self.bits)
        assert result is not None
        return result

    def tail_beyond(self, x: Fraction) -> Enclosure:
        least = x // self.step + 1
        stride = int(self.widest.step / self.step)
        last = len(self.tails) - 1
        total = 0
        for offset, weight in self._combinations():
            index = -((offset - least) // stride) + self.widest.reach
            if index <= last:
                total += weight * self.tails[max(index, 0)]
        lower = Fraction(total, 2 ** (self.bits * (len(self.others) + 1)))
        return Enclosure(lower, lower + self.deficit)

    def _combinations(self) -> Iterator[tuple[int, int]]:
        """Pairs (lattice offset, integer weight) over all values of the other families."""
        axes = []
        for law in self.others:
            stride = int(law.step / self.step)
            axes.append([(stride * (k - law.reach), w) for k, w in enumerate(law.weights) if w])
        for point in product(*axes):
            yield sum(k for k, _ in point), math.prod(w for _, w in point)
