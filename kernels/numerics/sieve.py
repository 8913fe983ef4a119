"""Plan of one composition: lattice spacing, number of nodes, surviving nodes and the error budget, in exact
integers.

The log-likelihood ratio is T = h S - R/2 with S = sum w_c x_c an integer. The shifted trapezoidal rule with N
nodes gives

    P(S >= s) = 1/2 - (1/N) sum_{0 < p < N, p odd} phi(pi p / N) sin(pi p (2 s - 1) / (2 N)) / sin(pi p / (2
    N))   [half weight at p = N]

up to P(S >= s + N) + P(S < s - N), which the sub-Gaussian bound P(S >= x) <= exp(-(h x)^2 / 2R) controls. A
node with phi <= exp(-L) may be pruned: all pruned nodes together weigh at most exp(-L) (1 + ln(N)/2).
Derivations: docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from kernels.numerics import theta
from kernels.numerics.lattice import LEAST_METRIC, LatticeError, choose_factors, node_lattice, short_points
from kernels.numerics.nodes import Nodes
from kernels.numerics.survivors import SOFTEST, Factors, factors_of, survivors
from kernels.numerics.triple import self_test

#: Absolute error allowed for every tail probability, and how it is shared out.
TOLERANCE = 1e-35
TRUNCATION = 2e-36
PRUNED = 1e-36
DROPPED = 1e-36
_MOST_TILT_LOSS = 100.0
_MOST_BITS = 150  # so that N and its multiples are exact as three doubles
#: Nodes that are enumerated for one plan at most; a request beyond it is refused.
MOST_NODES = 10_000_000


@dataclass(frozen=True, slots=True)
class Grid:
    """Thresholds T > h v / 2 with v = step (2 j + 1), -half <= j < half; N = step * period. step = 0: every
    midpoint |v| <= limit."""

    step: int
    half: int
    period: int
    limit: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything exact about one composition.

    spacing: h; total: R; weights: w_c; width: W = sum count_c w_c = R / h; modulus: N; reach: largest |h (s -
    1/2)| for which the truncation bound holds; nodes: survivors by falling weight, and for each of them, [k]:
    own_mirror, p = N; exponent, sum count g f^2; log_kernel, -ln(N sin(pi p / 2N)), less ln 2 at p = N;
    log_weight, the same plus ln phi; norm, sum count decay f^2, a lower bound of -ln phi. truncation_bound,
    sieve_bound: absolute errors of one tail probability; faint: bound on the weight of all nodes left out
    when every phi is replaced by phi ** SOFTEST.
    """

    spacing: Fraction
    total: Fraction
    weights: tuple[int, ...]
    width: int
    modulus: int
    reach: float
    grid: Grid
    factors: Factors
    nodes: Nodes
    own_mirror: np.ndarray
    exponent: np.ndarray
    log_kernel: np.ndarray
    log_weight: np.ndarray
    norm: np.ndarray
    truncation_bound: float
    sieve_bound: float
    faint: float


def rational_gcd(numbers: Sequence[Fraction]) -> Fraction:
    """The largest rational of which all numbers are integer multiples (Bezout)."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return Fraction(
        math.gcd(*(number.numerator * (denominator // number.denominator) for number in numbers)), denominator
    )


def _layout(spacing: Fraction, total: Fraction, width: int, thresholds: int) -> tuple[int, float, Grid]:
    """N, reach and the threshold grid."""
    r = float(total) * (1.0 + 1e-12)
    h = float(spacing)
    span = math.sqrt(2.0 * r * math.log(2.0 / TRUNCATION)) * (1.0 + 1e-12)
    tail = math.sqrt(2.0 * r * math.log(1.0 / TOLERANCE)) * (1.0 + 1e-12)
    end = max(tail - r / 2.0, tail / 8.0)  # both alpha and beta are below the tolerance beyond this t
    limit = math.ceil(2 * Fraction(end) / spacing)
    if limit < 3 * thresholds:  # few midpoints: take them all
        reach = max(tail, end + r / 2.0) + 2.0 * h
        return math.ceil(Fraction(span + reach) / spacing) + 2, reach, Grid(0, 0, 0, limit)
    half = (thresholds + 1) // 2
    period = math.ceil(1.01 * (span + tail) * (half - 0.5) / end)
    step = math.ceil(Fraction(end) / (Fraction(2 * half - 1, 2) * spacing))
    step += (step + width + 1) % 2
    reach = max(tail, float(Fraction(step * (2 * half - 1)) * spacing / 2) + r / 2.0) * (1.0 + 1e-12) + h
    period = max(period, math.ceil(Fraction(span + reach) / (spacing * step)) + 1)
    return step * period, reach, Grid(step, half, period, step * (2 * half - 1))


def predicted_nodes(rhos: Sequence[Fraction], counts: Sequence[int]) -> tuple[Fraction, Fraction, int, float]:
    """h, R, N and, roughly, the number of nodes 0 < p <= N that survive.

    The estimate is the volume of a ball over the determinant of the lattice, and the nodes around 0.
    """
    spacing = rational_gcd(rhos)
    total = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), Fraction(0))
    modulus, _, _ = _layout(spacing, total, int(total / spacing), 2)
    bound = math.log((1.0 + 0.5 * math.log(modulus)) / PRUNED)
    decay = [
        count * theta.decay_of(2.0 * math.pi**2 / float(rho)) for rho, count in zip(rhos, counts, strict=True)
    ]
    return spacing, total, modulus, _predicted(modulus, decay, bound)


def _predicted(modulus: int, decay: Sequence[float], bound: float) -> float:
    chosen = [decay[c] for c in choose_factors(decay, bound)]
    d = len(chosen)
    volume = 0.5 * d * math.log(math.pi * bound) - math.lgamma(0.5 * d + 1.0)
    share = min(volume - 0.5 * sum(math.log(max(a, LEAST_METRIC)) for a in chosen), 0.0)
    around_zero = bound * 2.0 / math.pi
    return min(around_zero + 0.5 * math.exp(min(math.log(modulus) + share, 700.0)), 0.5 * modulus)


@cache
def _check_compiler() -> None:
    self_test()


def make_plan(rhos: Sequence[Fraction], counts: Sequence[int], thresholds: int = 1001) -> Plan:
    """The plan of a composition of count_c cells with parameter rho_c (distinct, positive).

    Raises lattice.LatticeError when more than MOST_NODES nodes survive.
    """
    _check_compiler()
    spacing = rational_gcd(rhos)
    weights = tuple(int(rho / spacing) for rho in rhos)
    total = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), Fraction(0))
    width = int(total / spacing)
    modulus, reach, grid = _layout(spacing, total, width, thresholds)
    if modulus.bit_length() > _MOST_BITS:
        raise LatticeError(f"out of reach: the lattice is so fine that N has {modulus.bit_length()} bits")
    factors = factors_of(rhos, counts)
    # Each pruned node has phi <= exp(-bound); see the module docstring for the sum of their weights.
    harmonic = 1.0 + 0.5 * math.log(modulus)
    bound = math.log(harmonic / PRUNED) + min(
        theta.tilt_loss(factors.g[:, 0], factors.count), _MOST_TILT_LOSS
    )
    predicted = _predicted(modulus, list(factors.count * factors.decay), bound)
    if predicted > 2.0 * MOST_NODES:
        raise LatticeError(
            f"out of reach: about {predicted:.1e} of the N = {float(modulus):.1e} nodes would survive the "
            f"sieve, more than the {MOST_NODES:.0e} that can be summed"
        )
    lattice = node_lattice(weights, modulus, list(factors.count * factors.decay), bound)
    found = survivors(lattice, weights, factors, short_points(lattice, bound, MOST_NODES), DROPPED)
    pruned, soft = harmonic * math.exp(-bound), harmonic * math.exp(-SOFTEST * bound)
    if found.seen == (modulus + 1) // 2:  # every node survived
        pruned = soft = 0.0
    return Plan(
        spacing,
        total,
        weights,
        width,
        modulus,
        reach,
        grid,
        factors,
        found.nodes,
        found.own_mirror,
        found.exponent,
        found.log_kernel,
        found.log_weight,
        found.norm,
        TRUNCATION,
        (pruned + found.dropped) * (1.0 + 1e-9),
        (soft + found.faint) * (1.0 + 1e-9),
    )
