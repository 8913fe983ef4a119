"""delta from sums with the law of S tilted by exp(tilt X), whose terms are of the size of the answer.

Notation of tails.py. For any mu other than 0, z = exp(-mu h - 2 pi i n / N), the geometric series of z, one
residue after the other, gives

    (1/N) sum_n E exp(mu X + 2 pi i n S / N) z^a / (1 - z) = P(S >= a) + 1 / (exp(mu period) - 1) + wrapped,

    |wrapped| <= sum_{j >= 1} exp(-mu j period) P(S < a - j N) + exp(mu j period) P(S >= a + j N),

for what is counted at s = S + j N as well has nearly all of the law below a for j > 0, nearly none for j < 0.
Under Q the law is that of P times exp(X - R/2). So with s0 the first point above eps + R/2, f = h s0 - R/2 -
eps in (0, h], D(n) = E exp(tilt X + 2 pi i n S / N), z = exp(-tilt h - 2 pi i n / N) and y = exp(h) z, taking
mu = tilt - 1 for Q and mu = tilt for P,

    delta = Q(T > eps) - exp(eps) P(T > eps)
          = exp(eps) (1/N) sum_n D(n) z^s0 (exp(f) / (1 - y) - 1 / (1 - z))
            - 1 / (exp((tilt - 1) period) - 1) + exp(eps) / (exp(tilt period) - 1) + what is wrapped.

The difference is (exp(f) - 1 + z (exp(h) - exp(f))) / ((1 - y)(1 - z)). As |1 - z| >= max(1, |z|) sin(pi n /
N), N sin(pi n / N) >= 2n and |D(n)| <= exp(R tilt^2 / 2) phi(n) (transform.py), the nodes left out add

    exp(eps + R tilt^2 / 2 - tilt h s0) N (exp(f) - 1 + |z| (exp(h) - exp(f))) / (max(1, |y|) max(1, |z|))

times their sum of phi(n) / 2n^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from flint import acb, arb, fmpq

from .balls import ball, precision, widened

TILTED_NATS = 58.0  # what is wrapped, relative to Chernoff's bound


def best_tilt(eps: Fraction, total: Fraction) -> Fraction:
    """A tilt near the saddle point 1/2 + eps / R, half a grid step or more away from the poles at 0 and 1."""
    steps = max(1, math.ceil(math.sqrt(total) / 2))
    place = (Fraction(1, 2) + eps / total) * steps
    return Fraction(2 * math.floor(place) + 1, 2 * steps)


def tilted_period(total: Fraction, furthest: Fraction, nats: float = TILTED_NATS) -> float:
    """Long enough for delta where eps + R/2 is at most `furthest`, for the tilts of `best_tilt`.

    The term j of what is wrapped is, relative to Chernoff's bound, at most exp(-(|j| period - |h s0 - R
    tilt|)^2 / 2R), the distance at most sqrt(R); or as P is at most 1, for j period < h s0,
    exp(-tilt (j period - h s0 / 2)).
    """
    r, far = float(total), float(furthest)
    near = math.sqrt(r) * (1.0 + math.sqrt(2.0 * nats))
    return max(near, 0.5 * far + nats * r / far if far > near else 0.0)


def tilted_delta(
    eps: Fraction,
    tilt: Fraction,
    total: Fraction,
    step: Fraction,
    modulus: int,
    terms: Iterable[tuple[int, arb | acb]],
    out: float,
    bits: int,
) -> arb:
    """Enclosure of delta(eps) from the nodes 0 <= n <= modulus / 2 and D(n) there.

    out: at most the sum of phi(n) / 2n^2 over the other nodes.
    """
    start = (eps + total / 2) // step + 1
    point, period = start * step, step * modulus
    with precision(bits):
        factor, shrink = ball(eps).exp(), (-ball(tilt * step)).exp()
        over, growth = (ball(f).exp() for f in (point - total / 2 - eps, step))
        value = arb(0)
        for n, transform in terms:
            z = shrink * _turn(-n, modulus)
            share = (over - 1 + (growth - over) * z) / ((1 - growth * z) * (1 - z))
            term = (transform * _turn(-n * start, modulus) * share).real
            value += term if n == 0 or 2 * n == modulus else 2 * term
        most = (over - 1 + (growth - over) * shrink) / (_one_or(shrink) * _one_or(growth * shrink))
        slack = arb(out) * ball(total * tilt**2 / 2).exp() * modulus * most
        value = widened(value / modulus, slack) * factor * (-ball(tilt * point)).exp()
        for mu, x, part in ((tilt - 1, point - total, arb(1)), (tilt, point, -factor)):
            value -= part / (ball(mu * period).exp() - 1)
            value = widened(value, abs(part) * _wrapped(mu, x, period, total))
        return value


def _wrapped(mu: Fraction, x: Fraction, period: Fraction, total: Fraction) -> arb:
    """Bound on what is wrapped around for P(X >= x), or for Q(X >= x + R): P(X >= y) <= exp(-y^2 / 2R)."""

    def loss(j: int, side: int) -> Fraction:
        away = max(j * period - side * x, Fraction(0))
        return side * mu * j * period + away**2 / (2 * total)

    def term(j: int, side: int) -> arb:
        return (-ball(loss(j, side))).exp()

    error = arb(0)
    for side in (1, -1):
        j = 1
        # The exponent is concave in j once `away` > 0, so the rest is below a geometric series.
        while j * period <= side * x or loss(j + 1, side) < loss(j, side) + 1:
            error += term(j, side)
            j += 1
        error += 2 * term(j, side)
    return error


def _one_or(size: arb) -> arb:
    """The larger of 1 and a size."""
    return arb(1).max(size)


def _turn(numerator: int, modulus: int) -> acb:
    """exp(2 pi i numerator / modulus)."""
    sine, cosine = arb.sin_cos_pi_fmpq(fmpq(2 * (numerator % modulus), modulus))
    return acb(cosine, sine)
