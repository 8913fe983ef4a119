"""Tails and delta of a sum of discrete Gaussians in ball arithmetic, for check_certificate.py.

X = sum of rho_c x_c = h S over the cells, R the sum of the rhos. With a period N h and any lam other than 0,

    P(S >= s) = (1/N) sum_n E exp(lam X + i t_n S) z^s / (1 - z) - 1 / (exp(lam N h) - 1) + what is wrapped,

t_n = 2 pi n / N, z = exp(-lam h - i t_n), lam near the saddle point h s / R. docs/certificate.md says which n
are summed and bounds all that is left out.
"""

import math
from fractions import Fraction as F
from functools import cache

import numpy as np
from flint import acb, arb, ctx, fmpq, fmpz_mat

ctx.prec = 192
MOST = 100_000_000  # lattice points to look at in one search
FEW = 1_000_000  # nodes that are looked at one by one


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


def short(cells, modulus, h, far, near, power, out):
    """All near < n <= far but some whose phi(n) / 2n^power add up to `out`, as {n: -ln phi}."""
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
    closest = float(max(near, 1))
    rankin = (extra + every - math.log(2 * closest**power * out)) / (1 - s)  # v and -v are one node
    each = extra + math.log((1 + math.log(far / closest)) / (closest ** (power - 1) * out))
    most = 1.000001 * min(each, rankin.min()) + 1e-6
    if float((s * most + every).min()) > math.log(50 * MOST):  # it is some 10 times their number
        raise ValueError("too many nodes to find this number again")
    found, looked, one = {}, 0, np.zeros((1, len(r)))
    stack = [(len(r), one, one.astype(int), np.full(1, most))] if most > 0 else []
    while stack:  # all integers x with |r x|^2 <= most, from the last coordinate to the first
        i, part, x, left = stack.pop()
        if i == 0:
            x = x[np.abs(x @ turns[:, -1]) * modulus < 1.000001 * far + 1]
            u = np.abs(x @ turns)
            spent = losses(cells, u.T)
            heavy = np.exp(-spent) >= out / MOST * np.maximum(u[:, -1] * modulus, 1) ** power
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


def nodes(cells, modulus, h, power, out):
    """0 and all n <= modulus / 2 but some whose phi(n) / 2n^power add up to `out` at most."""
    far, share, found = modulus // 2, out / 2, {}
    if far <= FEW:
        n, far = np.arange(1, far + 1), 0
        turns = [n * (int(rho / h) % modulus) % modulus / modulus for rho in cells]
        found = dict(zip(n.tolist(), losses(cells, turns), strict=True))
    while far:
        near, share = far // 16 if far > 1000 else 0, share / 2
        found |= short(cells, modulus, h, far, near, power, share)
        far = near
    listed = np.array(list(found), dtype=object)
    weights = np.exp(-np.array(list(found.values()))) / (2 * listed.astype(float) ** power)
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

    def tilt(self, x, pole):
        """lam near the saddle point x / R, not too near a pole."""
        lam, away = F(float(x / self.total)), F(0.25 / math.sqrt(self.total))
        return lam if abs(lam - pole) > away else pole + away

    def contour(self, lam, start, error, share, most, power):
        """(1/N) sum_n E exp(lam X + i t_n S) z^start share(z), to about `error`, and N h.

        |share(z)| is at most most / |sin(t_n / 2)|^power.
        """
        x = start * self.h
        size = ball(self.total * lam**2 / 2 - lam * x).exp()
        nats = max(float((size * arb(most).max(1) / error).log()), 0) + 4  # on coarse lattices most is large
        period = F(math.sqrt(2 * self.total * nats)) + abs(self.total * lam - x)
        if abs(x) > period:
            period = abs(x) / 2 + F(nats) / abs(lam)
        modulus = math.ceil(period / self.h)
        left_out = size * most * (modulus if power == 2 else 2)  # times the sum of phi(n) / 2n^power
        out = 2.0 ** min(math.floor(float((error / left_out).log()) / math.log(2)), 0)
        if (modulus, power, out) not in self.found:
            self.found[modulus, power, out] = nodes(self.cells, modulus, self.h, power, out)
        value = acb(0)
        for n in self.found[modulus, power, out]:
            turns = ((k, arb(fmpq(-2 * n * k % (2 * modulus), modulus))) for k in (1, start))
            z, first = (acb(-ball(lam * self.h * k), arb.pi() * turn).exp() for k, turn in turns)
            value += self.transform(n, lam, modulus) * first * share(z) * (1 + (0 < 2 * n < modulus))
        return value.real / modulus + arb(0, (left_out * ball(out)).upper()), modulus * self.h

    def repeated(self, lam, x, period):
        """1 / (exp(lam period) - 1), and what is wrapped: exp(-lam j period) P(X < x - j period) and
        exp(lam j period) P(X >= x + j period) for all j > 0."""
        last = math.ceil(abs(x) / period) + 3  # from there on each is less than half the one before
        far = [(j, max(j * period - x if j > 0 else x - j * period, 0)) for j in range(-last, last + 1) if j]
        terms = [(-ball(lam * j * period + y**2 / (2 * self.total))).exp() for j, y in far]
        return 1 / (ball(lam * period).exp() - 1) + arb(0, (sum(terms) + terms[0] + terms[-1]).upper())

    def upper(self, start, error):
        """P(S >= start), to an absolute error of about `error`."""
        x = start * self.h
        lam = self.tilt(x, 0)
        most = 1 / (-ball(lam * self.h)).exp().max(1)
        value, period = self.contour(lam, start, ball(error), lambda z: 1 / (1 - z), most, 1)
        return value - self.repeated(lam, x, period)

    def delta(self, eps, error):
        """Q(T > eps) - e^eps P(T > eps)."""
        start = (eps + self.total / 2) // self.h + 1
        x, factor, grow = start * self.h, ball(eps).exp(), ball(self.h).exp()
        lam, over = self.tilt(x, 1), ball(x - self.total / 2 - eps).exp()
        z = (-ball(lam * self.h)).exp()
        most = (over - 1 + (grow - over) * z) / (z.max(1) * (grow * z).max(1))

        def share(z):  # exp(x - R/2 - eps) / (1 - e^h z) for Q, less 1 / (1 - z) for P
            return (over - 1 + (grow - over) * z) / ((1 - z) * (1 - grow * z))

        value, period = self.contour(lam, start, ball(error) / factor, share, most, 2)
        both = factor * self.repeated(lam, x, period) - self.repeated(lam - 1, x - self.total, period)
        return factor * value + both
