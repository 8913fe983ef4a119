"""Any question about one composition: privacy profile, eps, trade-off function, variance reduction, plan.

T is the log-likelihood ratio of the composition, P and Q its laws under the two hypotheses (bounded
neighbours: in every query one count falls and one rises by 1). delta(eps) = Q(T > eps) - e^eps P(T > eps);
the trade-off function runs through (P(T >= t), Q(T < t)).
"""

import math
from collections.abc import Sequence
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
from kernels.accounting.mixture import MOST_COST, Mixture, cheapest, narrowest
from kernels.accounting.plan_summary import PlanSummary, foresee, foreseen_nodes, summarise
from kernels.accounting.profile_point import PROMISED, Profile, ProfilePoint, negligible
from kernels.accounting.tiers import Tiers
from kernels.accounting.tradeoff.search import type_two_error
from kernels.errors import Refused
from kernels.intervals.interval import INFINITE, UP, ZERO, Interval, exponential, from_fraction

# Bounds on the absolute error of tails. Up to the first, ten times the tolerance of a plan, tails are as
# sharp as can be; above the second they are less informative than delta, whose nodes are selected anew; above
# the third tilting is slow, too.
_PROMISED_BOUND, _TELLING_BOUND, _POOR_BOUND = 1e-34, 1e-12, 1e-6
_QUICK_NODES = 20_000  # a plan of so many is made faster than cells are taken out
_QUICK_COST = 200_000  # of taking cells out: a fraction of a second


class Accountant:
    """Exact accounting of one composition. The plan is made on first use; nothing else is kept between
    questions."""

    def __init__(
        self,
        composition: Composition,
        thresholds: int = 1001,
        effort: float = MOST_COST,
        mixture: Mixture | None = None,
    ) -> None:
        """effort: what taking cells out may cost, see Mixture.cost; mixture: which ones to take out, chosen
        by default. Raises Refused for a composition of too many distinct rhos."""
        self.composition = composition
        self.tiers = Tiers(composition, thresholds)
        self._total = composition.total_rho
        self._thresholds, self._effort, self._given = thresholds, effort, mixture

    def plan_summary(self) -> PlanSummary:
        """The plan in figures; predictions where it is out of reach."""
        try:
            return summarise(self.tiers.plan, self.tiers.rule)
        except Refused:
            return foresee(self.composition)

    def profile(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The privacy profile and both tails at every eps, any real numbers given exactly."""
        points = self._points(sorted({abs(value) for value in eps}))
        return [points[value] if value >= 0 else self._mirrored(value, points[-value]) for value in eps]

    def log_profile(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln delta and the bound on the relative error of delta at every eps >= 0, [k] each, by tilting."""
        value, error = log_deltas(self.tiers.relative_tails([Fraction(number) for number in eps.tolist()]))
        relative = np.where(error <= 1.0, np.expm1(np.minimum(error, 1.0)) * (1.0 + 1e-9) + 2.0**-51, np.inf)
        return value, relative

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
        if self._is_mixed_first(_POOR_BOUND):
            return least_epsilon(by_profile(self._sharp_deltas, rest), rho, delta, guess)
        tilt = self.tiers.tilt
        rough = by_tilt(tilt.rough(), rest) if guess is None else None
        eps = least_epsilon(by_tilt(tilt, rest), rho, delta, guess, rough)
        if self._mixture is None or eps.width <= UP.multiply(PROMISED, eps.value):
            return eps
        return eps.meet(least_epsilon(by_profile(self._sharp_deltas, rest), rho, delta, float(eps.value)))

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
        quick = self._mixture is not None and self._mixture.is_lumpy and self._mixture.cost <= _QUICK_COST
        if quick or self._is_mixed_first(_POOR_BOUND):
            return variance_reduction(by_points, rho, delta)
        try:
            tilted = variance_reduction(lambda c: by_tilt(self.tiers.scaled_tilt(c), rest), rho, delta)
        except Refused:  # so little noise that no tilt tells anything
            if self._mixture is None:
                raise
            return variance_reduction(by_points, rho, delta)
        if self._mixture is None or tilted.scale.width <= UP.multiply(PROMISED, tilted.scale.value):
            return tilted
        mixed = variance_reduction(by_points, rho, delta, float(tilted.scale.value))
        return min(tilted, mixed, key=lambda reduction: reduction.scale.width)

    def tradeoff(self, alpha: Fraction) -> Interval:
        """The trade-off function: the least type II error beta at type I error alpha.

        Raises ValueError for alpha outside [0, 1].
        """
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], not {alpha}")
        return type_two_error(self._quick_profile, self.composition.spacing, self._total, alpha)

    def _points(self, eps: Sequence[Fraction]) -> dict[Fraction, ProfilePoint]:
        """Points at ascending eps >= 0, by it: by both tiers, and by taking cells out where that is to come
        first or where the tiers are not sharp."""
        points = {value: point for value in eps if (point := negligible(value, self._total))}
        if self._is_mixed_first(_PROMISED_BOUND):
            for value in (value for value in eps if value not in points):
                point = self._mixed(value, alone=True)
                if point is not None and point.is_sharp:
                    points[value] = point
        for point in self.tiers.points([value for value in eps if value not in points]):
            mixed = None if point.is_sharp else self._mixed(point.eps, alone=False)
            points[point.eps] = point.meet(mixed) if mixed else point
        return points

    def _mirrored(self, eps: Fraction, other: ProfilePoint) -> ProfilePoint:
        """The point at eps < 0 from that at -eps, as T under Q is -T under P: delta(eps) = 1 - e^eps + e^eps
        delta(-eps)."""
        alpha, power = self._closed_tails(-eps)
        delta = 1 - exponential(eps) * (1 - other.delta)
        numbers = (number.clipped() for number in (delta, 1 - power, 1 - alpha))
        return ProfilePoint(eps, *numbers)

    def _closed_tails(self, t: Fraction) -> tuple[Interval, Interval]:
        """P and Q of T >= t for t >= 0."""
        point = negligible(t, self._total)
        if point is None and self._is_mixed_first(_PROMISED_BOUND):
            h, half = self.composition.spacing, self._total / 2
            first = math.ceil((t + half) / h)  # ask halfway to the last lattice point that does not belong
            point = self._mixed((first - Fraction(1, 2)) * h - half, alone=True)
            point = point if point and point.is_sharp else None
        return (point.alpha, point.power) if point else self.tiers.closed_tails(t)

    def _quick_profile(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The profile at eps >= 0, no sharper than the trade-off function needs it."""
        if self._is_mixed_first(_PROMISED_BOUND):
            return self.profile(eps)
        tiers = self.tiers
        return tiers.points(eps) if tiers.absolute_bound <= _TELLING_BOUND else tiers.relative_points(eps)

    def _sharp_deltas(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at eps >= 0 whose delta is sharp, while their tails may not be."""
        points = [(value, self._mixed(value, alone=False)) for value in eps]
        return [point if point and point.is_sharp else self.profile([value])[0] for value, point in points]

    def _scaled_profile(self, scale: Fraction) -> Profile:
        mixture = self._mixture.scaled(scale) if self._mixture else None
        scaled = Accountant(self.composition.scaled(scale), self._thresholds, mixture=mixture)
        return scaled._sharp_deltas

    @cached_property
    def _delta_at_zero(self) -> Interval:
        return self.profile([Fraction(0)])[0].delta

    def _is_kept_at_zero(self, delta: Fraction) -> bool:
        """Whether delta(0) <= delta, certainly."""
        target = from_fraction(delta).lower
        if self._is_mixed_first(_POOR_BOUND) and self._sharp_deltas([Fraction(0)])[0].delta.lower > target:
            return False  # known without the tails
        return self._delta_at_zero.upper <= target

    @cached_property
    def _mixture(self) -> Mixture | None:
        """The cells to take out: the narrowest, or for fine lattices those without which the others are
        easiest."""
        if self._given:
            return self._given
        narrow = narrowest(self.composition, self._effort)
        if (narrow and narrow.is_lumpy) or self.tiers.bound_if_planned <= _PROMISED_BOUND:
            return narrow
        return cheapest(self.composition, self._effort)

    def _is_mixed_first(self, bound: float) -> bool:
        """Whether cells are taken out before anything else: where the law of T is lumpy and not quickly
        planned, or its lattice so fine that the absolute bound is larger than the given one."""
        if self._mixture is None:
            return False
        heavy = self._mixture.is_lumpy and foreseen_nodes(self.composition) > _QUICK_NODES
        return heavy or self.tiers.bound_if_planned > bound

    @cached_property
    def _others(self) -> "Accountant | None":
        """Of all cells that are not taken out."""
        assert self._mixture is not None
        others, effort = self._mixture.others, self._effort / self._mixture.terms
        return Accountant(others, self._thresholds, effort) if others else None

    def _mixed(self, eps: Fraction, alone: bool) -> ProfilePoint | None:
        """The point at any eps by taking cells out; None where that is not possible. alone: its tails should
        be sharp too."""
        if self._mixture is None:
            return None
        others = self._others.profile if self._others else None
        return self._mixture.point(others, eps, alone)
