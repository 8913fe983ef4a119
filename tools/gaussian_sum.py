"""Tails and delta of a sum of discrete Gaussians in ball arithmetic, for check_certificate.py.

X = sum of rho_c x_c = h S over the cells, R the sum of the rhos. With a period N h and any lam,

    P(S >= s) = [lam < 0] + (1/N) sum_n E exp(lam X + i t_n S) z^s (1 - z^K) / (1 - z),   t_n = 2 pi n / N,

z = exp(-lam h - i t_n), K = N/2, or -N/2 where lam < 0: a window of N/2 points from s up, or up to s. lam is
near the saddle point h s / R. docs/certificate.md says which n are summed and bounds all that is left out.
"""

import math
from fractions import Fraction as F
from functools import cache

import numpy as np
from flint import acb, arb, ctx, fmpq, fmpz_mat

ctx.prec = 192
MOST = 10_000_000  # lattice points to look at in one search


def ball(x):
    """The ball around a number."""
    return arb(fmpq(*x.as_integer_ratio()))


@cache
def base(rho):
    """tau of a cell, theta_3(u, tau) = sum exp(-rho x^2 / 2 + 2 pi i u x), and theta_3(0, tau)."""
    tau = acb(0, ball(rho) / (2 * arb.pi()))
    return tau, acb.modular_theta(acb(0), tau)[2]


def theta(rho, lam, turns):
    """E exp(lam rho x + 2 pi i turns x) for one cell."""
    tau, norm = base(rho)
    return acb.modular_theta(acb(turns, -tau.imag * ball(lam)), tau)[2] / norm


@cache
def decay(rho):
    """-ln phi at u = 0, 1/1000 .. 1/2 turns, phi = |E exp(2 pi i u x)|, and c with phi <= exp(-c u^2)."""
    phi = [float(theta(rho, 0, arb(j) / 1000).abs_upper()) for j in range(501)]
    table = -np.log(np.minimum(np.array(phi) + 1e-300, 1))
    return table, 0.98 * (table[1:] / np.linspace(0, 0.5, 501)[1:] ** 2).min()


def losses(cells, turns):
    """-ln phi, or less, at nodes where the cells' frequencies are these, one row of turns for each cell."""
    away = (1000 * np.minimum(turn % 1, 1 - turn % 1) - 1e-6 for turn in turns)
    places = (np.maximum(place, 0).astype(int) for place in away)
    return sum(cells[rho] * decay(rho)[0][place] for rho, place in zip(cells, places, strict=False))


def short(cells, modulus, h, far, near, out):
    """All near < n <= far but some whose phi(n) / 2n add up to `out`, as {n: -ln phi}: short vectors."""
    # v = (sqrt(c_rho) (w_rho n / N - m_rho) for every rho, n / far), in which phi <= exp(extra - |v|^2)
    curves = [count * decay(rho)[1] for rho, count in cells.items()]
    extra, curves = 1 + sum(max(4 - c, 0) / 4 for c in curves), [max(c, 4) for c in curves]
    scales = [int(math.sqrt(c) * 2**80) for c in curves] + [modulus * 2**80 // far]
    units = modulus * np.eye(len(cells), len(scales), dtype=object)
    rows = [[int(rho / h) for rho in cells] + [1], *units]
    rows = [[int(x) * scale for x, scale in zip(row, scales, strict=True)] for row in rows]
    reduced = fmpz_mat(rows).lll().tolist()
    basis = [[int(x) // scale for x, scale in zip(row, scales, strict=True)] for row in reduced]
    turns = np.array([[F(x, modulus) for x in row] for row in basis], dtype=float)
    r = np.linalg.qr((turns * [scale / 2.0**80 for scale in scales]).T)[1]
    # left out, |v|^2 > most: at most exp(extra - most) each, or in all as much as Rankin's trick says
    s, size = np.linspace(0.05, 0.95, 19), np.diag(r)[:, None] ** 2
    theta_sums = np.minimum(np.sqrt(math.pi / (s * size)), 2 / np.expm1(np.minimum(s * size, 500)))
    every = np.log1p(theta_sums).sum(0)
    rankin = (extra + every - math.log(2 * max(2 * near, 1) * out)) / (1 - s)
    most = 1.000001 * min(extra + math.log((1 + math.log(far / max(near, 1))) / out), rankin.min()) + 1e-6
    found, looked, one = {}, 0, np.zeros((1, len(r)))
    stack = [(len(r), one, one.astype(int), np.full(1, most))] if most > 0 else []
    while stack:  # all integers x with |r x|^2 <= most, from the last coordinate to the first
        i, part, x, left = stack.pop()
        if i == 0:
            x = x[np.abs(x @ turns[:, -1]) * modulus < 1.000001 * far + 1]
            u = np.abs(x @ turns)
            spent = losses(cells, u.T)
            heavy = np.exp(-spent) >= out / MOST * np.maximum(u[:, -1] * modulus, 1)
            listed = np.abs(x[heavy].astype(object) @ [row[-1] for row in basis])
            found.update(zip(listed, spent[heavy], strict=True))
            continue
        i -= 1
        middle, reach = -part[:, i] / r[i, i], np.sqrt(left) / abs(r[i, i]) + 1e-9
        first = np.ceil(middle - reach).astype(int)
        many = np.maximum(np.floor(middle + reach).astype(int) - first + 1, 0)
        looked += many.sum()
        if looked > MOST:
            raise ValueError("too many nodes to find this number again")
        at = np.repeat(np.arange(len(x)), many)
        new = first[at] + np.arange(len(at)) - np.repeat(many.cumsum() - many, many)
        part, x = part[at] + new[:, None] * r[:, i], x[at]
        x[:, i], left = new, np.maximum(left[at] - part[:, i] ** 2, 0)
        chunks = [slice(c, c + 50_000) for c in range(0, len(x), 50_000)]
        stack += [(i, part[c], x[c], left[c]) for c in chunks]
    return {n: spent for n, spent in found.items() if near < n <= far}


def nodes(cells, modulus, h, out):
    """0 and all n <= modulus / 2 but some whose phi(n) / 2n add up to `out` at most."""
    far, found = modulus // 2, {}
    while far:
        near = far // 16 if far > 1000 else 0
        found |= short(cells, modulus, h, far, near, out / (2 + math.log2(modulus)))
        far = near
    listed = np.array(list(found), dtype=object)
    weights = np.exp(-np.array(list(found.values()))) / (2 * listed).astype(float)
    order = np.argsort(weights)
    return [0, *listed[order[np.searchsorted(weights[order].cumsum(), out / 2) :]]]


class Law:
    """The law of S for all rhos times `scale`."""

    def __init__(self, cells, scale):
        self.cells = {rho * scale: count for rho, count in cells.items()}
        below = math.lcm(*(rho.denominator for rho in self.cells))
        self.h = F(math.gcd(*(int(rho * below) for rho in self.cells)), below)
        self.total = sum(rho * count for rho, count in self.cells.items())
        self.found = {}

    def transform(self, n, lam, modulus):
        """E exp(lam X + 2 pi i n S / modulus)."""
        turns = [(rho, count, int(rho / self.h) * n % modulus) for rho, count in self.cells.items()]
        turns = [(rho, count, w if 2 * w < modulus else w - modulus) for rho, count, w in turns]
        return math.prod(
            (theta(rho, lam, arb(fmpq(w, modulus))) ** count for rho, count, w in turns), start=acb(1)
        )

    def upper(self, start, error):
        """P(S >= start), to an absolute error of about `error`."""
        x, least = start * self.h, 0.5 / math.sqrt(self.total)
        lam = F(math.copysign(max(abs(float(x / self.total)), least), x or 1))
        least = (-ball(abs(lam) * self.h)).exp()
        size = 2 * ball(self.total * lam**2 / 2 - lam * x).exp() * arb.min(1 / least.sqrt(), 2 / (1 - least))
        if size < ball(error):
            return int(lam < 0) + arb(0, size.upper())
        digits = 4 * math.ceil(float((size / ball(error)).log()) / math.log(10) / 4 + 0.25)
        if digits not in self.found:
            modulus = 2 * math.ceil(math.sqrt(2 * self.total * (2.4 * digits + 3)) / self.h)
            self.found[digits] = modulus, nodes(self.cells, modulus, self.h, 10.0**-digits)
        modulus, listed = self.found[digits]
        window, value = int(math.copysign(modulus // 2, lam)), acb(0)
        for n in listed:
            turns = ((k, arb(fmpq(-2 * n * k % (2 * modulus), modulus))) for k in (1, start, start + window))
            z, power, last = (acb(-ball(lam * self.h * k), arb.pi() * turn).exp() for k, turn in turns)
            value += self.transform(n, lam, modulus) * (power - last) / (1 - z) * (1 + (0 < 2 * n < modulus))
        slack = size * ball(F(1, 10**digits))
        slack += self.outside(abs(lam), x if lam > 0 else self.h - x, modulus * self.h)
        return int(lam < 0) + value.real / modulus + arb(0, slack.upper())

    def outside(self, lam, x, period):
        """X >= x + period / 2, not counted, and X in x - m period + (0 .. period / 2), m not 0, counted."""
        last = math.ceil(abs(x) / period) + 3  # from there on each is less than half the one before
        ends = [(m, x - m * period, x - m * period + period / 2) for m in range(-last, last + 1)]
        away = [(m, max(low if m else high, -high if m else 0, 0)) for m, low, high in ends]
        terms = [(-ball(lam * m * period + y**2 / (2 * self.total))).exp() for m, y in away]
        return sum(terms) + terms[0] + terms[-1]

    def above(self, t, error):
        """P(T > t)."""
        return self.upper((t + self.total / 2) // self.h + 1, error)

    def delta(self, eps, error):
        """Q(T > eps) - e^eps P(T > eps)."""
        q = self.upper((eps - self.total / 2) // self.h + 1, error)
        return q - ball(eps).exp() * self.above(
            eps, error / int(ball(eps).exp().upper().ceil().unique_fmpz())
        )
