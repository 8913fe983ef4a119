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

from kernels.accounting.certified import INFINITE, ONE, ZERO, Certified, from_fraction
from kernels.accounting.composition import Composition
from kernels.accounting.enclosure import complement, difference, exponential, from_tails, from_triple, product
from kernels.accounting.inverse import Reduction, least_epsilon, log_deltas, variance_reduction
from kernels.accounting.narrow import Profile, mixture, without_narrowest
from kernels.accounting.plan_summary import PlanSummary, foresee, summarise
from kernels.accounting.profile_point import MOST_DECADES, ProfilePoint, certain, negligible
from kernels.accounting.tradeoff import type_two_error
from kernels.numerics.lattice import LatticeError
from kernels.numerics.selection import Selection, select, softness
from kernels.numerics.sieve import Plan, make_plan
from kernels.numerics.survivors import SOFTEST
from kernels.numerics.tilt import LatticePoint, Tails, Tilt
from kernels.numerics.trapezoid import Quadrature, quadrature, tails

_MOST_TAKEN_OUT = 2  # kinds of narrow cells, one inside the other


class Refused(ValueError):
    """The computation would be out of reach or could not be certified; the message says why, in one line."""


class Accountant:
    """Exact accounting of one composition. The plan is made on first use; nothing else is kept between
    questions."""

    def __init__(self, composition: Composition, thresholds: int = 1001, taken_out: int = 0) -> None:
        """taken_out: kinds of narrow cells that are accounted for outside this composition."""
        self.composition = composition
        self._thresholds = thresholds
        self._taken_out = taken_out
        self._soft_nodes: dict[float, Selection] = {}
        self._rebased: dict[Fraction, Accountant] = {}

    @cached_property
    def plan(self) -> Plan:
        """Lattice, surviving nodes and error budget. Raises Refused when too many nodes survive."""
        rhos, counts = zip(*self.composition.cells, strict=True)
        try:
            return make_plan(rhos, counts, self._thresholds)
        except LatticeError as error:
            raise Refused(str(error)) from error

    @cached_property
    def rule(self) -> Quadrature:
        """Coefficients of the absolute tier."""
        return quadrature(self.plan)

    @cached_property
    def tilt(self) -> Tilt:
        """The relative tier."""
        return Tilt(self.plan, select(self.plan, self.rule.turn, 1.0))

    @cached_property
    def absolute_bound(self) -> float:
        """Bound on the absolute error of every tail of the absolute tier: 1e-35 or less, but for fine
        lattices and very many cells."""
        return (self.plan.truncation_bound + self.plan.sieve_bound + self.rule.rounding_bound) * (1.0 + 1e-12)

    def plan_summary(self) -> PlanSummary:
        """The plan in figures; predictions where it is out of reach."""
        try:
            return summarise(self.plan, self.rule)
        except Refused:
            return foresee(*zip(*self.composition.cells, strict=True))

    def profile(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The privacy profile and both tails at every eps, any real numbers given exactly."""
        sizes = sorted({abs(value) for value in eps})
        known = dict(zip(sizes, self._points(sizes), strict=True))
        return [known[value] if value >= 0 else self._mirrored(value, known[-value]) for value in eps]

    def _points(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """Points at ascending eps >= 0."""
        near = [value for value in eps if self._decades(value) < MOST_DECADES]
        relative = self._relative(near)
        points = []
        for row, value in enumerate(near):
            alpha = self._upper_tail(value).meet(from_tails(relative, row, 1))
            power = self._lower_tail(-value).meet(from_tails(relative, row, 0))
            direct = difference(power, product(exponential(value), alpha)).clipped(ZERO.value, ONE.value)
            point = ProfilePoint(value, direct.meet(from_tails(relative, row, 2)), alpha, power)
            points.append(point if point.is_sharp else self._sharpened(point))
        return points + [negligible(value) for value in eps[len(near) :]]

    def _decades(self, eps: Fraction) -> Fraction:
        """D with delta(eps), P(T > eps) and Q(T > eps) at most 10^-D: sub-Gaussian bound, ln 10 < 5/2."""
        return max(eps - self.plan.total / 2, Fraction(0)) ** 2 / (5 * self.plan.total)

    def _sharpened(self, point: ProfilePoint) -> ProfilePoint:
        """The same by taking the narrowest cells out, where that is possible."""
        if self._narrowest is None:
            return point
        rho, count, rest = self._narrowest
        found = mixture(rho, count, rest, point.eps)
        if found is None:
            return point
        return ProfilePoint(
            point.eps,
            point.delta.meet(found.delta),
            point.alpha.meet(found.alpha),
            point.power.meet(found.power),
        )

    @cached_property
    def _narrowest(self) -> tuple[Fraction, int, Profile] | None:
        """The narrowest kind of cells, how many, and the profile of all others; None where none is narrow."""
        found = without_narrowest(self.composition)
        if found is None or self._taken_out == _MOST_TAKEN_OUT:
            return None
        rho, count, others = found
        if others is None:
            return rho, count, lambda eps: [certain(value) for value in eps]
        return rho, count, Accountant(others, self._thresholds, self._taken_out + 1).profile

    def _mirrored(self, eps: Fraction, other: ProfilePoint) -> ProfilePoint:
        """The point at eps < 0 from that at -eps, as T under Q is -T under P: delta(eps) = 1 - e^eps + e^eps
        delta(-eps)."""
        alpha, power = self._tails_from(-eps, closed=True)
        delta = complement(product(exponential(eps), complement(other.delta)))
        numbers = (
            number.clipped(ZERO.value, ONE.value) for number in (delta, complement(power), complement(alpha))
        )
        return ProfilePoint(eps, *numbers)

    def _relative(self, eps: Sequence[Fraction]) -> Tails:
        return self.tilt.tails([self.tilt.first_point(value) for value in eps])

    def log_profile(self, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln delta and the bound on the relative error of delta at every eps >= 0, [k] each, by tilting."""
        value, error = log_deltas(self._relative([Fraction(float(one)) for one in eps]))
        known = np.where(error <= 1.0, np.expm1(np.minimum(error, 1.0)) * (1.0 + 1e-9) + 2.0**-51, np.inf)
        return value, known

    def _upper_tail(self, eps: Fraction, closed: bool = False) -> Certified:
        """P(T > eps) (closed: P(T >= eps)) by the absolute tier."""
        return self._tail(2 * self.tilt.first_point(eps, closed).position - 1)

    def _lower_tail(self, eps: Fraction, closed: bool = False) -> Certified:
        """P(T < eps) (closed: P(T <= eps)) by the absolute tier, S being symmetric under P."""
        return self._tail(1 - 2 * self.tilt.first_point(eps, not closed).position)

    def _tail(self, odd: int) -> Certified:
        """P(S >= s) with odd = 2 s - 1."""
        if abs(odd) * self.plan.spacing > 2 * Fraction(
            self.plan.reach
        ):  # beyond reach the tail is below 1e-35
            tiny = Certified(Decimal(0), Decimal(0), Decimal("1e-35"))
            return tiny if odd > 0 else complement(tiny)
        value = from_triple(tails(self.rule, [odd])[0], self.absolute_bound)
        return value.clipped(ZERO.value, ONE.value)

    @cached_property
    def _delta_at_zero(self) -> Certified:
        return self.profile([Fraction(0)])[0].delta

    def epsilon(self, delta: Fraction, guess: float | None = None) -> Certified:
        """The least eps >= 0 with delta(eps) <= delta: 0 from delta(0) on, infinite at delta = 0.

        guess: where to start the search, if something within about 0.01 is known; the answer's bounds do not
        depend on it. Raises ValueError for delta outside [0, 1].
        """
        if not 0 <= delta <= 1:
            raise ValueError(f"delta must lie in [0, 1], not {delta}")
        if delta == 0:
            return INFINITE
        if delta == 1 or self._delta_at_zero.upper <= from_fraction(delta).lower:
            return ZERO
        return least_epsilon(self.tilt, self.plan.total / 2, delta, guess)

    def reduction(self, delta: Fraction) -> Reduction:
        """Variance reduction at delta against the Census Bureau's zCDP calibration.

        Raises ValueError for delta outside (0, 1).
        """
        if not 0 < delta < 1:
            raise ValueError(f"delta must lie strictly between 0 and 1, not {delta}")
        return variance_reduction(self._scaled_tilt, self.plan.total / 2, delta)

    def _scaled_tilt(self, scale: Fraction) -> Tilt:
        """The relative tier with all rhos scaled by a factor >= 1, far from 1 on a plan of its own."""
        soft = softness(self.plan, scale)
        if soft >= SOFTEST:
            level = max(math.floor(20.0 * soft) / 20.0, SOFTEST)
            if level not in self._soft_nodes:
                self._soft_nodes[level] = select(self.plan, self.rule.turn, level)
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

    def tradeoff(self, alpha: Fraction) -> Certified:
        """The trade-off function: the least type II error beta at type I error alpha.

        Raises ValueError for alpha outside [0, 1].
        """
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], not {alpha}")
        return type_two_error(self._vertex, self.plan.spacing, self.plan.total, alpha)

    def _vertex(self, position: int) -> tuple[Certified, Certified]:
        """P(T >= t) and Q(T < t) at the lattice point S = position: a vertex of the trade-off function."""
        t = position * self.plan.spacing - self.plan.total / 2
        if t >= 0:
            alpha, power = self._tails_from(t, closed=True)
            return alpha, complement(power)
        alpha, power = self._tails_from(-t, closed=False)
        return complement(power), alpha

    def _tails_from(self, t: Fraction, closed: bool) -> tuple[Certified, Certified]:
        """P and Q of T > t (closed: T >= t) for t >= 0, both tiers together."""
        point = self.tilt.first_point(t, closed)
        relative = self.tilt.tails([LatticePoint(point.position, point.t, 0.0)])
        alpha = self._upper_tail(t, closed).meet(from_tails(relative, 0, 1))
        return alpha, self._lower_tail(-t, closed).meet(from_tails(relative, 0, 0))
