"""Any question about one composition: privacy profile, eps, trade-off function, variance reduction, plan.

T is the log-likelihood ratio of the composition, P and Q its laws under the two hypotheses (bounded
neighbours: in every query one count falls and one rises by 1). delta(eps) = Q(T > eps) - e^eps P(T > eps);
the trade-off function runs through (P(T >= t), Q(T < t)).
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

from kernels.accounting.composition import Composition
from kernels.accounting.inverse import (
    ExactEvaluation,
    Reduction,
    by_profile,
    by_tilt,
    least_epsilon,
    log_deltas,
    near_one,
    variance_reduction,
)
from kernels.accounting.mixture import MOST_COST, Narrow, cheapest, narrowest
from kernels.accounting.plan_summary import PlanSummary, foresee, foreseen_nodes, summarise
from kernels.accounting.profile_point import MOST_DECADES, PROMISED, Profile, ProfilePoint, negligible
from kernels.accounting.tiers import from_tails
from kernels.accounting.tradeoff.search import type_two_error
from kernels.errors import Refused
from kernels.intervals.interval import (
    INFINITE,
    ONE,
    UP,
    ZERO,
    Interval,
    exponential,
    from_fraction,
    from_triple,
)
from kernels.numerics.absolute.trapezoid import Quadrature, quadrature, tails
from kernels.numerics.nodes.plan import Plan, make_plan
from kernels.numerics.nodes.survivors import SOFTEST
from kernels.numerics.relative.selection import Selection, select, softness
from kernels.numerics.relative.tilt import LatticePoint, Tails, Tilt

_PROMISED_BOUND = 1e-34  # absolute bound up to which tails are as sharp as can be
_TELLING_BOUND = 1e-12  # from which on tails tell less than delta, whose nodes are weighed anew
_QUICK_NODES = 20_000
_QUICK_COST = 200_000  # of taking cells out, a fraction of a second
_MOST_KINDS = 2_000  # distinct rhos that are answered for within a minute
_POOR_BOUND = 1e-6  # from which on tilting is slow, too


class Accountant:
    """Exact accounting of one composition. The plan is made on first use; nothing else is kept between
    questions."""

    def __init__(self, composition: Composition, thresholds: int = 1001, effort: float = MOST_COST) -> None:
        """effort: what taking narrow cells out may cost, see narrow.Narrow.cost. Raises Refused for a
        composition of too many distinct rhos."""
        if len(composition.cells) > _MOST_KINDS:
            raise Refused(f"out of reach: {len(composition.cells)} distinct rhos; allowed: {_MOST_KINDS}")
        self.composition = composition
        self._thresholds = thresholds
        self._effort = effort
        self._soft_nodes: dict[float, Selection] = {}
        self._rebased: dict[Fraction, Accountant] = {}

    @cached_property
    def plan(self) -> Plan:
        """Lattice, surviving nodes and error budget. Raises Refused when too many nodes survive."""
        rhos, counts = zip(*self.composition.cells, strict=True)
        return make_plan(rhos, counts, self._thresholds)

    @cached_property
    def rule(self) -> Quadrature:
        """Coefficients of the absolute tier."""
        return quadrature(self.plan)

    @cached_property
    def tilt(self) -> Tilt:
        """The relative tier."""
        return Tilt(self.plan, select(self.plan, 1.0))

    @cached_property
    def absolute_bound(self) -> float:
        """Bound on the absolute error of every tail of the absolute tier: 1e-35 or less, but for fine
        lattices and very many cells."""
        return (self.plan.truncation_bound + self.plan.sieve_bound + self.rule.rounding_bound) * (1.0 + 1e-12)

    @cached_property
    def _total(self) -> Fraction:
        return self.composition.total_rho

    @cached_property
    def _spacing(self) -> Fraction:
        return self.composition.spacing

    def plan_summary(self) -> PlanSummary:
        """The plan in figures; predictions where it is out of reach."""
        try:
            return summarise(self.plan, self.rule)
        except Refused:
            return foresee(self.composition)

    def profile(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The privacy profile and both tails at every eps, any real numbers given exactly."""
        sizes = sorted({abs(value) for value in eps})
        known = dict(zip(sizes, self._points(sizes), strict=True))
        return [known[value] if value >= 0 else self._mirrored(value, known[-value]) for value in eps]

    def _points(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at ascending eps >= 0."""
        points = {value: negligible(value) for value in eps if self._decades(value) >= MOST_DECADES}
        if self._apart_first(_PROMISED_BOUND):
            for value in eps:
                point = None if value in points else self._mixed(value, alone=True)
                if point is not None and point.is_sharp:
                    points[value] = point
        left = [value for value in eps if value not in points]
        return sorted([*points.values(), *self._direct(left)], key=lambda point: point.eps)

    def _direct(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at ascending eps >= 0 by both tiers; where they are not sharp, also without the narrowest
        cells."""
        points = []
        for point in self._by_tiers(eps):
            other = None if point.is_sharp else self._mixed(point.eps, alone=False)
            points.append(point if other is None else point.meet(other))
        return points

    def _by_tiers(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at eps >= 0 by both tiers."""
        points = []
        for value, point in zip(eps, self._by_tilt(eps), strict=True):
            alpha, power = self._upper_tail(value), self._lower_tail(-value)
            alpha, power = alpha.meet(point.alpha), power.meet(point.power)
            direct = (power - exponential(value) * alpha).clipped(ZERO.value, ONE.value)
            points.append(ProfilePoint(value, direct.meet(point.delta), alpha, power))
        return points

    def _by_tilt(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at eps >= 0 by the relative tier alone."""
        if not eps:
            return []
        found = self._relative(eps)
        return [
            ProfilePoint(value, *(from_tails(found, row, which) for which in (2, 1, 0)))
            for row, value in enumerate(eps)
        ]

    def _decades(self, eps: Fraction) -> Fraction:
        """D with delta(eps), P(T >= eps) and Q(T >= eps) at most 10^-D: sub-Gaussian bound, ln 10 < 5/2."""
        return max(eps - self._total / 2, Fraction(0)) ** 2 / (5 * self._total)

    @cached_property
    def _bound_if_planned(self) -> float:
        """The absolute bound; infinite where there is no plan."""
        try:
            return self.absolute_bound
        except Refused:
            return math.inf

    @cached_property
    def _apart(self) -> Narrow | None:
        """The cells to take out: the narrowest, or for fine lattices those without which the others are
        easiest."""
        found = narrowest(self.composition, self._effort)
        if (found and found.is_lumpy) or self._bound_if_planned <= _PROMISED_BOUND:
            return found
        return cheapest(self.composition, self._effort)

    @cached_property
    def _foreseen_nodes(self) -> float:
        return foreseen_nodes(self.composition)

    def _apart_first(self, bound: float) -> bool:
        """Whether answers come from the few values of the cells taken out before anything else: the law of T
        is lumpy and not quickly planned, or its lattice so fine that the absolute bound is larger than the
        given one."""
        if self._apart is None:
            return False
        heavy = self._apart.is_lumpy and self._foreseen_nodes > _QUICK_NODES
        return heavy or self._bound_if_planned > bound

    @cached_property
    def _others(self) -> "Accountant | None":
        """Of all other cells."""
        assert self._apart is not None
        others, effort = self._apart.others, self._effort / self._apart.terms
        return Accountant(others, self._thresholds, effort) if others else None

    def _mixed(self, eps: Fraction, alone: bool) -> ProfilePoint | None:
        """The point at any eps by taking cells out, where that is possible; alone: its tails should be sharp
        too."""
        if self._apart is None:
            return None
        rest = self._others.profile if self._others else None
        return self._apart.point(rest, eps, alone)

    def _mirrored(self, eps: Fraction, other: ProfilePoint) -> ProfilePoint:
        """The point at eps < 0 from that at -eps, as T under Q is -T under P: delta(eps) = 1 - e^eps + e^eps
        delta(-eps)."""
        alpha, power = self._closed_tails(-eps)
        delta = 1 - exponential(eps) * (1 - other.delta)
        numbers = (number.clipped(ZERO.value, ONE.value) for number in (delta, 1 - power, 1 - alpha))
        return ProfilePoint(eps, *numbers)

    def _relative(self, eps: Sequence[Fraction]) -> Tails:
        return self.tilt.tails([self.tilt.first_point(value) for value in eps])

    def log_profile(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln delta and the bound on the relative error of delta at every eps >= 0, [k] each, by tilting."""
        value, error = log_deltas(self._relative([Fraction(float(one)) for one in eps]))
        known = np.where(error <= 1.0, np.expm1(np.minimum(error, 1.0)) * (1.0 + 1e-9) + 2.0**-51, np.inf)
        return value, known

    def _upper_tail(self, eps: Fraction, closed: bool = False) -> Interval:
        """P(T > eps) (closed: P(T >= eps)) by the absolute tier."""
        return self._tail(2 * self.tilt.first_point(eps, closed).position - 1)

    def _lower_tail(self, eps: Fraction, closed: bool = False) -> Interval:
        """P(T < eps) (closed: P(T <= eps)) by the absolute tier, S being symmetric under P."""
        return self._tail(1 - 2 * self.tilt.first_point(eps, not closed).position)

    def _tail(self, odd: int) -> Interval:
        """P(S >= s) with odd = 2 s - 1."""
        if abs(odd) * self.plan.spacing > 2 * Fraction(
            self.plan.reach
        ):  # beyond reach the tail is below 1e-35
            tiny = Interval(Decimal(0), Decimal(0), Decimal("1e-35"))
            return tiny if odd > 0 else 1 - tiny
        value = from_triple(tails(self.rule, [odd])[0], self.absolute_bound)
        return value.clipped(ZERO.value, ONE.value)

    @cached_property
    def _delta_at_zero(self) -> Interval:
        return self.profile([Fraction(0)])[0].delta

    def _is_kept_at_zero(self, delta: Fraction) -> bool:
        """Whether delta(0) <= delta, certainly."""
        target = from_fraction(delta).lower
        if self._apart_first(_POOR_BOUND) and self._sharp_deltas([Fraction(0)])[0].delta.lower > target:
            return False  # told without the tails
        return self._delta_at_zero.upper <= target

    def epsilon(self, delta: Fraction, guess: float | None = None) -> Interval:
        """The least eps >= 0 with delta(eps) <= delta: 0 from delta(0) on, infinite at delta = 0.

        guess: where to start the search, if something within about 0.01 is known; the answer's bounds do not
        depend on it. Raises ValueError for delta outside [0, 1].
        """
        if not 0 <= delta <= 1:
            raise ValueError(f"delta must lie in [0, 1], not {delta}")
        if delta == 0:
            return INFINITE
        if delta == 1 or self._is_kept_at_zero(delta):
            return ZERO
        rho, rest = self._total / 2, near_one(delta)
        if self._apart_first(_POOR_BOUND):
            return least_epsilon(by_profile(self._sharp_deltas, rest), rho, delta, guess)
        rough = by_tilt(self.tilt.rough(), rest) if guess is None else None
        found = least_epsilon(by_tilt(self.tilt, rest), rho, delta, guess, rough)
        if self._apart is None or found.width <= UP.multiply(PROMISED, found.value):
            return found
        return found.meet(least_epsilon(by_profile(self._sharp_deltas, rest), rho, delta, float(found.value)))

    def reduction(self, delta: Fraction) -> Reduction:
        """Variance reduction at delta against the Census Bureau's zCDP calibration.

        Raises ValueError for delta outside (0, 1).
        """
        if not 0 < delta < 1:
            raise ValueError(f"delta must lie strictly between 0 and 1, not {delta}")
        rho, rest = self._total / 2, near_one(delta)

        def by_points(scale: Fraction) -> ExactEvaluation:
            return by_profile(self._scaled_profile(scale), rest)

        # Tilts that tell little bisect, on many plans: every scale far from 1 has its own.
        quick = self._apart is not None and self._apart.is_lumpy and self._apart.cost <= _QUICK_COST
        if quick or self._apart_first(_POOR_BOUND):
            return variance_reduction(by_points, rho, delta)
        try:
            found = variance_reduction(lambda scale: by_tilt(self._scaled_tilt(scale), rest), rho, delta)
        except Refused:  # so little noise that no tilt tells anything
            if self._apart is None:
                raise
            return variance_reduction(by_points, rho, delta)
        if self._apart is None or found.scale.width <= UP.multiply(PROMISED, found.scale.value):
            return found
        other = variance_reduction(by_points, rho, delta, float(found.scale.value))
        return min(found, other, key=lambda one: one.scale.width)

    def _scaled_profile(self, scale: Fraction) -> Profile:
        scaled = Accountant(self.composition.scaled(scale), self._thresholds)
        scaled._apart = self._apart.scaled(scale) if self._apart else None
        return scaled._sharp_deltas

    def _sharp_deltas(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at eps >= 0 whose delta is sharp, while their tails may not be."""
        points = [(one, self._mixed(one, alone=False)) for one in eps]
        return [point if point and point.is_sharp else self.profile([one])[0] for one, point in points]

    def _scaled_tilt(self, scale: Fraction) -> Tilt:
        """The relative tier with all rhos scaled by a factor >= 1, far from 1 on a plan of its own."""
        soft = softness(self.plan, scale)
        if soft >= SOFTEST:
            level = max(math.floor(20.0 * soft) / 20.0, SOFTEST)
            if level not in self._soft_nodes:
                self._soft_nodes[level] = select(self.plan, level)
            return Tilt(self.plan, self._soft_nodes[level], scale)
        if soft <= 0.0:
            raise Refused("out of reach: the noise of some cell is too small for a variance reduction")
        power = math.floor(math.log(scale) / math.log(1.1))
        if power == 0:
            return Accountant(self.composition.scaled(scale), self._thresholds).tilt
        base = Fraction(11, 10) ** power
        if base > scale:  # the logarithm was rounded up
            base /= Fraction(11, 10)
        if base not in self._rebased:
            self._rebased[base] = Accountant(self.composition.scaled(base), self._thresholds)
        return self._rebased[base]._scaled_tilt(scale / base)

    def tradeoff(self, alpha: Fraction) -> Interval:
        """The trade-off function: the least type II error beta at type I error alpha.

        Raises ValueError for alpha outside [0, 1].
        """
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], not {alpha}")
        return type_two_error(self._quick_profile, self._spacing, self._total, alpha)

    def _quick_profile(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The profile at eps >= 0, no sharper than the trade-off function needs it: where the absolute bound
        is large, delta tells more than tails, and the relative tier alone serves."""
        if self._apart_first(_PROMISED_BOUND):
            return self.profile(eps)
        return self._by_tiers(eps) if self.absolute_bound <= _TELLING_BOUND else self._by_tilt(eps)

    def _closed_tails(self, t: Fraction) -> tuple[Interval, Interval]:
        """P and Q of T >= t for t >= 0, both tiers together."""
        if self._decades(t) >= MOST_DECADES:
            return negligible(t).alpha, negligible(t).power
        if self._apart_first(_PROMISED_BOUND):  # halfway to the last lattice point that does not belong
            first = math.ceil((t + self._total / 2) / self._spacing)
            point = self._mixed((first - Fraction(1, 2)) * self._spacing - self._total / 2, alone=True)
            if point is not None and point.is_sharp:
                return point.alpha, point.power
        first_point = self.tilt.first_point(t, closed=True)
        relative = self.tilt.tails([LatticePoint(first_point.position, first_point.t, 0.0)])
        alpha = self._upper_tail(t, closed=True).meet(from_tails(relative, 0, 1))
        return alpha, self._lower_tail(-t, closed=True).meet(from_tails(relative, 0, 0))
