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

Tilted rule, for small delta; see Tilted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from flint import acb, arb, fmpq

from .allocation_text import Cells, joined, rational_gcd, rational_lcm
from .balls import ball, precision, widened
from .short import short_nodes
from .survivors import Member, join, scan
from .transform import Cell

BITS = 192
PLAIN_NATS = 97.0  # aliasing of tails: 1e-42
LEAST_OUT = 1e-41  # what nodes left out may add to a tail, at the least
TILTED_OUT = 1e-19  # the same for delta: its relative accuracy, and what the steepest descent bound loses
MOST_SCANNED = 50_000_000  # residues of a member
_SCALES = 16  # nodes are listed for scales rounded up to a multiple of its inverse
TILTED_NATS = 58.0  # aliasing of delta, relative
_MOST_KEPT = 2_000_000  # transforms, some 0.3 kB each


def needed_period(total: Fraction, furthest: Fraction) -> float:
    """Long enough for the aliasing bounds, for thresholds x of X up to `furthest`."""
    r = float(total)
    plain = 2.0 * math.sqrt(2.0 * r * PLAIN_NATS)
    far = float(furthest)
    return max(plain, 0.5 * far + TILTED_NATS * r / far if far > plain / 2 else 0.0)


class Family:
    """Members (halves of compositions) with one period, so that their residues and transforms are shared."""

    def __init__(self, period: Fraction) -> None:
        self.period = period
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
            if sum(len(one.known) for one in self._transforms.values()) > _MOST_KEPT:
                self._transforms.clear()
            self._transforms[key] = Transforms(half, tilt, scale)
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

    def __init__(self, half: Half, tilt: Fraction, scale: Fraction) -> None:
        self.modulus = half.modulus
        step = rational_gcd([rho for rho, _ in half.cells])
        self.factors = [(Cell(rho * scale, tilt, BITS), int(rho / step), count) for rho, count in half.cells]
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

    def nodes(self, out: float, scale: Fraction = Fraction(1)) -> Nodes:
        """The nodes n without which the sum of phi(n) / 2n over 0 < n <= N/2 is at most `out`.

        For rhos times `scale` at the same turns. Raises survivors.OutOfReach when they are too many.
        """
        modulus = int(self.family.period / self.step)
        if not self.coarse:
            cells = tuple(sorted(self.cells.items()))
            nodes = short_nodes(self.cells, modulus, self.step, out, scale)
            return Nodes(modulus, nodes, (Half(cells, modulus),), out)
        nats = math.ceil(math.log((1 + math.log(modulus)) / (2 * out)))
        scanned = [self.family.member(cells, nats, scale) for cells in self.members]
        halves = tuple(Half(member.cells, member.modulus) for member in scanned)
        residues = scanned[0].residue
        if len(scanned) == 2:
            n = join(scanned[0], scanned[1], nats)
        else:
            n = residues[residues <= modulus // 2].tolist()
        return Nodes(modulus, n, halves, out)

    def alpha(self, threshold: Fraction, out: float) -> arb:
        """P(T > threshold); nodes left out add at most `out`, or LEAST_OUT."""
        return self._plain(out).upper((threshold + self.total / 2) // self.step + 1)

    def beta(self, threshold: Fraction, out: float) -> arb:
        """Q(T <= threshold) = P(T >= -threshold)."""
        return self._plain(out).upper(-((threshold - self.total / 2) // self.step))

    def _plain(self, out: float) -> Plain:
        out = max(out, LEAST_OUT)
        if out not in self.plain:
            self.plain[out] = Plain(self, out)
        return self.plain[out]

    def delta(self, eps: Fraction, scale: Fraction = Fraction(1)) -> arb:
        """delta(eps) for eps >= 0, all rhos times `scale`."""
        return Tilted(self, best_tilt(eps, self.total * scale), scale).delta(eps)


class Plain:
    """Sums over the survivors, whose terms are kept."""

    def __init__(self, pair: Pair, out: float) -> None:
        nodes = pair.nodes(out)
        self.modulus = nodes.modulus
        with precision(BITS):
            self.terms: list[tuple[int, arb]] = []
            for n, transform in nodes.transforms(pair.family, Fraction(0), Fraction(1)):
                if n:
                    term = transform / (self.modulus * arb.sin_pi_fmpq(fmpq(n, self.modulus)))
                    self.terms.append((n, term / 2 if 2 * n == self.modulus else term))
            self.aliasing = 2 * (-ball(pair.family.period**2 / (8 * pair.total))).exp()
            self.slack = self.aliasing + arb(nodes.out)

    def upper(self, start: int) -> arb:
        """P(S >= start)."""
        with precision(BITS):
            if 2 * abs(start) > self.modulus:
                return widened(arb(0 if start > 0 else 1), self.aliasing)
            odd, double = 2 * start - 1, 2 * self.modulus
            value = ball(Fraction(1, 2) - Fraction(odd, double))
            for n, term in self.terms:
                value -= term * arb.sin_pi_fmpq(fmpq(n * odd % double, self.modulus))
            return widened(value, self.slack)


def best_tilt(eps: Fraction, total: Fraction) -> Fraction:
    """A tilt near the saddle point 1/2 + eps / R, half a grid step or more away from the poles at 0 and 1."""
    steps = max(1, math.ceil(math.sqrt(total) / 2))
    place = (Fraction(1, 2) + eps / total) * steps
    return Fraction(2 * math.floor(place) + 1, 2 * steps)


class Tilted:
    """delta from sums with the law of S tilted by exp(tilt X), whose terms are of the size of the answer.

    With D(n) = E exp(tilt X + 2 pi i n S / N), K = floor(N / 2) and any real mu,

        U(mu, a) = (1/N) sum_n D(n) sum_{s=a}^{a+K-1} exp(-mu h s - 2 pi i n s / N)

    is the sum over all S of P(S) exp(tilt h S) exp(-mu h s), s the point of the window congruent to S, if
    there is one. So, s0 being the first point above eps + R/2, U(tilt, s0) is P(T > eps), and exp(-R/2) times
    U(tilt - 1, .) is Q(T > eps) (tilt > 1, window from s0) or Q(T <= eps) (tilt < 1, window up to s0), up to
    what `_aliasing` bounds. |D(n)| <= exp(R tilt^2 / 2) phi(n) (transform.py), |1 - z| >= 2 |sin(pi n / N)|
    sqrt|z| and 1 / (N sin(pi n / N)) <= 1 / 2n, so the nodes left out add at most the sum of phi(n) / 2n over
    them, times 2 exp(R tilt^2 / 2 - mu h s0) / sqrt(min(1, exp(-mu h))), or as 2n <= N and |1 - z| >=
    |1 - |z||, with 4 / |1 - exp(-mu h)| for the last quotient and the 2 (`_left_out`).
    """

    def __init__(self, pair: Pair, tilt: Fraction, scale: Fraction) -> None:
        self.tilt, self.scale = tilt, scale
        self.total, self.step = pair.total * scale, pair.step * scale
        self.period = pair.family.period * scale
        nodes = pair.nodes(TILTED_OUT, Fraction(math.ceil(_SCALES * scale), _SCALES))
        self.modulus, self.window, self.out = nodes.modulus, nodes.modulus // 2, nodes.out
        with precision(BITS):
            self.terms = nodes.transforms(pair.family, tilt, scale)

    def delta(self, eps: Fraction) -> arb:
        """Enclosure of delta(eps)."""
        start = (eps + self.total / 2) // self.step + 1
        point = start * self.step
        above = self.tilt > 1
        with precision(BITS):
            half = (-ball(self.total / 2)).exp()
            factor = ball(eps).exp()
            first = half * self._sum(self.tilt - 1, start if above else start - self.window, point)
            second = factor * self._sum(self.tilt, start, point)
            slack_p = self._aliasing(self.tilt, point, point)
            if above:
                slack_q = self._aliasing(self.tilt - 1, point - self.total, point - self.total)
                value = first - second
            else:
                mirror = self.total - point
                slack_q = self._aliasing(1 - self.tilt, mirror, mirror + self.step)
                value = 1 - first - second
            return widened(widened(value, slack_q), factor * slack_p)

    def _sum(self, mu: Fraction, start: int, point: Fraction) -> arb:
        """U(mu, start), the nodes left out included in its radius."""
        modulus, window = self.modulus, self.window
        shrink = (-ball(mu * self.step)).exp()
        begin = (-ball(mu * self.step * start)).exp()
        finish = (-ball(mu * self.step * (start + window))).exp()
        total = arb(0)
        for n, transform in self.terms:
            z = shrink * _turn(-n, modulus)
            after = finish * _turn(-n * (start + window), modulus)
            term = (transform * (begin * _turn(-n * start, modulus) - after) / (1 - z)).real
            total += term if n == 0 or 2 * n == modulus else 2 * term
        return widened(total / modulus, self._left_out(mu, point, shrink))

    def _left_out(self, mu: Fraction, point: Fraction, shrink: arb) -> arb:
        size = (ball(self.total * self.tilt**2 / 2 - mu * point)).exp()
        near = 2 / (shrink.sqrt() if mu > 0 else arb(1))
        far = 4 / abs(1 - shrink)
        return arb(self.out) * size * (far if far < near else near)

    def _aliasing(self, mu: Fraction, low: Fraction, high: Fraction) -> arb:
        """Error of a window sum with tilt mu > 0 for the tail from x on, low <= x <= high.

        S >= s0 + K is missing, or with k = 1, 2, ... counts exp(mu k period) times from s0 + k N on;
        S < s0 - N + K counts exp(-mu period) times at most.
        """
        length = self.step * self.window

        def tail(x: Fraction) -> arb:
            return (-ball(x * x / (2 * self.total))).exp() if x > 0 else arb(1)

        error = tail(low + length) + (-ball(mu * self.period)).exp() * tail(self.period - length - high)
        k = 1
        while True:
            here, following = (
                (ball(mu * self.period * j)).exp() * tail(low + j * self.period) for j in (k, k + 1)
            )
            # The exponent is concave in k once x > 0, so the rest is below a geometric series.
            if low + k * self.period > 0 and following < here / 2:
                return error + 2 * here
            error += here
            k += 1


def _turn(numerator: int, modulus: int) -> acb:
    """exp(2 pi i numerator / modulus)."""
    sine, cosine = arb.sin_cos_pi_fmpq(fmpq(2 * (numerator % modulus), modulus))
    return acb(cosine, sine)


def common_period(steps: list[Fraction], needed: float) -> Fraction:
    """A common multiple of lattice steps, at least as long as needed and not much longer than it must be."""
    unit = rational_lcm(steps)
    return unit * max(1, math.ceil(Fraction(needed) / unit))
