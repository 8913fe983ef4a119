"""Narrow cells taken out of a composition: where noise is so narrow that the law of T falls into lumps.

In the valleys between the lumps no single tilt brings every term to the size of the answer. But given the
sum K of all noise of one narrow kind (n cells with parameter rho), T = rho (K - n/2) + rest, so

    delta(eps) = sum over k of Q(K = k) delta_rest(eps - rho (k - n/2)),

and the tails likewise with P and Q: sums of positive terms, in which nothing cancels. P(K = k) are
coefficients of a power of a polynomial, in ball arithmetic; Q(K = k) = P(K = k - n). What lies beyond the
values of K that are summed has probability at most 2 exp(-K^2 rho / 2n), and the terms that are too small to
be asked for are bounded by the rest being sub-Gaussian; both are part of the upper bounds.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from flint import arb, arb_poly, ctx

from kernels.accounting.certified.balls import ball, to_decimals
from kernels.accounting.certified.enclosure import product, total
from kernels.accounting.certified.number import ONE, UP, ZERO, Certified
from kernels.accounting.composition import Composition
from kernels.accounting.profile_point import Profile, ProfilePoint, certain
from kernels.numerics.sieve import foreseen

#: Cells with at least this rho can be taken out.
NARROW = Fraction(1, 10)
#: From this rho on the law of T falls into lumps even where such cells stand alone.
_LUMPY = Fraction(5)
_FEW_VALUES = 40
_LEAST_NODES, _FEW_NODES = 500, 50_000
_MOST_COST = 5_000_000  # a few seconds
_LEAST_NATS, _DEEP_NATS, _MOST_NATS = 90.0, 1500.0, 400_000.0  # -ln of what is left out
_MOST_VALUES, _MOST_DEEP_VALUES = 20_000, 600  # of K
_SPARE_BITS = 250
_FIRST_GAP = 50.0  # nats below the largest bound, of the terms asked for first
_NEGLIGIBLE, _NEGLIGIBLE_TAIL = Decimal("1e-16"), Decimal("1e-37")  # relative to delta; of a tail


@dataclass(frozen=True, slots=True)
class Narrow:
    """`count` cells of one rho beside a rest (None if there is none)."""

    rho: Fraction
    count: int
    others: Composition | None

    @property
    def values(self) -> int:
        """How many values of K matter, roughly."""
        return 2 * _spread(self.rho, self.count, _LEAST_NATS) + self.count

    @property
    def is_lumpy(self) -> bool:
        """Whether few values of K matter and the law of T falls into lumps around them."""
        return self.rho >= _LUMPY and self.values < _FEW_VALUES

    def cost(self, depth: int = 0) -> float:
        """Of one question, roughly: values of K times the cost of the rest, from which `depth` more kinds may
        be taken out."""
        return self.values * _cost(self.others, depth)

    def scaled(self, factor: Fraction) -> "Narrow":
        """The same with all rhos times a factor."""
        return Narrow(self.rho * factor, self.count, self.others.scaled(factor) if self.others else None)

    def point(self, rest: Profile | None, eps: Fraction, alone: bool) -> ProfilePoint | None:
        """The guarantee of all cells, given that of the rest (None: there is none); None if too many values
        of K matter. alone: nothing else serves alpha, so that it should be sharp too."""
        found, terms = None, _Terms(self, rest, eps, alone)
        nats = _LEAST_NATS
        while nats < terms.least_nats and 2.0 * nats < _MOST_NATS:
            nats *= 2.0
        while nats < _MOST_NATS and (law := _law(self.rho, self.count, nats)) is not None:
            found, enough = terms.mixed(law)
            if enough:
                break
            nats *= 2.0
        return found


def narrowest(composition: Composition) -> Narrow | None:
    """The cells with the largest rho, if they are narrow and it is not too expensive to take them out."""
    found = _taken(composition, len(composition.cells) - 1)
    return found if found.is_lumpy or (found.rho >= NARROW and found.cost() <= _MOST_COST) else None


def cheapest(composition: Composition, depth: int) -> Narrow | None:
    """The kind of cells without which the others are easiest, for lattices that are too fine; None if
    that, too, is too expensive. depth: kinds that may be taken out after it."""
    kinds = [_taken(composition, place) for place in range(len(composition.cells))]
    found = min(kinds, key=lambda kind: kind.cost(depth))
    return found if found.cost(depth) <= _MOST_COST else None


def _cost(composition: Composition | None, depth: int) -> float:
    """Of one question about a composition: nodes, or what taking one kind of cells out costs."""
    nodes = foreseen(*zip(*composition.cells, strict=True))[3] if composition else 0.0
    if composition is None or depth == 0 or nodes <= _FEW_NODES:
        return nodes + _LEAST_NODES
    kinds = (_taken(composition, place) for place in range(len(composition.cells)))
    return min(nodes + _LEAST_NODES, *(kind.cost(depth - 1) for kind in kinds))


def _taken(composition: Composition, place: int) -> Narrow:
    rho, count = composition.cells[place]
    others = composition.cells[:place] + composition.cells[place + 1 :]
    return Narrow(rho, count, Composition(others) if others else None)


@dataclass(frozen=True, slots=True)
class _Law:
    """probability[j] of K = j - reach for P; missing: probability of everything else, at most."""

    reach: int
    probability: list[Certified]
    missing: Decimal


def _spread(rho: Fraction, count: int, nats: float) -> int:
    """|K| up to which values matter."""
    return math.isqrt(math.ceil(2 * count * Fraction(nats) / rho)) + 1


@lru_cache(maxsize=64)
def _law(rho: Fraction, count: int, nats: float) -> _Law | None:
    deep = nats > _DEEP_NATS
    spread, single = _spread(rho, count, nats), _spread(rho, 1, nats + math.log(count))
    if spread + single > (_MOST_DEEP_VALUES if deep else _MOST_VALUES):
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
        powers = _deep_power(kept, count, spread) if deep else _power(kept, count, spread)
        probability = [to_decimals(one).clipped(ZERO.value, ONE.value) for one in powers]
        # 2 for any of the cells, 2 for K and for each part of it that was cut off
        missing = (2 + 2 * (1 + 2 * count.bit_length())) * (-arb(nats)).exp()
    return _Law(len(powers) // 2, probability, to_decimals(missing).upper)


def _cut(values: list[arb], spread: int) -> list[arb]:
    """Up to `spread` from the middle."""
    middle = len(values) // 2
    return values[max(middle - spread, 0) : middle + spread + 1]


def _power(values: list[arb], count: int, spread: int) -> list[arb]:
    """The law of a sum of `count` terms, cut; precise relatively to its largest value."""
    power = arb_poly(values) ** count
    return _cut([power[j] for j in range((len(values) - 1) * count + 1)], spread)


def _deep_power(values: list[arb], count: int, spread: int) -> list[arb]:
    """The same, every value precise relatively to itself, however small: products term by term."""
    result, square = [arb(1)], values
    while True:
        if count % 2:
            result = _convolved(result, square, spread)
        count //= 2
        if not count:
            return result
        square = _convolved(square, square, spread)


def _convolved(first: list[arb], second: list[arb], spread: int) -> list[arb]:
    result = [arb(0)] * (len(first) + len(second) - 1)
    for j, one in enumerate(first):
        for k, other in enumerate(second):
            result[j + k] += one * other
    return _cut(result, spread)


class _Terms:
    """The rest's part of the terms at one eps, asked for as they are needed."""

    def __init__(self, narrow: Narrow, rest: Profile | None, eps: Fraction, alone: bool) -> None:
        self._narrow, self._rest, self._eps, self._alone = narrow, rest, eps, alone
        self._total = narrow.others.total_rho if narrow.others else Fraction(0)
        self._known: dict[int, ProfilePoint] = {}
        everything = self._total + narrow.rho * narrow.count
        #: Below this the answer, at most exp(-it), would not stand out from what is missing.
        self.least_nats = float(max(eps - everything / 2, Fraction(0)) ** 2 / (2 * everything)) + 40.0

    def mixed(self, law: _Law) -> tuple[ProfilePoint, bool]:
        """The sum, and whether what it lacks is negligible beside delta, and beside alpha if nothing else
        serves it."""
        beside = [ZERO] * self._narrow.count
        first, second = [*law.probability, *beside], [*beside, *law.probability]
        shifts = [self._shift(j - law.reach) for j in range(len(first))]
        sizes_p = [_log(one) + self._log_tail(x, 1) for one, x in zip(first, shifts, strict=True)]
        sizes_q = [_log(one) + self._log_tail(x, -1) for one, x in zip(second, shifts, strict=True)]
        gap = _FIRST_GAP
        while True:
            least_p, least_q = max(sizes_p) - gap, max(sizes_q) - gap
            asked = [p >= least_p or q >= least_q for p, q in zip(sizes_p, sizes_q, strict=True)]
            used = [j for j, one in enumerate(asked) if one]
            self._ask([j - law.reach for j in used])
            alpha = power = delta = ZERO
            for j in used:
                point = self._known[j - law.reach]
                alpha = total(alpha, product(first[j], point.alpha))
                power = total(power, product(second[j], point.power))
                delta = total(delta, product(second[j], point.delta))
            left_p, left_q = (
                _sum(size for size, one in zip(sizes, asked, strict=True) if not one)
                for sizes in (sizes_p, sizes_q)
            )
            most_p = min(_NEGLIGIBLE * alpha.lower if self._alone else ONE.value, _NEGLIGIBLE_TAIL)
            most_q = min(_NEGLIGIBLE * delta.lower, _NEGLIGIBLE_TAIL)
            if all(asked) or (left_p <= most_p and left_q <= most_q):
                break
            gap *= 2.0
        left_p, left_q = UP.add(left_p, law.missing), UP.add(left_q, law.missing)
        numbers = _raised(delta, left_q), _raised(alpha, left_p), _raised(power, left_q)
        return ProfilePoint(self._eps, *numbers), left_p <= most_p and left_q <= most_q

    def _shift(self, k: int) -> Fraction:
        return self._eps - self._narrow.rho * (k - Fraction(self._narrow.count, 2))

    def _ask(self, ks: list[int]) -> None:
        new = [k for k in ks if k not in self._known]
        shifts = [self._shift(k) for k in new]
        points = self._rest(shifts) if self._rest else [certain(x) for x in shifts]
        self._known.update(zip(new, points, strict=True))

    def _log_tail(self, x: Fraction, side: int) -> float:
        """ln of a bound on the rest's P(T > x) (side 1), and on Q(T > x) and delta(x) (side -1)."""
        if self._total == 0:  # T = 0, certainly
            return 0.0 if x < 0 else -math.inf
        far = max(x + side * self._total / 2, Fraction(0))
        return -float(far * far / (2 * self._total)) * (1.0 - 1e-12)


def _log(probability: Certified) -> float:
    """ln of a probability, rounded up by less than a decade."""
    return (
        (probability.upper.adjusted() + 1) * math.log(10.0) * (1.0 - 1e-12)
        if probability.upper
        else -math.inf
    )


def _sum(sizes: Iterable[float]) -> Decimal:
    """Sum of exponentials, rounded up."""
    result = Decimal(0)
    for size in sizes:
        if size > -math.inf:
            result = UP.add(result, UP.multiply(UP.exp(Decimal(size)), Decimal("1.000001")))
    return result


def _raised(number: Certified, missing: Decimal) -> Certified:
    upper = UP.add(number.upper, missing)
    return Certified(number.value, number.lower, upper).clipped(ZERO.value, ONE.value)
