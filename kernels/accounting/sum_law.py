"""The law of the sum K of the noise of equal cells, under P and Q, far into its tails.

P(K = k) are coefficients of a power of one cell's polynomial, in ball arithmetic; Q(K = k) = P(K = k - n).
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, arb_poly, ctx
from numpy.typing import NDArray

from kernels.intervals.balls import ball, to_decimals
from kernels.intervals.interval import NEAREST, ZERO, Interval

_DEEP_NATS = 1500.0  # from here on products are taken term by term: their values differ by too many bits
_MOST_VALUES, _MOST_DEEP_VALUES = 20_000, 600  # of K, for which a law is made
_SPARE_BITS = 250  # beyond those that the least value needs; 60 decimal digits are 200

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SumLaw:
    """The values k = -reach .. reach + n of K: first[j] and second[j] are P and Q of K = j - reach, log_first
    and log_second at least their logarithms; missing: probability of everything else, at most."""

    reach: int
    first: list[Interval]
    second: list[Interval]
    log_first: Floats
    log_second: Floats
    missing: Decimal


def spread(rho: Fraction, count: int, nats: float) -> int:
    """|K| beyond which P has at most 2 exp(-nats), K being sub-Gaussian."""
    return math.isqrt(math.ceil(2 * count * Fraction(nats) / rho)) + 1


@lru_cache(maxsize=512)  # kinds of a composition times a few nats
def sum_law(rho: Fraction, count: int, nats: float) -> SumLaw | None:
    """The law of K for `count` cells, but for about exp(-nats). None if too many values matter."""
    deep = nats > _DEEP_NATS
    most, single = spread(rho, count, nats), spread(rho, 1, nats + math.log(count))
    if most + single > (_MOST_DEEP_VALUES if deep else _MOST_VALUES):
        return None
    with ctx.workprec(_SPARE_BITS if deep else _SPARE_BITS + int(3.0 * nats)):
        half = ball(rho) / 2
        reach = single + 1
        while (-half * reach * reach).exp() > arb(2) ** -(2 * ctx.prec):
            reach += 1
        weights = [(-half * x * x).exp() for x in range(reach + 1)]
        # The terms beyond fall faster than geometrically, by more than the first ratio.
        ratio = (-half * (2 * reach + 1)).exp()
        beyond = weights[reach] * ratio / (1 - ratio)
        norm = 1 + 2 * sum(weights[1:], arb(0)) + arb(0, 2 * beyond.upper())
        kept = [weights[abs(x)] / norm for x in range(-single, single + 1)]
        powers = _deep_power(kept, count, most) if deep else _power(kept, count, most)
        probability = [to_decimals(power).clipped() for power in powers]
        # 2 for any of the cells, 2 for K and for each part of it that was cut off
        missing = (2 + 2 * (1 + 2 * count.bit_length())) * (-arb(nats)).exp()
    logs = np.array(list(map(_log, probability)))
    none, never = [ZERO] * count, np.full(count, -math.inf)
    return SumLaw(
        len(powers) // 2,
        [*probability, *none],
        [*none, *probability],
        np.concatenate([logs, never]),
        np.concatenate([never, logs]),
        to_decimals(missing).upper,
    )


def _log(probability: Interval) -> float:
    """ln of a probability, rounded up a little."""
    if not probability.upper:
        return -math.inf
    decades = probability.upper.adjusted()
    exact = decades * math.log(10.0) + math.log(float(probability.upper.scaleb(-decades, NEAREST)))
    return exact + 1e-12 * (1.0 + abs(exact))


def _cut(values: list[arb], most: int) -> list[arb]:
    """Up to `most` from the middle."""
    middle = len(values) // 2
    return values[max(middle - most, 0) : middle + most + 1]


def _power(values: list[arb], count: int, most: int) -> list[arb]:
    """The law of a sum of `count` terms, cut; precise relatively to its largest value."""
    power = arb_poly(values) ** count
    return _cut([power[j] for j in range((len(values) - 1) * count + 1)], most)


def _deep_power(values: list[arb], count: int, most: int) -> list[arb]:
    """The same, every value precise relatively to itself, however small: products term by term."""
    result, square = [arb(1)], values
    while True:
        if count % 2:
            result = _convolved(result, square, most)
        count //= 2
        if not count:
            return result
        square = _convolved(square, square, most)


def _convolved(first: list[arb], second: list[arb], most: int) -> list[arb]:
    result = [arb(0)] * (len(first) + len(second) - 1)
    for j, factor in enumerate(first):
        for k, other in enumerate(second):
            result[j + k] += factor * other
    return _cut(result, most)
