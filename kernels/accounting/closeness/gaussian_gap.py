"""How far an exact trade-off function is from its Gaussian limit: sup |f - G_mu|, with bounds.

f(alpha) is the largest, over all real eps, of the lines 1 - delta(eps) - e^eps alpha, and so is G_mu with its
own delta. Hence sup |f - G_mu| = sup |delta - delta_G|, and by symmetry eps >= 0 is enough. In e^eps, delta
is linear between the lattice points of the loss and delta_G is convex. So delta_G - delta is largest at
lattice points, and delta - delta_G where the slopes agree: there it is G_mu - f at a vertex of f.

Euler and Maclaurin give the leading term: at a lattice point t, delta_G - delta = h^2/12 q(t) + O(h^4) with q
the density N(R/2, R) of the limit; at vertices it is half as large, with the other sign. So

    sup |f - G_mu| ~ h^2 / (12 sqrt(2 pi R)).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from kernels.accounting.closeness.edgeworth import Expansion
from kernels.accounting.composition import Composition
from kernels.accounting.tiers import Tiers
from kernels.errors import Refused
from kernels.intervals.balls import ball, certified, to_decimals
from kernels.intervals.interval import Interval
from kernels.numerics.absolute.grid import grid_tails

_BITS = 256  # more than the triples of the curve hold
_MOST_VERTICES = 20_000  # up to here every vertex of f is looked at
_LEAST_CERTAIN = 1e-10  # relative error of delta up to which a lattice point is looked at


@dataclass(frozen=True, slots=True)
class GaussianGap:
    """Distances of one composition's trade-off function.

    gap: sup |f - G_mu|, over every vertex and every slope when `complete`, else over the tabulated ones;
    corrected: the largest |delta - delta_E| at lattice points, with the Edgeworth expansion's delta_E;
    leading: h^2 / (12 sqrt(2 pi R)); points: lattice points looked at, up to eight standard deviations beyond
    R/2 and as far as the tails tell delta.
    """

    cells: int
    total: Fraction
    lattice: Fraction
    points: int
    complete: bool
    gap: Interval
    corrected: Interval
    leading: Interval


def gaussian_gap(composition: Composition) -> GaussianGap:
    """The distances, from the tabulated curve of the absolute tier.

    Raises Refused when the composition is out of reach, or its tails are known too loosely.
    """
    spacing, total = composition.spacing, composition.total_rho
    every_vertex = ceil(2 * sqrt(2 * float(total) * 35 * log(10)) / float(spacing))
    tiers = Tiers(composition, max(1001, every_vertex if every_vertex <= _MOST_VERTICES else 0))
    farthest = total / 2 + 8 * Fraction(sqrt(total))
    (curve,) = grid_tails([tiers.plan], [tiers.rule])
    with ctx.workprec(_BITS):
        expansion, limit = Expansion.of(composition, spacing), _Limit(ball(total))
        error = arb(0, curve.bound)
        above, below, corrected, last = arb(0), arb(0), arb(0), arb(1)
        points = 0
        for j, (upper, lower) in enumerate(zip(curve.upper, curve.lower, strict=True)):
            middle = (curve.first + j * curve.step) * spacing / 2
            if middle < -spacing / 2:
                continue
            point = ball(middle + spacing / 2)
            alpha, beta = _exact(upper) + error, _exact(lower) + error
            delta, of_limit = (1 - beta) - point.exp() * alpha, limit.delta(point)
            last = delta.max(of_limit)
            if middle > farthest or not point.exp() * curve.bound < _LEAST_CERTAIN * of_limit:
                break
            points += 1
            above = above.max(of_limit - delta)
            corrected = corrected.max(abs(expansion.delta(point) - delta))
            below = below.max(limit.beta(alpha) - beta)
        if not points:
            told = f"tails within {curve.bound:.1e} say nothing about the Gaussian limit"
            raise Refused(f"out of reach: {told}")
        complete = curve.step == 2
        gap = above.max(below)
        if complete:  # beyond the last lattice point neither delta exceeds what it is there
            gap = gap.max(arb(0).union(last))
        largest, rest = to_decimals(gap), to_decimals(corrected)
    leading = certified(lambda: ball(spacing) ** 2 / (12 * (2 * arb.pi() * ball(total)).sqrt()))
    return GaussianGap(composition.size, total, spacing, points, complete, largest, rest, leading)


@dataclass(frozen=True)
class _Limit:
    """G_mu with mu^2 = R = total."""

    total: arb

    def delta(self, eps: arb) -> arb:
        root = (2 * self.total).sqrt()
        near, far = (eps - self.total / 2) / root, (eps + self.total / 2) / root
        return (near.erfc() - eps.exp() * far.erfc()) / 2

    def beta(self, alpha: arb) -> arb:
        """G_mu(alpha)."""
        return ((self.total / 2).sqrt() - (2 * alpha).erfcinv()).erfc() / 2


def _exact(triple: NDArray[np.float64]) -> arb:
    return sum(map(arb, triple.tolist()), arb(0))
