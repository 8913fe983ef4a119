"""Narrow cells taken out of a composition: where noise is so narrow that the law of T falls into lumps.

In the valleys between the lumps no single tilt brings every term to the size of the answer. But given the
sum K of all noise of one narrow kind (n cells with parameter rho), T = rho (K - n/2) + rest, so

    delta(eps) = sum over k of Q(K = k) delta_rest(eps - rho (k - n/2)),

and the tails likewise with P and Q: sums of positive terms, in which nothing cancels. P(K = k) are
coefficients of a power of a polynomial, in ball arithmetic; Q(K = k) = P(K = k - n). What lies beyond the
values of K that are summed has probability at most 2 exp(-K^2 rho / 2n) and is part of the upper bounds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from flint import arb, arb_poly, ctx

from kernels.accounting.balls import ball, to_decimals
from kernels.accounting.certified import ONE, UP, ZERO, Certified
from kernels.accounting.composition import Composition
from kernels.accounting.enclosure import product, total
from kernels.accounting.profile_point import ProfilePoint

#: Cells with at least this rho can be taken out.
NARROW = Fraction(1, 10)
_MOST_VALUES = 20_000
_SPARE_BITS = 200
_NATS = (80.0, 160.0, 320.0, 640.0, 1280.0)  # -ln of what is left out
_NEGLIGIBLE = Decimal("1e-16")


#: The guarantees of a composition at any real eps.
Profile = Callable[[Sequence[Fraction]], Sequence[ProfilePoint]]


def without_narrowest(composition: Composition) -> tuple[Fraction, int, Composition | None] | None:
    """The largest rho, its number of cells, and the other cells (None if there are none); None where no cell
    is narrow."""
    *others, (rho, count) = composition.cells
    if rho < NARROW:
        return None
    return rho, count, Composition(tuple(others)) if others else None


def mixture(rho: Fraction, count: int, rest: Profile, eps: Fraction) -> ProfilePoint | None:
    """The guarantee of `count` cells of rho beside a rest; None if too many values of K matter."""
    found = None
    for nats in _NATS:
        law = _law(rho, count, nats)
        if law is None:
            break
        found = _mixed(law, rho, count, rest, eps)
        if law.missing <= _NEGLIGIBLE * min(found.delta.lower, found.alpha.lower):
            break
    return found


@dataclass(frozen=True, slots=True)
class _Law:
    """probability[j] of K = j - reach for P; missing: probability of everything else, at most."""

    reach: int
    probability: list[Certified]
    missing: Decimal


@lru_cache(maxsize=64)
def _law(rho: Fraction, count: int, nats: float) -> _Law | None:
    spread = math.isqrt(math.ceil(2 * count * Fraction(nats) / rho)) + 1  # of K
    single = math.isqrt(math.ceil(2 * Fraction(nats + math.log(count)) / rho)) + 1  # of one cell
    if spread + single > _MOST_VALUES:
        return None
    with ctx.workprec(_SPARE_BITS + int(3.0 * nats)):
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
        powers = arb_poly(kept) ** count
        low = max(count * single - spread, 0)
        high = min(count * single + spread, 2 * count * single)
        probability = [to_decimals(powers[j]).clipped(ZERO.value, ONE.value) for j in range(low, high + 1)]
        missing = 4 * (-arb(nats)).exp()  # 2 for K, 2 for any of the cells
    return _Law(count * single - low, probability, to_decimals(missing).upper)


def _mixed(law: _Law, rho: Fraction, count: int, rest: Profile, eps: Fraction) -> ProfilePoint:
    first = [*law.probability, *[ZERO] * count]
    second = [*[ZERO] * count, *law.probability]
    used = [j for j in range(len(first)) if max(first[j].upper, second[j].upper) > 0]
    given = rest([eps - rho * (Fraction(j - law.reach) - Fraction(count, 2)) for j in used])
    delta = alpha = power = ZERO
    for j, point in zip(used, given, strict=True):
        delta = total(delta, product(second[j], point.delta))
        alpha = total(alpha, product(first[j], point.alpha))
        power = total(power, product(second[j], point.power))
    return ProfilePoint(eps, *(_raised(number, law.missing) for number in (delta, alpha, power)))


def _raised(number: Certified, missing: Decimal) -> Certified:
    upper = UP.add(number.upper, missing)
    return Certified(number.value, number.lower, upper).clipped(ZERO.value, ONE.value)
