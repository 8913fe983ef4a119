"""Nodes of a sum of discrete Gaussians whose period is too long to scan, as short vectors of a lattice.

With phi_rho(u) <= exp(-c_rho u^2) for |u| <= 1/2, a node n <= X is a vector v of all sqrt(c_rho)
(n rho / hN - m_rho), m_rho integers, and n / X, and phi(n) <= exp(1 - |v|^2). gaussian_sum.py needs this
for fine lattices alone.
"""

import math
from functools import cache

import numpy as np
from discrete_gaussian import loss, theta
from flint import arb, fmpz_mat

MOST = 100_000_000  # lattice points to look at in one search


@cache
def curvature(rho):
    """c with phi <= exp(-c u^2), |u| <= 1/2, for one cell."""
    turns = [j / 400 for j in range(1, 201)]
    return 0.98 * min(-float(abs(theta(rho, 0, arb(u))).log()) / u**2 for u in turns)


def reduced_basis(cells, modulus, far):
    """A basis of short vectors, n in the last column; it over N, all in turns; and the R of their QR."""
    scales = [int(math.sqrt(count * curvature(rho)) * 2**80) for rho, _, count in cells]
    scales = np.array([*scales, modulus * 2**80 // far], dtype=object)
    rows = [[step for _, step, _ in cells] + [1], *(modulus * np.eye(len(cells), len(scales), dtype=object))]
    scaled = [[int(x) for x in np.array(row, dtype=object) * scales] for row in rows]
    basis = [
        [int(x) // scale for x, scale in zip(row, scales, strict=True)]
        for row in fmpz_mat(scaled).lll().tolist()
    ]
    turns = np.array([[x / modulus for x in row] for row in basis])
    return basis, turns, np.linalg.qr((turns * (scales / 2**80).astype(float)).T)[1]


def longest(r, heaviest, out):
    """|v|^2 beyond which all n together weigh `out`, by Rankin's trick: 1 < exp((1 - s) (|v|^2 - that))."""
    s, size = np.linspace(0.05, 0.95, 19), np.diag(r)[:, None] ** 2
    sums = np.minimum(np.sqrt(math.pi / (s * size)), 2 / np.expm1(np.minimum(s * size, 500)))
    every = np.log1p(sums).sum(0)  # ln of the sum of exp(-s |v|^2) over all v, or more; v and -v are one node
    most = 1.000001 * ((1 + every + math.log(heaviest / (2 * out))) / (1 - s)).min() + 1e-6
    if (s * most + every).min() > math.log(50 * MOST):  # it is some 10 times their number
        raise ValueError("too many nodes to find this number again")
    return most


def short_vectors(r, most):
    """Arrays of all integers x with |r x|^2 <= most, found from the last coordinate to the first."""
    looked, one = 0, np.zeros((1, len(r)))
    stack = [(len(r), one, one.astype(int), np.full(1, most))] if most > 0 else []
    while stack:
        i, part, x, left = stack.pop()
        if i == 0:
            yield x
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


def search(cells, modulus, power, out):
    """All n = 1 .. N/2 but some that weigh `out` in all, and ln of their weights, or more."""
    sharp = [cell for cell in cells if cell[2] * curvature(cell[0]) > 4]  # the others' phi is taken for 1
    far, found = modulus // 2, {}
    while far:
        near, out = far // 16 if far > 1000 else 0, out / 2
        basis, turns, r = reduced_basis(sharp, modulus, far)
        heaviest = 2 / modulus * (modulus / 2 / max(near, 1)) ** power
        for x in short_vectors(r, longest(r, heaviest, 0.9 * out)):
            place = np.abs(x @ turns[:, -1])
            inside = (place * modulus > 0.5) & (place * modulus < 1.000001 * far + 1)
            x, place = x[inside], place[inside]
            weight = math.log(2 / modulus) - power * np.log(2 * place)  # sin(pi n / N) >= 2n / N
            for (rho, _, count), turn in zip(sharp, turns.T, strict=False):
                weight -= count * loss(rho, x @ turn)
            heavy = weight > math.log(0.1 * out / MOST)
            listed = np.abs(x[heavy].astype(object) @ [row[-1] for row in basis])
            found |= {n: ln for n, ln in zip(listed, weight[heavy], strict=True) if near < n <= far}
        far = near
    return np.array(list(found), dtype=object), np.array(list(found.values()))
