"""Lattice spacing, number of nodes and threshold grid of one composition, in exact integers.

The log-likelihood ratio is T = h S - R/2 with S = sum w_c x_c an integer. The shifted trapezoidal rule with N
nodes gives

    P(S >= s) = 1/2 - (1/N) sum phi(pi p / N) sin(pi p (2 s - 1) / (2 N)) / sin(pi p / (2 N))

over odd p, 0 < p <= N, with half the weight at p = N, up to P(S >= s + N) + P(S < s - N), which the
sub-Gaussian bound P(S >= x) <= exp(-(h x)^2 / 2R) controls. Derivations: docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernels.numerics.arithmetic.rational import rational_gcd
from kernels.numerics.nodes.theta import SMALL_LOSS, norm_loss

#: Absolute error allowed for every tail probability, and the part of it that truncation may take.
TOLERANCE = 1e-35
TRUNCATION = 2e-36
_WIDER = 1.5  # N for narrow cells: their tilted laws are up to sqrt(rho) / 2 times as wide
#: Most thresholds of one sign in a transform, whose cost is quadratic in them.
_TRANSFORM = 128


@dataclass(frozen=True, slots=True)
class Grid:
    """Thresholds T > h v / 2 with v = step (2 j + 1), -half <= j < half; N = step * period.

    step = 0: every midpoint |v| <= limit. parts divides half and period: that many interleaved grids are
    transformed alike.
    """

    step: int
    half: int
    period: int
    limit: int
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a composition's lattice points, nodes and thresholds lie.

    spacing: h; total: R; weights: w_c; width: W = sum count_c w_c = R / h; modulus: N; reach: largest
    |h (s - 1/2)| for which the truncation bound holds.
    """

    spacing: Fraction
    total: Fraction
    weights: tuple[int, ...]
    width: int
    modulus: int
    reach: float
    grid: Grid


def make_layout(rhos: Sequence[Fraction], counts: Sequence[int], thresholds: int) -> Layout:
    """The layout of count_c cells with parameter rho_c (distinct, positive)."""
    spacing = rational_gcd(rhos)
    total = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), Fraction(0))
    width = int(total / spacing)
    modulus, reach, grid = _nodes_and_grid(spacing, total, width, thresholds, _stretch(rhos, counts))
    return Layout(spacing, total, tuple(int(rho / spacing) for rho in rhos), width, modulus, reach, grid)


def _stretch(rhos: Sequence[Fraction], counts: Sequence[int]) -> float:
    """1, or what the tails of tilted laws of very narrow cells take."""
    narrow = [(float(rho), float(count)) for rho, count in zip(rhos, counts, strict=True) if rho > 1]
    if not narrow:
        return 1.0
    rho, count = np.array(narrow).T
    return _WIDER if norm_loss(2.0 * math.pi**2 / rho, count) > SMALL_LOSS else 1.0


def _nodes_and_grid(
    spacing: Fraction, total: Fraction, width: int, thresholds: int, stretch: float
) -> tuple[int, float, Grid]:
    """N, reach and the threshold grid; N is larger by the factor `stretch` than the untilted law needs."""
    r = float(total) * (1.0 + 1e-12)
    h = float(spacing)
    span = math.sqrt(2.0 * r * math.log(2.0 / TRUNCATION)) * (1.0 + 1e-12)
    tail = math.sqrt(2.0 * r * math.log(1.0 / TOLERANCE)) * (1.0 + 1e-12)
    end = max(tail - r / 2.0, tail / 8.0)  # both alpha and beta are below the tolerance beyond this t
    limit = math.ceil(2 * Fraction(end) / spacing)
    if limit < 3 * thresholds:  # few midpoints: take them all
        reach = max(tail, end + r / 2.0) + 2.0 * h
        return math.ceil(Fraction(stretch * (span + reach)) / spacing) + 2, reach, Grid(0, 0, 0, limit)
    parts = -(-((thresholds + 1) // 2) // _TRANSFORM)
    half = parts * -(-thresholds // (2 * parts))
    period = math.ceil(1.01 * (span + tail) * (half - 0.5) / end)
    step = math.ceil(Fraction(end) / (Fraction(2 * half - 1, 2) * spacing))
    step += (step + width + 1) % 2
    reach = max(tail, float(Fraction(step * (2 * half - 1)) * spacing / 2) + r / 2.0) * (1.0 + 1e-12) + h
    period = max(period, math.ceil(Fraction(stretch * (span + reach)) / (spacing * step)) + 1)
    period = parts * -(-period // parts)
    return step * period, reach, Grid(step, half, period, step * (2 * half - 1), parts)
