"""Enclosures of the tails and of delta of a pair, from sums over its surviving nodes in ball arithmetic.

The log-likelihood ratio is T = X - R/2, X = sum rho_c x_c = h S. With the period a multiple of h, and N the
period over h, S modulo N has the transform phi(n) = E exp(2 pi i n S / N), n = 0 .. N - 1. Under Q, R - X has
the law that X has under P. P(X >= x) <= exp(-x^2 / 2R) for x > 0 (each cell is sub-Gaussian).

Plain rule, without a tilt. Summing the law of S modulo N from s to N/2, the last point of an even N by half,

    P(S >= s) = 1/2 - (2s - 1)/2N - (1/N) sum_{0 < n <= N/2} phi(n) sin(pi n (2s - 1) / N) / sin(pi n / N),

n = N/2 by half, for |s| <= N/2 and up to P(|S| >= N/2) <= 2 exp(-period^2 / 8R) (`aliasing`). As
1 / (N sin(pi n / N)) <= 1 / 2n, what is left out adds at most the sum of phi(n) / 2n over it (`out`).

Nodes come from a scan of both members' residues, joined (survivors.py), or where these are too many as short
vectors of a lattice (short.py). What a scan leaves out has phi <= exp(-L), together exp(-L) (1 + ln N) / 2.

For delta, however small, see tilted.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from flint import acb, arb, fmpq

from .allocation_text import Cells, joined, rational_gcd, rational_lcm
from .balls import ball, precision, widened
from .short import short_nodes
from .survivors import Member, OutOfReach, join, scan
from .tilted import best_tilt, tilted_delta, tilted_period
from .transform import Cell

BITS = 192
PLAIN_NATS = 97.0  # aliasing of tails: 1e-42
LEAST_OUT = 1e-41  # what nodes left out may add to a tail, at the least
#: The same for delta, where it is its relative accuracy and what Chernoff's bound loses; the first in reach.
TILTED_OUT = 1e-19, 1e-17, 1e-15
#: Both for lumpy laws, where delta can be far below Chernoff's bound: where its relative radius is above
#: _NARROW, and nodes were not too many.
LUMPY_OUT, LUMPY_NATS = (1e-45,), 118.0
_NARROW = 1e-16
_LARGEST = 10**40  # eps + R/2, at most, for the precision of the sums
_FURTHEST = 1000  # eps + R/2 over the period, at most: every turn around it is counted
MOST_SCANNED = 50_000_000  # residues of a member
_SCALES = 16  # nodes are listed for scales rounded up to a multiple of its inverse
_MOST_KEPT = 2_000_000  # transforms, some 0.3 kB each


def needed_period(total: Fraction, furthest: Fraction) -> float:
    """Long enough for the aliasing bounds, for thresholds x of X up to `furthest`."""
    return max(2.0 * math.sqrt(2.0 * float(total) * PLAIN_NATS), tilted_period(total, furthest))


class Family:
    """Members (halves of compositions) with one period, so that their residues and transforms are shared."""

    def __init__(self, period: Fraction, bits: int = BITS) -> None:
        self.period = period
        self.bits = bits
        self._scanned: dict[tuple[tuple[tuple[Fraction, int], ...], Fraction], tuple[float, Member]] = {}
        self._transforms: dict[tuple[Half, Fraction, Fraction], Transforms] = {}

    def member(self, cells: Cells, nats: float, scale: Fraction) -> Member:
        """Its residues up to the given bound or a larger one, for rhos times at most `scale`."""
        key = (tuple(sorted(cells.items())), scale)
        if key not in self._scanned or self._scanned[key][0] < nats:
            self._scanned[key] = nats, scan(cells, self.period, nats, scale)
        return self._scanned[key][1]

    def transforms(self, half: Half, tilt: Fraction, scale: Fraction) -> Transforms:
        """The transforms of a half, evaluated as they are asked for."""
        key = (half, tilt, scale)
        if key not in self._transforms:
            if sum(len(kept.known) for kept in self._transforms.values()) > _MOST_KEPT:
                self._transforms.clear()
            self._transforms[key] = Transforms(half, tilt, scale, self.bits)
        return self._transforms[key]


@dataclass(frozen=True, slots=True)
class Half:
    """Cells whose transform at n depends on n modulo `modulus`."""

    cells: tuple[tuple[Fraction, int], ...]
    modulus: int


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes n in 0 .. modulus / 2 of a composition of halves; the others add at most `out`."""

    modulus: int
    n: list[int]
    halves: tuple[Half, ...]
    out: float

    def transforms(
        self, family: Family, tilt: Fraction, scale: Fraction, *, odd: bool = False
    ) -> list[tuple[int, arb | acb]]:
        """n and the transform there, for all n or the odd ones."""
        halves = [family.transforms(half, tilt, scale) for half in self.halves]
        return [
            (n, math.prod((half.at(n % half.modulus) for half in halves), start=arb(1)))
            for n in self.n
            if n % 2 or not odd
        ]


class Transforms:
    """phi of one half at its residues, all rhos times `scale`, kept once evaluated."""

    def __init__(self, half: Half, tilt: Fraction, scale: Fraction, bits: int) -> None:
        self.modulus = half.modulus
        step = rational_gcd([rho for rho, _ in half.cells])
        self.factors = [(Cell(rho * scale, tilt, bits), int(rho / step), count) for rho, count in half.cells]
        self.known: dict[int, arb | acb] = {}
        self.real = tilt == 0

    def at(self, residue: int) -> arb | acb:
        """phi at a residue; that of its negative is the conjugate."""
        folded = min(residue, self.modulus - residue)
        if folded not in self.known:
            value: arb | acb = arb(1)
            for cell, weight, count in self.factors:
                value = value * cell.at(folded * weight, self.modulus) ** count
            self.known[folded] = value
        value = self.known[folded]
        return value if self.real or folded == residue else value.conjugate()


@dataclass
class Pair:
    """A composition of two members, in a family; the second may be without cells."""

    family: Family
    first: Cells
    second: Cells
    plain: dict[float, Plain] = field(default_factory=dict)
    tilted: dict[tuple[int, Fraction, tuple[float, ...]], Nodes] = field(default_factory=dict)
    loose: bool = False  # whether fewer nodes were summed than first wanted, ever since it was set to False

    @property
    def members(self) -> list[Cells]:
        """The members that have cells."""
        return [half for half in (self.first, self.second) if half]

    @cached_property
    def cells(self) -> Cells:
        """All cells."""
        return joined(self.first, self.second)

    @cached_property
    def total(self) -> Fraction:
        """R."""
        return sum((rho * count for rho, count in self.cells.items()), Fraction(0))

    @cached_property
    def step(self) -> Fraction:
        """h."""
        return rational_gcd(list(self.cells))

    @cached_property
    def coarse(self) -> bool:
        """Whether the residues of the members are few enough to be scanned."""
        sizes = [self.family.period / rational_gcd(list(half)) for half in self.members]
        return all(size.denominator == 1 and size < MOST_SCANNED for size in sizes)

    @cached_property
    def modulus(self) -> int:
        """N of the family's period."""
        return int(self.family.period / self.step)

    def nodes(
        self, out: float, scale: Fraction = Fraction(1), *, modulus: int | None = None, power: int = 1
    ) -> Nodes:
        """The nodes n without which the sum of phi(n) / 2n^power over 0 < n <= N/2 is at most `out`.

        For rhos times `scale` at the same turns; modulus: N, where not that of the family.
        Raises survivors.OutOfReach when they are too many.
        """
        modulus = modulus or self.modulus
        if not self.coarse or modulus != self.modulus:
            cells = tuple(sorted(self.cells.items()))
            nodes = short_nodes(self.cells, modulus, self.step, out, scale, power)
            return Nodes(modulus, nodes, (Half(cells, modulus),), out)
        nats = math.ceil(math.log((1 + math.log(modulus)) / (2 * out)))
        return Nodes(modulus, *self.scanned(nats, scale), out)

    def scanned(self, nats: int, scale: Fraction = Fraction(1)) -> tuple[list[int], tuple[Half, ...]]:
        """All nodes with phi > exp(-nats), and the halves that they are nodes of."""
        members = [self.family.member(cells, nats, scale) for cells in self.members]
        if len(members) == 2:
            n = join(members[0], members[1], nats)
        else:
            n = members[0].residue[members[0].residue <= self.modulus // 2].tolist()
        return n, tuple(Half(member.cells, member.modulus) for member in members)

    def alpha(self, threshold: Fraction, outs: Sequence[float]) -> arb:
        """P(T > threshold); nodes left out add at most the first of `outs` in reach, or LEAST_OUT."""
        return self._plain(outs).upper((threshold + self.total / 2) // self.step + 1)

    def beta(self, threshold: Fraction, outs: Sequence[float]) -> arb:
        """Q(T <= threshold) = P(T >= -threshold)."""
        return self._plain(outs).upper(-((threshold - self.total / 2) // self.step))

    def _plain(self, outs: Sequence[float]) -> Plain:
        key = max(outs[0], LEAST_OUT)
        if key not in self.plain:
            nodes = self._in_reach([max(out, LEAST_OUT) for out in outs])
            self.plain[key] = Plain(self, nodes)
        self.loose |= self.plain[key].out > key
        return self.plain[key]

    def _in_reach(self, outs: Sequence[float], scale: Fraction = Fraction(1), **options: int) -> Nodes:
        """The nodes for the first of `outs` for which they are not too many."""
        for out in outs[:-1]:
            with suppress(OutOfReach):
                return self.nodes(out, scale, **options)
        return self.nodes(outs[-1], scale, **options)

    def delta(self, eps: Fraction, scale: Fraction = Fraction(1)) -> arb:
        """delta(eps) for eps >= 0, all rhos times `scale`."""
        total, step, modulus = self.total * scale, self.step * scale, self.modulus
        furthest = eps + total / 2 + step
        if not self.coarse:
            modulus = math.ceil(tilted_period(total, furthest) / step)
        if furthest > _FURTHEST * modulus * step or furthest > _LARGEST:
            raise OutOfReach(f"eps = {float(eps):.3g} or a scale of {float(scale):.3g} is too far out")
        value, loose = self._tilted(eps, scale, modulus, TILTED_OUT)
        if not loose and not value.rad() < _NARROW * value.mid():
            loose = True
            with suppress(OutOfReach):
                modulus = math.ceil(tilted_period(total, furthest, LUMPY_NATS) / step)
                value, _ = self._tilted(eps, scale, modulus, LUMPY_OUT)
                loose = not value.rad() < _NARROW * value.mid()
        self.loose |= loose
        return value

    def _tilted(
        self, eps: Fraction, scale: Fraction, modulus: int, outs: tuple[float, ...]
    ) -> tuple[arb, bool]:
        """An enclosure of delta, and whether fewer nodes were summed than for the first of `outs`."""
        rounded = Fraction(math.ceil(_SCALES * scale), _SCALES)
        key, period = (modulus, rounded, outs), float(modulus * self.step)
        if key not in self.tilted:
            least = [out / period for out in outs]
            self.tilted[key] = self._in_reach(least, rounded, modulus=modulus, power=2)
        nodes, tilt = self.tilted[key], best_tilt(eps, self.total * scale)
        with precision(BITS):
            terms = nodes.transforms(self.family, tilt, scale)
        found = tilted_delta(
            eps, tilt, self.total * scale, self.step * scale, modulus, terms, nodes.out, BITS
        )
        return found, nodes.out > outs[0] / period


class Plain:
    """Sums over the survivors, whose terms are kept."""

    def __init__(self, pair: Pair, nodes: Nodes) -> None:
        self.modulus, self.out, self.bits = nodes.modulus, nodes.out, pair.family.bits
        with precision(self.bits):
            self.terms: list[tuple[int, arb]] = []
            for n, transform in nodes.transforms(pair.family, Fraction(0), Fraction(1)):
                if n:
                    term = transform / (self.modulus * arb.sin_pi_fmpq(fmpq(n, self.modulus)))
                    self.terms.append((n, term / 2 if 2 * n == self.modulus else term))
            self.aliasing = 2 * (-ball(pair.family.period**2 / (8 * pair.total))).exp()
            self.slack = self.aliasing + arb(nodes.out)

    def upper(self, start: int) -> arb:
        """P(S >= start)."""
        with precision(self.bits):
            if 2 * abs(start) > self.modulus:
                return widened(arb(0 if start > 0 else 1), self.aliasing)
            odd, double = 2 * start - 1, 2 * self.modulus
            value = ball(Fraction(1, 2) - Fraction(odd, double))
            for n, term in self.terms:
                value -= term * arb.sin_pi_fmpq(fmpq(n * odd % double, self.modulus))
            return widened(value, self.slack)


def common_period(steps: list[Fraction], needed: float) -> Fraction:
    """A common multiple of lattice steps, at least as long as needed and not much longer than it must be."""
    unit = rational_lcm(steps)
    return unit * max(1, math.ceil(Fraction(needed) / unit))
