"""Which nodes can matter where residues are too many to be scanned: short vectors of a lattice.

phi(n) = product over cells of phi_rho(u), u = w_rho n / N turns, w_rho = rho / h. With
c_rho u^2 <= -ln phi_rho(u) on |u| <= 1/2, a node n <= X with -ln phi <= L is a vector

    v = (sqrt(c_rho) (w_rho n / N - m_rho) for every rho, n / X),     |v|^2 <= L + 1,

of the lattice of all integers n, m_rho. It is reduced (LLL, by FLINT) and its short vectors are enumerated
(Fincke and Pohst 1985), shell by shell, X' = X / 16 < n <= X. What has |v|^2 > L + 1 adds to the sum of
phi(n) / 2n over a shell

- at most exp(-L) (1 + ln(X / X')) / 2, each term being at most exp(-L) / 2n, and also
- at most exp(1 - (1 - s)(L + 1)) / 2X' times the sum over the lattice of exp(-s |v|^2), for any 0 < s < 1
  (Rankin's trick); that sum is at most the product of sum_k exp(-s r^2 k^2) over the diagonal entries r of
  the basis's triangular factor, since a Gaussian summed over a shifted lattice is largest without the shift.

So far out, where 1 / 2X' is small, small L serve. Of the nodes found the lightest are dropped as well, as
long as exp(-bound) / 2n adds up to no more than allowed.

-ln phi_rho(u) = F(sin^2 pi u), F convex with F(0) = 0, by Jacobi's product; so the least ratio to u^2 is at
least 0.98 times the least one on a grid of step 1/1000.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from .allocation_text import Cells
from .survivors import OutOfReach

MOST_COORDINATES = 1_000_000_000  # of vectors looked at in one shell
FEW = 1_000_000  # nodes that are looked at one by one
MOST_MODULUS = 10**150  # whose square a double holds
MOST_ANGLES = 4_000_000  # nodes kept, times distinct rhos
_BITS = 80  # of the scaled basis
_CHUNK = 10_000
_SHELL = 16
_INNERMOST = 1000
_POISSON = 6.0  # below this rho the Poisson series is short, above it the product
_LEAST_CURVE = 4.0  # where phi is near 1, so that |v|^2 tells of m; adds at most a quarter of it to |v|^2
_MARGIN = 1e-5  # rounding of |v|^2, besides one millionth of it

_TRICK = np.linspace(0.05, 0.95, 19)  # s in Rankin's trick
_TOO_HIGH = 6.0

Floats = NDArray[np.float64]


def loss(rho: float, turns: Floats) -> Floats:
    """-ln phi of one cell at 0 .. 1/2 turns; the factors of Jacobi's product that are left out add to it."""
    if rho < _POISSON:
        scale, k = 2.0 * math.pi**2 / rho, np.arange(-4.0, 5.0)[:, None]
        series = np.exp(-scale * (k * k - 2.0 * k * turns)).sum(axis=0) / np.exp(-scale * k * k).sum()
        return np.maximum(scale * turns * turns - np.log(series), 0.0)
    power = np.exp(-rho * (np.arange(1.0, 20.0)[:, None] - 0.5))
    return -np.log1p(-4.0 * power / (1.0 + power) ** 2 * np.sin(math.pi * turns) ** 2).sum(axis=0)


@lru_cache(maxsize=4096)
def table(rho: float) -> tuple[Floats, float]:
    """-ln phi at 0, 1/1000 .. 1/2 turns, and c with phi(u) <= exp(-c u^2) for |u| <= 1/2."""
    grid = np.arange(501) / 1000.0
    losses = loss(rho, grid)
    return losses, 0.98 * float((losses[1:] / grid[1:] ** 2).min())


def short_nodes(
    cells: Cells, modulus: int, step: Fraction, out: float, scale: Fraction, power: int
) -> list[int]:
    """0 and the n <= modulus / 2 without which the sum of phi(n) / 2n^power is at most `out`, ascending.

    scale: the law is that of all rhos times it, at the same turns. Raises OutOfReach when they are too many.
    """
    if modulus > MOST_MODULUS:
        raise OutOfReach(f"a period of about 2^{modulus.bit_length()} lattice steps")
    weights = [int(rho / step) for rho in cells]
    factors = [(float(rho * scale), count) for rho, count in cells.items()]
    found: dict[int, float] = {}
    far, share = modulus // 2, out
    if far <= FEW:
        n, far = np.arange(1, far + 1), 0
        turns = np.stack([n * (weight % modulus) % modulus / modulus for weight in weights], axis=1)
        found = dict(zip(n.tolist(), _spent(factors, turns).tolist(), strict=True))
    while far:
        share /= 4  # the outer shells have by far the most nodes
        near = far // _SHELL if far > _INNERMOST else 0
        found |= _shell(weights, factors, modulus, (far, near, power), share)
        far = near
    nodes = np.array(list(found), dtype=object)
    weight = np.exp(-np.array(list(found.values()))) / (2 * nodes.astype(np.float64) ** power)
    order = np.argsort(weight)
    kept = nodes[order[np.searchsorted(np.cumsum(weight[order]), out / 3) :]]
    if kept.size * len(cells) > MOST_ANGLES:
        raise OutOfReach(f"{kept.size} nodes of {len(cells)} distinct rhos matter")
    return [0, *sorted(kept.tolist())]


def _shell(
    weights: list[int],
    factors: list[tuple[float, int]],
    modulus: int,
    shell: tuple[int, int, int],
    out: float,
) -> dict[int, float]:
    """For a shell (far, near, power): the nodes near < n <= far and their -ln phi; what is left out adds at
    most 2 `out`."""
    far, near, power = shell
    curves = [count * table(rho)[1] for rho, count in factors]
    extra = 1.0 + sum(max(_LEAST_CURVE - curve, 0.0) / 4.0 for curve in curves)
    curves = [max(curve, _LEAST_CURVE) for curve in curves]
    scales = [int(math.sqrt(curve) * 2**_BITS) for curve in curves] + [(modulus << _BITS) // far]
    generators = [[*weights, 1]]
    generators += [[modulus * (i == j) for j in range(len(scales))] for i in range(len(weights))]
    scaled = fmpz_mat([[x * scale for x, scale in zip(row, scales, strict=True)] for row in generators])
    basis = [[int(x) // scale for x, scale in zip(row, scales, strict=True)] for row in scaled.lll().tolist()]
    turns = np.array([[Fraction(x, modulus) for x in row] for row in basis], dtype=np.float64)
    triangle = np.linalg.qr((turns * np.array([scale / 2.0**_BITS for scale in scales])).T)[1]
    most = _radius(triangle, shell, out, extra)
    found: dict[int, float] = {}
    if most <= 0:
        return found
    numbers = np.array([row[-1] for row in basis], dtype=object)
    for x in _vectors(triangle, most * (1.0 + 1e-6) + _MARGIN):
        size = (x @ turns[:, -1]) * modulus  # of n; vectors come with their negatives
        inside = (size > near * (1.0 - 1e-6) - 1.0) & (size < far * (1.0 + 1e-6) + 1.0)
        x, size = x[inside], np.maximum(size[inside], 1.0)
        spent = _spent(factors, np.abs(x @ turns[:, :-1]))
        heavy = (
            np.exp(-spent) / (2.0 * size**power) > out * len(triangle) / MOST_COORDINATES
        )  # the others add `out` at most
        listed = np.abs(x[heavy].astype(object) @ numbers)
        found.update(zip(listed.tolist(), spent[heavy].tolist(), strict=True))
    return {n: spent for n, spent in found.items() if near < n <= far}


def _spent(factors: list[tuple[float, int]], turns: Floats) -> Floats:
    """-ln phi, or less, at nodes where the cells' frequencies are `turns`, one row for each node."""
    away = turns % 1.0
    # phi falls with the distance from 0: the grid point below is a bound.
    below = np.maximum(1000.0 * np.minimum(away, 1.0 - away) - 1e-6, 0.0).astype(np.int64)
    spent = np.zeros(len(turns))
    for (rho, count), place in zip(factors, below.T, strict=True):
        spent += count * table(rho)[0][place]
    return spent


def _radius(triangle: Floats, shell: tuple[int, int, int], out: float, extra: float) -> float:
    """Squared length beyond which vectors v may be left out, phi being at most exp(extra - |v|^2)."""
    far, near, power = shell
    near = max(near, 1)
    each = extra + math.log((1.0 + math.log(far / near)) / (2.0 * float(near) ** (power - 1) * out))
    together = (extra + _gaussians(triangle) - math.log(2.0 * float(near) ** power * out)) / (1.0 - _TRICK)
    return min(each, float(together.min()))


def _gaussians(triangle: Floats) -> Floats:
    """ln of a bound on the sum over the lattice of exp(-s |v|^2), for the s in _TRICK."""
    size = _TRICK * np.diag(triangle)[:, None] ** 2
    # sum_k exp(-x k^2) - 1 is at most sqrt(pi / x), and at most 2 / (e^x - 1).
    each = np.minimum(np.sqrt(math.pi / size), 2.0 / np.expm1(np.minimum(size, 500.0)))
    return np.log1p(each).sum(axis=0)


def _vectors(triangle: Floats, most: float) -> Iterator[NDArray[np.int32]]:
    """All integer vectors x with |triangle x|^2 <= most, in chunks of rows."""
    dimension = len(triangle)
    # The sum over the lattice of exp(s (most - |v|^2)) bounds their number, a few times too high.
    about = float((_TRICK * most + _gaussians(triangle)).min()) - math.log(_TOO_HIGH)
    if about > math.log(MOST_COORDINATES / dimension):
        raise OutOfReach(f"about {math.exp(min(about, 700.0)):.1e} lattice vectors to look at")
    start = np.zeros((1, dimension))
    # Coordinates i, i + 1, ... are chosen; `partial` is what they add to the others, `left` of the length.
    waiting = [(dimension, start, start[:, :0].astype(np.int32), np.full(1, most))]
    looked = 0
    while waiting:
        i, partial, x, left = waiting.pop()
        if i == 0:
            yield x
            continue
        i -= 1
        middle = -partial[:, i] / triangle[i, i]
        reach = np.sqrt(left) / abs(triangle[i, i]) + 1e-9
        first = np.ceil(middle - reach).astype(np.int32)
        many = np.maximum(np.floor(middle + reach).astype(np.int32) - first + 1, 0)
        looked += int(many.sum())
        if looked * dimension > MOST_COORDINATES:
            raise OutOfReach(f"more than {looked} lattice vectors to look at")
        at = np.repeat(np.arange(len(x)), many)
        new = first[at] + np.arange(len(at), dtype=np.int32) - np.repeat(np.cumsum(many) - many, many)
        left = np.maximum(left[at] - (triangle[i, i] * (new - middle[at])) ** 2, 0.0)
        new = new[:, None].astype(np.int32)
        partial, x = partial[at, :i] + new * triangle[:i, i], np.hstack([new, x[at]])
        for c in range(0, len(x), _CHUNK):
            waiting.append((i, partial[c : c + _CHUNK], x[c : c + _CHUNK], left[c : c + _CHUNK]))
