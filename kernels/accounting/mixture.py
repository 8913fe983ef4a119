"""A composition as a mixture, some of its cells taken out: where the law of T falls into lumps.

In the valleys between the lumps of very narrow noise no single tilt brings every term to the size of the
answer. But given the sum K of all noise of one kind (n cells with parameter rho), T = rho (K - n/2) +
rest, so

    delta(eps) = sum over k of Q(K = k) delta_rest(eps - rho (k - n/2)),

and the tails likewise with P and Q: sums of positive terms, in which nothing cancels; and so for several
kinds at once, whose sums are independent. What lies beyond the values of K that are summed has probability
at most 2 exp(-K^2 rho / 2n), and the terms that are too small to be asked for are bounded by the rest being
sub-Gaussian; both are part of the upper bounds.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import mul

import numpy as np
from numpy.typing import NDArray

from kernels.accounting.composition import Composition
from kernels.accounting.plan_summary import foreseen_nodes
from kernels.accounting.profile_point import Profile, ProfilePoint, almost_certain, certain
from kernels.accounting.sum_law import Floats, SumLaw, spread, sum_law
from kernels.intervals.interval import NEAREST, ONE, UP, ZERO, Interval

#: Limit on the cost of removing cells (Mixture.cost): a few seconds.
MOST_COST = 5e6
_NARROW = Fraction(1, 10)  # rho from which on the values of K are few enough to go through
_LUMPY, _FEW_VALUES = Fraction(5), 40  # rho and number of values of K by which T alone falls into lumps
_LEAST_NODES = 500  # what the fixed work of a question costs, in nodes
_FEW_NODES = 50_000  # of a rest that is easy enough to take out no more cells
_LEAST_NATS, _MOST_NATS = 90.0, 400_000.0  # -ln of the weight of the values of K left out: 1e-39 at most
# Terms that are asked for in any case; that are enough where only alpha would gain by more; at most, in a few
# seconds; and combinations of values of K that fit into memory as arrays of exact integers.
_LEAST_TERMS, _MANY_TERMS, _MOST_TERMS, _MOST_LOOKED_AT = 100, 1_000, 20_000, 1_000_000
_FIRST_GAP, _GAP = 25.0, 50.0  # nats below the largest bound of the terms asked for first, and usually
_MOST_PAIRED = 16  # most kinds for which pairs are tried; with more, removing two hardly helps
_MOST_TRIED = 500  # kinds of which one at a time is tried: each try costs a millisecond
_FURTHEST = 10**140  # loss beyond which bounds shrink no further, since its square overflows a double
_DOUBT = Decimal("1e-60")  # probability that counts as none where T exceeds something almost certainly
_NEGLIGIBLE, _NEGLIGIBLE_TAIL = Decimal("1e-16"), Decimal("1e-37")  # relative to delta; of a tail

Kind = tuple[Fraction, int]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Kinds of cells, (rho, count) each, beside a rest (None if there is none)."""

    kinds: tuple[Kind, ...]
    others: Composition | None

    @property
    def is_lumpy(self) -> bool:
        """Whether few values of every K matter and the law of T falls into lumps around them."""
        return all(map(_is_lumpy, self.kinds))

    @property
    def terms(self) -> float:
        """How many terms matter, roughly: values of all K that take up _GAP nats at most, twice; infinite
        where the values of one K are too many to look at."""
        if any(spread(rho, count, _GAP) > _MOST_LOOKED_AT for rho, count in self.kinds):
            return math.inf
        spent = np.zeros(int(_GAP) + 1)  # combinations by whole nats
        spent[0] = 1.0
        for rho, count in self.kinds:
            nats = 0.5 * float(rho) / count * np.arange(spread(rho, count, _GAP) + 1.0) ** 2
            each = np.bincount(nats[nats < len(spent)].astype(np.int64), minlength=len(spent))
            spent = np.convolve(spent, 2.0 * each - (np.arange(len(spent)) == 0))[: len(spent)]
        return float(min(2.0 * spent.sum(), math.prod(float(_values(kind)) for kind in self.kinds)))

    @property
    def cost(self) -> float:
        """Of one question, roughly: terms times nodes of the rest."""
        return self.terms * self.cost_of_rest

    @property
    def cost_of_rest(self) -> float:
        """Of one question about the rest: nodes, roughly."""
        return _LEAST_NODES + (foreseen_nodes(self.others) if self.others else 0.0)

    def scaled(self, factor: Fraction) -> "Mixture":
        """The same with all rhos times a factor."""
        kinds = tuple((rho * factor, count) for rho, count in self.kinds)
        return Mixture(kinds, self.others.scaled(factor) if self.others else None)

    def point(self, rest: Profile | None, eps: Fraction, alone: bool) -> ProfilePoint | None:
        """The guarantee of all cells, given that of the rest (None: there is none); None if too many values
        of K matter. alone: nothing else serves the tails, so that they should be sharp too."""
        best, terms = None, _Terms(self, rest, eps, alone)
        nats = _LEAST_NATS
        while nats < terms.least_nats and 2.0 * nats < _MOST_NATS:
            nats *= 2.0
        while nats < _MOST_NATS:
            laws = [law for rho, count in self.kinds if (law := sum_law(rho, count, nats))]
            if len(laws) < len(self.kinds):
                break
            point, lacking = terms.mixed(laws)
            best = point or best
            if not lacking:
                break
            nats *= 2.0
        return best


def narrowest(composition: Composition, effort: float) -> Mixture | None:
    """The cells with the largest rhos, if they are narrow and it is not too expensive to take them out: all
    kinds that make lumps, fewer only where that leaves an easy rest, or one kind if there are no lumps."""
    last = len(composition.cells) - 1
    if composition.cells[last][0] < _NARROW:
        return None
    lumpy = [place for place in range(last, -1, -1) if _is_lumpy(composition.cells[place])]
    if len(lumpy) > _MOST_TRIED:
        return None
    for many in range(max(len(lumpy), 1), 0, -1):
        mixture = _taken(composition, tuple(lumpy[:many] or [last]))
        whole = many >= len(lumpy) or mixture.cost_of_rest <= _FEW_NODES
        if whole and mixture.cost <= effort:
            return mixture
    return None


def cheapest(composition: Composition, effort: float) -> Mixture | None:
    """The cells, two kinds at most, without which the others are easiest, for lattices that are too fine;
    None if that is too expensive, or if they are hardly easier."""
    if len(composition.cells) > _MOST_TRIED:
        return None
    kinds = range(len(composition.cells))
    best = min((_taken(composition, (place,)) for place in kinds), key=lambda mixture: mixture.cost)
    if best.cost > _FEW_NODES and 2 <= len(kinds) <= _MOST_PAIRED:
        pairs = (_taken(composition, places) for places in combinations(kinds, 2))
        best = min(best, *pairs, key=lambda mixture: mixture.cost)
    if best.cost > effort or best.cost_of_rest > foreseen_nodes(composition) / 4.0:
        return None
    return best


def _taken(composition: Composition, places: tuple[int, ...]) -> Mixture:
    cells = composition.cells
    others = tuple(cell for place, cell in enumerate(cells) if place not in places)
    return Mixture(tuple(cells[place] for place in places), Composition(others) if others else None)


def _values(kind: Kind) -> int:
    """How many values of K matter, roughly."""
    rho, count = kind
    return 2 * spread(rho, count, _LEAST_NATS) + count


def _is_lumpy(kind: Kind) -> bool:
    return kind[0] >= _LUMPY and _values(kind) < _FEW_VALUES


@dataclass(frozen=True, slots=True)
class _Atoms:
    """Terms of a sum.

    shifts: the eps that the rest is asked for, in units, [k]; places: of the Ks in their laws, [k, kind];
    left_p, left_q: bounds on what all other terms add to alpha, and to delta and power; largest_p,
    largest_q: ln of the largest bounds on a term.
    """

    shifts: NDArray[np.object_]
    places: NDArray[np.int64]
    left_p: Decimal
    left_q: Decimal
    largest_p: float
    largest_q: float

    def gap(self, most: Decimal, side: int) -> float:
        """How far below the largest bound terms matter if all others may add `most`, roughly; more of them
        (0) if that is nothing."""
        largest = self.largest_p if side > 0 else self.largest_q
        return largest - float(NEAREST.ln(most)) + math.log(len(self.shifts)) if most else 0.0


class _Terms:
    """The rest's part of the terms at one eps, asked for as they are needed."""

    def __init__(self, mixture: Mixture, rest: Profile | None, eps: Fraction, alone: bool) -> None:
        self._mixture, self._rest, self._eps, self._alone = mixture, rest, eps, alone
        self._total = mixture.others.total_rho if mixture.others else Fraction(0)
        halves = [rho / 2 for rho, _ in mixture.kinds]
        #: What the rest is asked for are multiples of 1 over this.
        self._unit = math.lcm(*(number.denominator for number in (eps, self._total / 2, *halves)))
        self._known: dict[int, ProfilePoint] = {}
        self._most_terms = max(min(_MOST_TERMS, 2.0 * MOST_COST / mixture.cost_of_rest), _LEAST_TERMS)
        # P(T <= -x) <= exp(-(x - R/2)^2 / 2R), and so for Q, is at most _DOUBT from here on.
        nats = -_DOUBT.adjusted() * Fraction(2303, 1000)
        self._sure = math.ceil(
            self._unit * (self._total / 2 + math.isqrt(math.ceil(2 * nats * self._total)) + 1)
        )
        everything = self._total + sum(rho * count for rho, count in mixture.kinds)
        far = eps + everything / 2 if alone else eps - everything / 2
        #: Below this the answer, at most exp(-it), would not stand out from what is missing.
        self.least_nats = float(max(far, Fraction(0)) ** 2 / (2 * everything)) + 40.0

    def mixed(self, laws: list[SumLaw]) -> tuple[ProfilePoint | None, bool]:
        """The sum of terms until what they lack is negligible beside delta, and beside the tails if nothing
        else serves them, or as many as are worth their time (None: not even the first ones); and whether
        values of K are lacking."""
        result, gap, lacking, enough = None, _FIRST_GAP, False, False
        missing = reduce(UP.add, (law.missing for law in laws))
        while not enough and (atoms := self._atoms(laws, gap)) is not None:
            self._ask(atoms.shifts)
            alpha = power = delta = ZERO
            for places, shift in zip(atoms.places, atoms.shifts, strict=True):
                point = self._known[shift]
                first = reduce(mul, (law.first[j] for law, j in zip(laws, places, strict=True)))
                second = reduce(mul, (law.second[j] for law, j in zip(laws, places, strict=True)))
                alpha = alpha + first * point.alpha
                power = power + second * point.power
                delta = delta + second * point.delta
            most_p, most_q = ONE.value, _NEGLIGIBLE * delta.lower
            if self._alone:
                most_p = min(_NEGLIGIBLE * alpha.lower, _NEGLIGIBLE_TAIL)
                most_q = min(most_q, _NEGLIGIBLE_TAIL)
            left_p, left_q = UP.add(atoms.left_p, missing), UP.add(atoms.left_q, missing)
            numbers = _raised(delta, left_q), _raised(alpha, left_p), _raised(power, left_q)
            result, enough = ProfilePoint(self._eps, *numbers), left_p <= most_p and left_q <= most_q
            lacking = missing > min(most_p, most_q)
            many = left_q <= most_q and len(atoms.shifts) > _MANY_TERMS  # for the sake of alpha alone
            if lacking or many:
                break
            gap = max(1.5 * gap, atoms.gap(most_q, -1), atoms.gap(most_p, 1) if self._alone else 0.0)
        return result, lacking

    def _atoms(self, laws: list[SumLaw], gap: float) -> _Atoms | None:
        """The terms within `gap` nats of the largest bound, found kind by kind: what is left out with the
        first kinds is bounded by all that follow being sub-Gaussian. None if they are too many."""
        shifts: NDArray[np.object_] = np.array([int(self._eps * self._unit)], object)
        log_p = log_q = np.zeros(1)
        places, left_p, left_q = np.zeros((1, 0), np.int64), ZERO.value, ZERO.value
        following = sum((rho * count for rho, count in self._mixture.kinds), self._total)
        for (rho, count), law in zip(self._mixture.kinds, laws, strict=True):
            values = len(law.first)
            if len(shifts) * values > _MOST_LOOKED_AT:
                return None
            following -= rho * count
            half = int(rho / 2 * self._unit)
            steps = [half * (count - 2 * (j - law.reach)) for j in range(values)]
            shifts = np.add.outer(shifts, np.array(steps, object)).ravel()
            log_p = np.add.outer(log_p, law.log_first).ravel()
            log_q = np.add.outer(log_q, law.log_second).ravel()
            places = np.column_stack([places.repeat(values, 0), np.tile(np.arange(values), len(places))])
            size_p = log_p + self._log_tails(shifts, following, 1)
            size_q = log_q + self._log_tails(shifts, following, -1)
            largest_p, largest_q = float(size_p.max()), float(size_q.max())
            kept = size_q >= largest_q - gap
            if self._alone:
                kept |= size_p >= largest_p - gap
            left_p = UP.add(left_p, _sum(size_p[~kept]))
            left_q = UP.add(left_q, _sum(size_q[~kept]))
            shifts, log_p, log_q, places = shifts[kept], log_p[kept], log_q[kept], places[kept]
        if len(shifts) > self._most_terms:
            return None
        return _Atoms(shifts, places, left_p, left_q, largest_p, largest_q)

    def _ask(self, shifts: NDArray[np.object_]) -> None:
        """Fill in the points of the rest that are not known yet."""
        new = {shift: Fraction(shift, self._unit) for shift in sorted(set(shifts) - self._known.keys())}
        if self._rest is None:
            self._known |= {shift: certain(eps) for shift, eps in new.items()}
            return
        unsure = [shift for shift in new if shift >= -self._sure]
        points = self._rest([new[shift] for shift in unsure])
        self._known |= {shift: almost_certain(new[shift], _DOUBT) for shift in new if shift < -self._sure}
        self._known |= zip(unsure, points, strict=True)

    def _log_tails(self, shifts: NDArray[np.object_], rhos: Fraction, side: int) -> Floats:
        """ln of a bound on P(T > x) (side 1), and on Q(T > x) and delta(x) (side -1), of cells with this sum
        of rhos."""
        if rhos == 0:  # T = 0, certainly
            return np.where(shifts < 0, 0.0, -math.inf)
        half = side * int(rhos / 2 * self._unit)
        far = np.array([min(max(shift + half, 0), _FURTHEST * self._unit) / self._unit for shift in shifts])
        return -(far * far / (2.0 * float(rhos))) * (1.0 - 1e-12)


def _sum(sizes: Floats) -> Decimal:
    """Sum of exponentials, rounded up: twice, far more than what doubles lose."""
    largest = float(sizes.max(initial=-math.inf))
    if largest == -math.inf:
        return Decimal(0)
    return UP.multiply(2, UP.exp(Decimal(largest + math.log(np.exp(sizes - largest).sum()))))


def _raised(number: Interval, missing: Decimal) -> Interval:
    upper = UP.add(number.upper, missing)
    return Interval(number.value, number.lower, upper).clipped()
