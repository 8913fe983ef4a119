"""The true figures of a composition as Arb balls, by whichever independent reference is cheap enough.

None of them shares code with the kernels: one cell from its definition; integer polynomial products; the
certificate's sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Protocol

from flint import arb

from kernels.certificate.survivors import OutOfReach
from kernels.certificate.tails import common_period, needed_period
from tests.reference.arb_tail import ArbTail, halves
from tests.reference.balls import ball, precision
from tests.reference.cells import Cells, Enclosure, rational_gcd, total
from tests.reference.convolution import ConvolutionTail, families
from tests.reference.small import single_cell
from tests.reference.tradeoff import tradeoff

BITS = 320
_POINTS = 150_000  # coefficients of all products of a convolution
_COMBINATIONS = 20_000
_MOST_BITS = 12_000
_TERMS = 25_000  # nodes times distinct rhos
_SCANNED = 1_500_000  # nodes gone through


class Truth(Protocol):
    """Enclosures; a question that is too expensive is None."""

    def alpha(self, eps: Fraction) -> arb | None: ...
    def power(self, eps: Fraction) -> arb | None: ...
    def delta(self, eps: Fraction) -> arb | None: ...
    def beta(self, alpha: Fraction) -> arb | None: ...


def as_ball(interval: Enclosure) -> arb:
    """The ball around an interval with rational ends."""
    with precision(BITS):
        return ball(interval.lower).union(ball(interval.upper))


class ByDefinition:
    """One cell, any eps."""

    def __init__(self, rho: Fraction) -> None:
        self._at = cache(partial(single_cell, rho, bits=BITS))

    def alpha(self, eps: Fraction) -> arb:
        return self._at(eps).alpha

    def power(self, eps: Fraction) -> arb:
        return self._at(eps).power

    def delta(self, eps: Fraction) -> arb:
        return self._at(eps).delta

    def beta(self, alpha: Fraction) -> None:
        return None


class ByProducts:
    """Integer polynomial products, with as many bits as the furthest eps needs, if they are not too many."""

    def __init__(self, cells: Cells, furthest: Fraction) -> None:
        self._most = furthest
        self._tail = ConvolutionTail(cells, products_bits(cells, furthest))

    def alpha(self, eps: Fraction) -> arb | None:
        return as_ball(self._tail.alpha(eps)) if eps <= self._most else None

    def power(self, eps: Fraction) -> arb | None:
        return as_ball(self._tail.power(eps)) if eps <= self._most else None

    def delta(self, eps: Fraction) -> arb | None:
        return as_ball(self._tail.delta(eps)) if eps <= self._most else None

    def beta(self, alpha: Fraction) -> arb:
        return as_ball(tradeoff(self._tail, alpha).beta)


def products_bits(cells: Cells, eps: Fraction) -> int:
    """Bits for a hundred good ones of the tails at eps, by the sub-Gaussian bound and a margin."""
    far = float(max(eps, Fraction(0)) + total(cells) / 2)
    return 320 + int(1.1 * far * far / (2.0 * float(total(cells))) / math.log(2.0))


def products_cost(cells: Cells, bits: int) -> tuple[float, float]:
    """Coefficients of all polynomial products, and combinations of the families."""
    points, widths = 0.0, []
    for group in families(cells):
        step = float(rational_gcd(list(group)))
        width = 2.0 * math.sqrt(1.4 * bits * float(total(group))) / step + 3.0
        widths.append(width)
        points += sum(width * (1 + math.log2(count)) for count in group.values())
    return points * max(1.0, bits / 1000.0), math.prod(sorted(widths)[:-1])


class BySums:
    """The certificate's sums: tails to 1e-60; delta up to a furthest eps by its tilted rule, at any depth."""

    def __init__(self, cells: Cells, furthest: Fraction) -> None:
        self.furthest = furthest
        self._tail = ArbTail(cells, 60, _period(cells, furthest))
        if len(self._tail.survivors) * len(cells) > _TERMS:
            raise OutOfReach("the sums are too long")

    def alpha(self, eps: Fraction) -> arb:
        return as_ball(self._tail.alpha(eps))

    def power(self, eps: Fraction) -> arb:
        return as_ball(self._tail.power(eps))

    def delta(self, eps: Fraction) -> arb | None:
        if eps > self.furthest:
            return None
        if eps >= 0:
            found = self.scaled_delta(eps, Fraction(1))
            return as_ball(self._tail.delta(eps)) if found is None and eps < 200 else found
        mirrored = self.delta(-eps)
        with precision(BITS):
            factor = ball(eps).exp()
            return None if mirrored is None else 1 - factor + factor * mirrored

    def scaled_delta(self, eps: Fraction, scale: Fraction) -> arb | None:
        """delta with all rhos times a scale >= 1."""
        try:
            return self._tail.pair.delta(eps, scale)
        except OutOfReach:
            return None

    def beta(self, alpha: Fraction) -> arb | None:
        return as_ball(tradeoff(self._tail, alpha).beta) if len(self._tail.survivors) < 300 else None


def _period(cells: Cells, furthest: Fraction) -> float:
    return needed_period(total(cells), max(furthest, Fraction(0)) + total(cells) / 2)


def scan_cost(cells: Cells, furthest: Fraction) -> float:
    """Nodes that a scan of both halves goes through, roughly."""
    members = [half for half in halves(cells) if half]
    steps = [rational_gcd(list(half)) for half in members]
    period = common_period(steps, _period(cells, furthest))
    cost = 0.0
    for half, step in zip(members, steps, strict=True):
        if period / step >= 3_000_000_000:
            return math.inf
        sharp = max(count / float(rho) for rho, count in half.items())
        cost += float(period / step) * min(1.0, 2.0 * math.sqrt(97.0 / (2.0 * math.pi**2 * sharp)))
    return cost


def truths(cells: Cells, eps: Sequence[Fraction]) -> Iterator[Callable[[], Truth]]:
    """Ways to the truth, the most promising first; each raises ValueError where it is out of reach.

    The first ones serve every eps, where that is cheap, the others all but the furthest.
    """
    if list(cells.values()) == [1]:
        [rho] = cells
        yield lambda: ByDefinition(rho)
        return
    bulk = total(cells) / 2 + 12 * Fraction(math.sqrt(total(cells)))
    for furthest in sorted({max(eps), min(max(eps), bulk)}, reverse=True):
        bits = products_bits(cells, furthest)
        points, combinations = products_cost(cells, bits) if bits <= _MOST_BITS else (math.inf, math.inf)
        if points <= _POINTS and combinations <= _COMBINATIONS:
            yield partial(ByProducts, cells, furthest)
        if scan_cost(cells, furthest) <= _SCANNED:
            yield partial(BySums, cells, furthest)
    yield partial(BySums, cells, min(max(eps), bulk))
