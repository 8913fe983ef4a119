"""Expectations over a sum of discrete Gaussians in ball arithmetic, for check_certificate.py.

X = sum of rho_c x_c = h S over the cells, R the sum of the rhos, T = X - R/2. With a period p = N h and any
lam but 0, t_n = 2 pi n / N and z = exp(-lam h - i t_n),

    P(S >= s) = (1/N) sum_n E exp(lam X + i t_n S) z^s / (1 - z) - 1 / (exp(lam p) - 1) + what is wrapped.

docs/certificate.md says why, and bounds what is wrapped and the nodes n that are left out.
"""

import math
from fractions import Fraction as F

import numpy as np
from discrete_gaussian import ball, loss, theta
from fine_lattice import search
from flint import acb, arb, fmpq

FINE = 100_000_000  # periods of more steps are not scanned
CHUNK = 1 << 15


def scan(cells, modulus, power, out):
    """All n = 1 .. N/2 of which 2 phi(n) / N sin(pi n / N)^power, the weight, is above `out`, and its ln."""
    rho, sharpest, count = cells[0]  # this cell alone makes n too light where count (a u^2 - 1) > heaviest
    heaviest = math.log(2 / modulus / math.sin(math.pi / modulus) ** power / out)
    reach = modulus * math.sqrt(max(heaviest / count + 1, 0) * float(rho) / (2 * math.pi**2))
    found = []
    for first in range(1, modulus // 2 + 1, CHUNK):
        n = np.arange(first, min(first + CHUNK, modulus // 2 + 1))
        k = n * (sharpest % modulus) % modulus
        n = n[(k <= reach) | (k >= modulus - reach)]
        weight = math.log(2 / modulus) - power * np.log(np.sin(np.pi * n / modulus))
        for rho, step, count in cells:
            weight -= count * loss(rho, n * (step % modulus) % modulus / modulus)
            n, weight = n[weight > math.log(out)], weight[weight > math.log(out)]
        found.append((n, weight))
    return map(np.concatenate, zip(*found, strict=True))


def nodes(cells, modulus, power, out):
    """0 and all n = 1 .. N/2 but some that weigh `out` in all."""
    if modulus <= FINE:
        n, weight = scan(cells, modulus, power, out / modulus)
    else:
        n, weight = search(cells, modulus, power, 0.49 * out)
    order = np.argsort(weight)
    return [0, *n[order[np.searchsorted(np.exp(weight[order]).cumsum(), 0.49 * out) :]].tolist()]


class Law:
    """The law of S for all rhos times `scale`."""

    def __init__(self, cells, scale=1):
        rhos = {
            rho * scale: count for rho, count in sorted(cells.items(), key=lambda cell: cell[0] / cell[1])
        }
        below = math.lcm(*(rho.denominator for rho in rhos))
        self.h = F(math.gcd(*(int(rho * below) for rho in rhos)), below)
        self.cells = [(rho, int(rho / self.h), count) for rho, count in rhos.items()]
        self.total = sum(rho * count for rho, count in rhos.items())

    def transform(self, n, lam, modulus):
        """E exp(lam X + 2 pi i n S / modulus)."""
        value, half = acb(1), modulus // 2
        for rho, step, count in self.cells:
            value *= theta(rho, lam, arb(fmpq((step * n + half) % modulus - half, modulus))) ** count
        return value

    def expectation(self, parts, start, error):
        """E of sum c exp(j T) over parts {j: c}, j = 0 or 0 and 1, where S >= start, to about `error`."""
        total, h, x = self.total, self.h, start * self.h
        lam, away = F(float(x / total)), F(0.25 / math.sqrt(total))  # the saddle point, not too near a pole
        lam = lam if abs(lam - max(parts)) > away else max(parts) + away
        # a period of |x - jR| or more wraps at most 2 exp(-(x - jR)^2 / 2R) q / (1 - q)
        tails = {j: abs(c) * (-ball((x - j * total) ** 2 / (2 * total))).exp() for j, c in parts.items()}
        nats = max(1, *(float((4 * tail / ball(error)).log()) for tail in tails.values()))
        period = F(math.sqrt(2 * total * nats)) + 2 * abs(total * lam - x)
        modulus = math.ceil(max(period, *(abs(x - j * total) for j in parts)) / h) + 1
        period = modulus * h
        q = (-ball(period * (period / (2 * total) - abs(lam - x / total)))).exp()
        # |sum of lead_j / (1 - grow^j z)| <= most / sin(pi n / N)^power, a tilted cell exp(rho lam^2 / 2) phi
        lead = {j: c * ball(j * (x - total / 2)).exp() for j, c in parts.items()}
        grow, r = ball(h).exp(), (-ball(lam * h)).exp()
        most = abs(sum(lead.values())) + (abs(lead[0] * grow + lead[1]) * r if 1 in parts else 0)
        most = most / math.prod((grow**j * r).max(1) for j in parts)
        size = most * ball(total * lam**2 / 2 - lam * x).exp()
        out = min(float(ball(error) / size), 1.0)
        value = arb(0, (size * ball(out)).upper())
        for n in nodes(self.cells, modulus, len(parts), out):
            angle, turned = (arb.pi() * ball(F(-2 * (n * k % modulus), modulus)) for k in (1, start))
            share = sum(-b / acb(ball((j - lam) * h), angle).expm1() for j, b in lead.items())
            term = self.transform(n, ball(lam), modulus) * acb(-ball(lam * x), turned).exp() * share
            value += term.real * (1 + (0 < 2 * n < modulus)) / modulus
        for j, c in parts.items():
            value -= c / ball((lam - j) * period).expm1() + arb(0, (2 * tails[j] * q / (1 - q)).upper())
        return value

    def delta(self, eps, error):
        """Q(T > eps) - e^eps P(T > eps)."""
        return self.expectation({0: -ball(eps).exp(), 1: 1}, (eps + self.total / 2) // self.h + 1, error)

    def pruned(self, size, kept, error):
        """Sum of phi / (size sin(pi p / 2 size)), half at size, over odd p <= size, but its largest terms."""
        listed = [p for p in nodes(self.cells, 2 * size, 1, float(error)) if p % 2]
        weights = [self.transform(p, arb(0), 2 * size) / arb.sin_pi_fmpq(fmpq(p, 2 * size)) for p in listed]
        weights = [w.real / size / (1 + (p == size)) for p, w in zip(listed, weights, strict=True)]
        rest = sum(sorted(weights, key=float, reverse=True)[kept:], arb(0))
        return rest.union(rest + ball(error)) if 2 * kept < size else arb(0)
