"""Plan of one composition: lattice spacing, number of nodes, surviving nodes and the error budget, in exact
integers.

The log-likelihood ratio is T = h S - R/2 with S = sum w_c x_c an integer. The shifted trapezoidal rule with N
nodes gives

    P(S >= s) = 1/2 - (1/N) sum_{0 < p < N, p odd} phi(pi p / N) sin(pi p (2 s - 1) / (2 N)) / sin(pi p / (2
    N))   [half weight at p = N]

up to P(S >= s + N) + P(S < s - N), which the sub-Gaussian bound P(S >= x) <= exp(-(h x)^2 / 2R) controls. A
node with phi <= exp(-L) may be pruned: all pruned nodes together weigh at most exp(-L) (1 + ln(N)/2). Where
that leaves too many nodes, they are weighed by their distance too (shells.py). Derivations: docs/method.md.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from kernels.numerics.arithmetic.rational import rational_gcd
from kernels.numerics.arithmetic.triple import self_test
from kernels.numerics.nodes import theta
from kernels.numerics.nodes.lattice import (
    LEAST_METRIC,
    LatticeError,
    TooManyPointsError,
    choose_factors,
    every_node,
    node_lattice,
    short_points,
)
from kernels.numerics.nodes.residues import Nodes
from kernels.numerics.nodes.shells import (
    Shell,
    Weight,
    choose_bounds,
    left_out,
    make_shells,
    predicted_points,
)
from kernels.numerics.nodes.survivors import SOFTEST, Factors, Faint, factors_of, survivors

#: Absolute error allowed for every tail probability, and how it is shared out.
TOLERANCE = 1e-35
TRUNCATION = 2e-36
PRUNED = 1e-36
DROPPED = 1e-36
SMOOTH = 1e-17  # allowed to the nodes left out of a privacy profile
_MOST_TILT_LOSS = 100.0
#: theta.norm_loss up to which tilted laws are about as narrow as the law itself.
SMALL_LOSS = 5.0
_WIDER = 1.5  # N for narrow cells: their tilted laws are up to sqrt(rho) / 2 times as wide
#: Beyond this rho, scaled up a little, exp(-rho / 8) is no normal double, and sums over tilted cells vanish.
_MOST_RHO = 4000
_MOST_BITS = 150  # so that N and its multiples are exact as three doubles
#: Angles (nodes times distinct rhos) that are worth their time; beyond it a larger error is accepted.
MOST_ANGLES = 10_000_000
#: Most thresholds of one sign in a transform, whose cost is quadratic in them.
_TRANSFORM = 128
_FEWER = (1, 4, 16, 64, 256)  # as the number of nodes is only predicted
_USELESS = 0.1  # weight left out for a privacy profile from which on no profile is told
_FINE = 10**9  # an N from which that is likely
_TYPICAL = 0.1  # share of the most angles that a plan keeps where it must choose, within a factor of 8


@dataclass(frozen=True, slots=True)
class Grid:
    """Thresholds T > h v / 2 with v = step (2 j + 1), -half <= j < half; N = step * period. step = 0: every
    midpoint |v| <= limit. parts divides half and period: so many interleaved grids are transformed alike."""

    step: int
    half: int
    period: int
    limit: int
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything exact about one composition.

    spacing: h; total: R; weights: w_c; width: W = sum count_c w_c = R / h; modulus: N; reach: largest |h (s -
    1/2)| for which the truncation bound holds; nodes: survivors by falling weight, and for each of them, [k]:
    own_mirror, p = N; exponent, sum count g f^2; log_kernel, -ln(N sin(pi p / 2N)), less ln 2 at p = N;
    log_weight, the same plus ln phi; norm, sum count decay f^2, a lower bound of -ln phi. truncation_bound:
    absolute error of one tail probability; left_out: bound on the weight of all other nodes; faint: the same
    with exp(-soft norm) for phi.
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
    left_out: Weight
    faint: Faint

    @property
    def sieve_bound(self) -> float:
        """Absolute error of one tail probability."""
        return self.left_out.plain


def _layout(
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


def foreseen(rhos: Sequence[Fraction], counts: Sequence[int]) -> tuple[Fraction, Fraction, int, float]:
    """h, R, N and, roughly, the number of nodes 0 < p <= N that are kept.

    The estimate is the volume of a ball over the determinant of the lattice, and the nodes around 0, for fine
    lattices that of the reduced basis; where that is more than a plan that must choose keeps, or the lattice
    too fine for it, what such plans keep.
    """
    spacing = rational_gcd(rhos)
    total = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), Fraction(0))
    modulus, _, _ = _layout(spacing, total, int(total / spacing), 2, _stretch(rhos, counts))
    chosen_from = _TYPICAL * _most_kept(len(rhos))
    if modulus.bit_length() > _MOST_BITS:
        return spacing, total, modulus, chosen_from
    bound = math.log((1.0 + 0.5 * math.log(modulus)) / PRUNED)
    decay = [
        count * theta.decay_of(2.0 * math.pi**2 / float(rho)) for rho, count in zip(rhos, counts, strict=True)
    ]
    if modulus > _FINE:
        points = math.inf
        with suppress(LatticeError):
            lattice = node_lattice([int(rho / spacing) for rho in rhos], modulus, decay, bound)
            points = 0.5 * predicted_points(lattice, bound)
        return spacing, total, modulus, min(points, chosen_from)
    chosen = [decay[c] for c in choose_factors(decay, bound)]
    d = len(chosen)
    volume = 0.5 * d * math.log(math.pi * bound) - math.lgamma(0.5 * d + 1.0)
    share = min(volume - 0.5 * sum(math.log(max(a, LEAST_METRIC)) for a in chosen), 0.0)
    around_zero = bound * 2.0 / math.pi
    nodes = around_zero + 0.5 * math.exp(min(math.log(modulus) + share, 700.0))
    return spacing, total, modulus, min(nodes, 0.5 * modulus, chosen_from)


def _stretch(rhos: Sequence[Fraction], counts: Sequence[int]) -> float:
    """1, or what the tails of tilted laws of very narrow cells take."""
    narrow = [(float(rho), float(count)) for rho, count in zip(rhos, counts, strict=True) if rho > 1]
    if not narrow:
        return 1.0
    rho, count = np.array(narrow).T
    return _WIDER if theta.norm_loss(2.0 * math.pi**2 / rho, count) > SMALL_LOSS else 1.0


@cache
def _check_compiler() -> None:
    self_test()


def _most_kept(factors: int) -> float:
    """Nodes that are worth their time, whatever error bound they reach."""
    return MOST_ANGLES / factors


def make_plan(rhos: Sequence[Fraction], counts: Sequence[int], thresholds: int = 1001) -> Plan:
    """The plan of a composition of count_c cells with parameter rho_c (distinct, positive).

    Where the nodes that matter at 1e-35 are too many, the heaviest are taken and the bound on the others is
    part of the plan. Raises lattice.LatticeError when nothing can be certified.
    """
    _check_compiler()
    if max(rhos) > _MOST_RHO:
        raise LatticeError(f"out of reach: a cell's rho is above {_MOST_RHO}, so it has hardly any noise")
    spacing = rational_gcd(rhos)
    weights = tuple(int(rho / spacing) for rho in rhos)
    total = sum((rho * count for rho, count in zip(rhos, counts, strict=True)), Fraction(0))
    width = int(total / spacing)
    modulus, reach, grid = _layout(spacing, total, width, thresholds, _stretch(rhos, counts))
    if modulus.bit_length() > _MOST_BITS:
        raise LatticeError(f"out of reach: the lattice is so fine that N has {modulus.bit_length()} bits")
    factors = factors_of(rhos, counts)
    loss = min(theta.tilt_loss(factors.g[:, 0], factors.count), _MOST_TILT_LOSS)
    span = float(modulus * spacing)
    enumerated, beyond = _enumerated(weights, modulus, factors, loss, span)
    allowed = Weight(max(DROPPED, 0.1 * beyond(1.0).plain), SMOOTH * math.exp(-loss))
    found = survivors(enumerated, weights, factors, span, allowed)
    if found.seen == (modulus + 1) // 2:  # every node was enumerated
        beyond = _nothing
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
        (beyond(1.0) + found.dropped).scaled(1.0 + 1e-9),
        Faint(
            (beyond(SOFTEST) + found.faint.at_softest).scaled(1.0 + 1e-9),
            (beyond(1.0) + found.faint.at_one).scaled(1.0 + 1e-9),
        ),
    )


def _nothing(soft: float) -> Weight:
    return Weight(0.0, 0.0)


def _enumerated(
    weights: Sequence[int], modulus: int, factors: Factors, loss: float, span: float
) -> tuple[list[tuple[Shell, np.ndarray]], Callable[[float], Weight]]:
    """Shells with their enumerated points, and the weight of all nodes beyond with phi^soft for phi."""
    decay = list(factors.count * factors.decay)
    # All nodes with phi <= exp(-bound) together weigh no more than the sum of 1 / p, p odd, times that.
    bound = math.log((1.0 + 0.5 * math.log(modulus)) / PRUNED) + loss
    whole = Shell(0, node_lattice(weights, modulus, decay, bound))
    most = _most_kept(len(weights))
    limit = 8 * int(most) + 1000
    if predicted_points(whole.lattice, bound) <= 4.0 * most:  # half are mirrors, and few are heavy enough
        with suppress(TooManyPointsError):
            return _points([whole], [bound], span, limit)
    if modulus <= 2.0 * most:  # so few nodes in all that none need be left out
        every = np.arange(1, modulus + 1, 2, dtype=np.int32)[:, None]
        return [(Shell(0, every_node(modulus)), every)], _nothing
    shells = make_shells(weights, modulus, decay)
    allowed = Weight(PRUNED, SMOOTH).scaled(math.exp(-loss))
    for fewer in _FEWER:
        bounds = choose_bounds(shells, span, allowed, most / fewer)
        if left_out(shells, bounds, 1.0, span).smooth > _USELESS:  # then few are as good, and much quicker
            bounds = choose_bounds(shells, span, allowed, most / _FEWER[-1])
        with suppress(TooManyPointsError):
            return _points(shells, bounds, span, limit)
    raise LatticeError(f"out of reach: more than {limit} nodes matter, however they are weighed")


def _points(
    shells: Sequence[Shell], bounds: Sequence[float], span: float, limit: int
) -> tuple[list[tuple[Shell, np.ndarray]], Callable[[float], Weight]]:
    """Every shell's points up to its bound, and the weight beyond. Raises TooManyPointsError for more than
    limit points in one shell."""
    found = [
        (shell, short_points(shell.lattice, bound, limit))
        for shell, bound in zip(shells, bounds, strict=True)
        if bound > 0.0 or shell is shells[-1]
    ]
    return found, lambda soft: left_out(shells, bounds, soft, span)
