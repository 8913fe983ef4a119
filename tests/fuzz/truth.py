"""The true figures of a composition as Arb balls, by whichever independent reference is cheap enough.

None of them shares code with the kernels: one cell from its definition; integer polynomial products; the
certificate's sums over scanned nodes; the trapezoidal sum over nodes found as short vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Protocol

from flint import arb

from kernels.certificate.balls import ends
from kernels.certificate.tails import (
    LEAST_OUT,
    Family,
    Pair,
    Plain,
    common_period,
    needed_period,
)
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, precision
from tests.reference.cells import Cells, Enclosure, rational_gcd, total
from tests.reference.convolution import ConvolutionTail, families
from tests.reference.small import SingleCell, single_cell
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
        self._rho = rho
        self._known: dict[Fraction, SingleCell] = {}

    def _at(self, eps: Fraction) -> SingleCell:
        if eps not in self._known:
            self._known[eps] = single_cell(self._rho, eps, BITS)
        return self._known[eps]

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


class ByScan:
    """The certificate's sums, for eps up to a furthest one; delta by its tilted rule, good at any depth."""

    def __init__(self, cells: Cells, furthest: Fraction) -> None:
        self._cells, self.step, self.bits = cells, rational_gcd(list(cells)), 192
        self.cells = cells
        steps = [rational_gcd(list(half)) for half in halves(cells)]
        self.furthest = furthest
        period = common_period(
            steps, needed_period(total(cells), max(furthest, Fraction(0)) + total(cells) / 2)
        )
        self._pair = Pair(Family(period), *halves(cells))
        self._plain = Plain(self._pair, self._pair.nodes(LEAST_OUT))

    def affordable(self) -> bool:
        """Whether the sums are not too long."""
        return len(self._plain.terms) * len(self._cells) <= _TERMS

    def tail_beyond(self, x: Fraction) -> Enclosure:
        value = self._plain.upper(x // self.step + 1)
        with precision(BITS):
            return Enclosure(*ends(value))

    def alpha(self, eps: Fraction) -> arb:
        return self._pair.alpha(eps, [LEAST_OUT])

    def power(self, eps: Fraction) -> arb:
        with precision(BITS):
            return 1 - self._pair.beta(eps, [LEAST_OUT])

    def delta(self, eps: Fraction) -> arb | None:
        if eps > self.furthest:
            return None
        if eps < 0:
            with precision(BITS):
                factor = ball(eps).exp()
                inner = self.delta(-eps)
                return None if inner is None else 1 - factor + factor * inner
        return self._pair.delta(eps)

    def scaled_delta(self, eps: Fraction, scale: Fraction) -> arb:
        """delta with all rhos times a scale >= 1."""
        return self._pair.delta(eps, scale)

    def beta(self, alpha: Fraction) -> arb | None:
        return as_ball(tradeoff(_Tails(self), alpha).beta) if len(self._plain.terms) < 300 else None


class _Tails:
    """A scan's tails as rational intervals."""

    def __init__(self, scan: ByScan) -> None:
        self.cells, self.step, self.bits = scan.cells, scan.step, scan.bits
        self._scan = scan

    def tail_beyond(self, x: Fraction) -> Enclosure:
        return self._scan.tail_beyond(x)

    def alpha(self, eps: Fraction) -> Enclosure:
        return Enclosure(*ends(self._scan.alpha(eps)))

    def power(self, eps: Fraction) -> Enclosure:
        return Enclosure(*ends(self._scan.power(eps)))


class ByShortVectors:
    """The trapezoidal sum where nodes are too many to scan; to 1e-60 absolutely."""

    def __init__(self, cells: Cells) -> None:
        self._tail = ArbTail(cells, 60)

    def affordable(self) -> bool:
        """Whether the sums are not too long."""
        return len(self._tail.survivors) * len(self._tail.cells) <= _TERMS

    def alpha(self, eps: Fraction) -> arb:
        return as_ball(self._tail.alpha(eps))

    def power(self, eps: Fraction) -> arb:
        return as_ball(self._tail.power(eps))

    def delta(self, eps: Fraction) -> arb | None:
        return as_ball(self._tail.delta(eps)) if eps < 200 else None

    def beta(self, alpha: Fraction) -> arb | None:
        short = len(self._tail.survivors) < 200
        return as_ball(tradeoff(self._tail, alpha).beta) if short else None


def halves(cells: Cells) -> tuple[dict[Fraction, int], dict[Fraction, int]]:
    """The cells in two parts, rhos with like denominators together."""
    rhos = sorted(cells, key=lambda rho: (rho.denominator, rho))
    if len(rhos) == 1:
        count = cells[rhos[0]]
        return {rhos[0]: count - count // 2}, {rhos[0]: count // 2}
    middle = len(rhos) // 2
    first, second = ({rho: cells[rho] for rho in part} for part in (rhos[:middle], rhos[middle:]))
    return first, second


def scan_cost(cells: Cells, furthest: Fraction) -> float:
    """Nodes that a scan of both halves goes through, roughly."""
    steps = [rational_gcd(list(half)) for half in halves(cells)]
    period = common_period(steps, needed_period(total(cells), max(furthest, Fraction(0)) + total(cells) / 2))
    cost = 0.0
    for half, step in zip(halves(cells), steps, strict=True):
        if period / step >= 3_000_000_000:
            return math.inf
        sharp = max(count / float(rho) for rho, count in half.items())
        cost += float(period / step) * min(1.0, 2.0 * math.sqrt(97.0 / (2.0 * math.pi**2 * sharp)))
    return cost


def truths(cells: Cells, eps: Sequence[Fraction]) -> Iterator[Callable[[], Truth | None]]:
    """Ways to the truth, the most promising first; each may say None or raise ValueError when called.

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
            yield partial(_affordable, partial(ByScan, cells, furthest))
    yield partial(_affordable, partial(ByShortVectors, cells))


def _affordable(make: Callable[[], ByScan | ByShortVectors]) -> Truth | None:
    truth = make()
    return truth if truth.affordable() else None
