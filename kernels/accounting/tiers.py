"""One composition's plan with both tiers: tails to an absolute error, and tails and delta to a relative one.

T is the log-likelihood ratio, S = (T + R/2) / h its position on the lattice. Bounds of both tiers hold
together, so their intervals are intersected.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from kernels.accounting.composition import Composition
from kernels.accounting.profile_point import ProfilePoint
from kernels.errors import Refused
from kernels.intervals.interval import DOWN, UP, Interval, exponential, from_triple
from kernels.numerics.absolute.trapezoid import Quadrature, quadrature, tails
from kernels.numerics.nodes.plan import Plan, make_plan
from kernels.numerics.nodes.survivors import SOFTEST
from kernels.numerics.relative.selection import Selection, select, softness
from kernels.numerics.relative.tilt import LatticePoint, Tails, Tilt

#: The most distinct rhos of one composition that are handled within a minute.
MOST_KINDS = 2_000
#: Ratio of neighbouring scales that get separate plans; the scales between them share one.
_PLAN_RATIO = Fraction(11, 10)
#: Softness levels per unit: selections of nodes are shared by all scales that fall on the same level.
_SOFT_LEVELS = 20.0


class Tiers:
    """Tails and privacy profile of one composition. Its plan is made on first use and kept, and so are the
    nodes and plans of scaled rhos."""

    def __init__(self, composition: Composition, thresholds: int = 1001) -> None:
        """thresholds: least number of points of a tabulated trade-off function. Raises Refused for more than
        MOST_KINDS distinct rhos."""
        if len(composition.cells) > MOST_KINDS:
            raise Refused(f"out of reach: {len(composition.cells)} distinct rhos; allowed: {MOST_KINDS}")
        self.composition = composition
        self._thresholds = thresholds
        self._soft_nodes: dict[float, Selection] = {}
        self._rebased: dict[Fraction, Tiers] = {}

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
    def bound_if_planned(self) -> float:
        """The absolute bound; infinite where there is no plan."""
        try:
            return self.absolute_bound
        except Refused:
            return math.inf

    def points(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The privacy profile at eps >= 0 by both tiers."""
        points = []
        for relative in self.relative_points(eps):
            alpha = self._upper_tail(relative.eps).meet(relative.alpha)
            power = self._lower_tail(-relative.eps).meet(relative.power)
            delta = (power - exponential(relative.eps) * alpha).clipped()
            points.append(ProfilePoint(relative.eps, delta.meet(relative.delta), alpha, power))
        return points

    def relative_points(self, eps: Sequence[Fraction]) -> list[ProfilePoint]:
        """The privacy profile at eps >= 0 by the relative tier alone."""
        if not eps:
            return []
        sums = self.relative_tails(eps)
        return [
            ProfilePoint(value, *(_interval(sums, row, which) for which in (2, 1, 0)))
            for row, value in enumerate(eps)
        ]

    def relative_tails(self, eps: Sequence[Fraction]) -> Tails:
        """Tilted sums at eps >= 0."""
        return self.tilt.tails([self.tilt.first_point(value) for value in eps])

    def closed_tails(self, t: Fraction) -> tuple[Interval, Interval]:
        """P and Q of T >= t for t >= 0, by both tiers."""
        first = self.tilt.first_point(t, closed=True)
        sums = self.tilt.tails([LatticePoint(first.position, first.t, 0.0)])
        alpha = self._upper_tail(t, closed=True).meet(_interval(sums, 0, 1))
        return alpha, self._lower_tail(-t, closed=True).meet(_interval(sums, 0, 0))

    def _upper_tail(self, eps: Fraction, closed: bool = False) -> Interval:
        """P(T > eps) (closed: P(T >= eps)) by the absolute tier."""
        return self._tail(2 * self.tilt.first_point(eps, closed).position - 1)

    def _lower_tail(self, eps: Fraction, closed: bool = False) -> Interval:
        """P(T < eps) (closed: P(T <= eps)) by the absolute tier, S being symmetric under P."""
        return self._tail(1 - 2 * self.tilt.first_point(eps, not closed).position)

    def _tail(self, odd: int) -> Interval:
        """P(S >= s) with odd = 2 s - 1."""
        if abs(odd) * self.plan.spacing > 2 * Fraction(self.plan.reach):  # beyond, the tail is below 1e-35
            tiny = Interval(Decimal(0), Decimal(0), Decimal("1e-35"))
            return tiny if odd > 0 else 1 - tiny
        value = from_triple(tails(self.rule, [odd])[0], self.absolute_bound)
        return value.clipped()

    def scaled_tilt(self, scale: Fraction) -> Tilt:
        """The relative tier with all rhos scaled by a factor >= 1; far from 1 on a plan of its own.

        Raises Refused where some cell then has so little noise that no nodes serve.
        """
        soft = softness(self.plan, scale)
        if soft >= SOFTEST:
            level = max(math.floor(_SOFT_LEVELS * soft) / _SOFT_LEVELS, SOFTEST)
            if level not in self._soft_nodes:
                self._soft_nodes[level] = select(self.plan, level)
            return Tilt(self.plan, self._soft_nodes[level], scale)
        if soft <= 0.0:
            raise Refused("out of reach: the noise of some cell is too small for a variance reduction")
        power = math.floor(math.log(scale) / math.log(_PLAN_RATIO))
        if power == 0:
            return Tiers(self.composition.scaled(scale), self._thresholds).tilt
        base = _PLAN_RATIO**power
        if base > scale:  # the logarithm was rounded up
            base /= _PLAN_RATIO
        if base not in self._rebased:
            self._rebased[base] = Tiers(self.composition.scaled(base), self._thresholds)
        return self._rebased[base].scaled_tilt(scale / base)


def _interval(sums: Tails, row: int, which: int) -> Interval:
    """Q (0), P (1) or delta (2) of one row of tilted sums, clipped to [0, 1]."""
    power = Fraction(sums.exponent[row], sums.exponent_denominator) + Fraction(float(sums.log_norm[row]))
    if which == 1:
        power -= Fraction(sums.t[row], sums.t_denominator)
    mantissa, error = Decimal(float(sums.mantissa[row, which])), Decimal(float(sums.error[row, which]))
    if not error.is_finite() or not mantissa.is_finite():
        return Interval(Decimal("0.5"), Decimal(0), Decimal(1))
    parts = Interval(
        max(mantissa, Decimal(0)),
        max(DOWN.subtract(mantissa, error), Decimal(0)),
        max(UP.add(mantissa, error), Decimal(0)),
    )
    number = parts * exponential(power)
    if sums.middle[row] and which != 1:
        number = 1 - number
    return number.clipped()
