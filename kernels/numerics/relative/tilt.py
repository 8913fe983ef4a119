"""Relative tier: tails and the privacy profile with a relative error, however small, by exponential tilting.

Under P let M(mu) = E exp(mu T). Tilting by mu turns every cell into a discrete Gaussian with mean mu and the
same sigma, so its characteristic function is known in closed form. With lambda = mu - 1, z = lambda + i theta
/ h, s0 the first lattice point above eps, t its T and t0 = t - eps,

    Q(T > eps)  =  M(mu) e^(-lambda t)      (1/N) sum phi_mu(theta) e^(-i theta s0) F(z)
    P(T > eps)  =  M(mu) e^(-lambda t - t)  (1/N) sum phi_mu(theta) e^(-i theta s0) F(z + 1)
    delta(eps)  =  Q(T > eps) - e^eps P(T > eps),   F(z) = 1 / (1 - e^(-z h)),

with the difference of the two geometric sums in delta taken analytically,
for mu > 1 ("right"). For 0 < mu < 1 ("middle") the pole at z = 0 lies on the other side: the first and the
last give 1 - Q and 1 - delta. Windows of K = N/2 points replace the infinite geometric sums, so that aliasing
is a Gaussian tail. Near the saddle point mu = 1/2 + t/R nothing cancels. The factor exp(...) in front is kept
as an exact rational exponent. Bounds: docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from kernels.numerics.arithmetic.triple import from_integer
from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.theta import SMALL_LOSS, deepest
from kernels.numerics.relative.selection import Selection, heaviest, softness
from kernels.numerics.relative.tilted_sums import (
    ROUNDING,
    log_norm_units,
    log_norms,
    sums_at_points,
    tilted_phi,
    window_kernels,
)

_NEARLY_GAUSSIAN = 8.0  # from this g on the mean of a tilted cell is its tilt to 0.01
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_TINY = 2.0**-1022
_CHERNOFF_STEPS = tuple(2.0**k for k in range(1, -9, -1))


@dataclass(frozen=True, slots=True)
class Tails:
    """Results at m values of eps, as mantissas to be multiplied by exp of an exact rational.

    exponent and t: numerators [m] over common denominators; log_norm: the inexact part of the exponent [m];
    mantissa and error (absolute, of the mantissa): [m, 3] for Q, P and delta. t is T of the first lattice
    point above eps: P = exp(exponent + log_norm - t) mantissa. middle: [m], where Q and delta are one minus
    the product.
    """

    exponent: list[int]
    exponent_denominator: int
    t: list[int]
    t_denominator: int
    log_norm: np.ndarray
    mantissa: np.ndarray
    error: np.ndarray
    middle: np.ndarray


class LatticePoint(NamedTuple):
    """First lattice point above (or at) some eps: S, numerator of T over the tilt's denominator, T - eps
    rounded."""

    position: int
    t: int
    gap: float


@dataclass(frozen=True, slots=True)
class _Contour:
    """What all eps with the same mu share: amplitudes of the nodes (modulus, phase in turns, error units),
    geometric sums, ln of prod (Z_mu / Z_0)^count with its error bound, and ln of how much larger |phi_mu| can
    be than the phi of a node left out (theta.tilt_loss, at this mu)."""

    modulus: np.ndarray
    phase: np.ndarray
    unit: np.ndarray
    sums: tuple[np.ndarray, ...]
    log_norm: float
    doubt: float
    enlarged: float

    @property
    def loss(self) -> float:
        """ln of prod (Z_0 / Z_mu)^count, rounded up."""
        return max(0.0, -self.log_norm) + self.doubt


class Tilt:
    """Tails of a planned composition, all rhos scaled by one factor, with a relative error bound.

    Nodes and lattice come from the plan; scaling changes h, R and sigma only.
    """

    def __init__(self, plan: Plan, nodes: Selection, scale: Fraction = Fraction(1)) -> None:
        """Raises ValueError when the selected nodes do not suffice for this scale (softness below
        nodes.soft)."""
        if softness(plan, scale) < nodes.soft:
            raise ValueError("the selected nodes do not serve this scale")
        self.plan = plan
        self.nodes = nodes
        self.scale = scale
        self.spacing = plan.spacing * scale
        self.total = plan.total * scale
        self._denominator = math.lcm(self.spacing.denominator, (self.total / 2).denominator)
        self._spacing = int(self.spacing * self._denominator)
        self._half_total = int(self.total / 2 * self._denominator)
        self._h = float(self.spacing)
        self._r = float(self.total)
        self._g = plan.factors.g[:, 0] / float(scale)
        self._log_at_zero = log_norms(self._g, 0.0)
        self._deepest = deepest(plan.factors.g[:, 0])  # also of exp(-soft norm), the phi of scaled rhos
        self._window = plan.modulus // 2
        self._double_window = np.array(from_integer(2 * self._window))
        exponent = math.floor(
            -0.5 * math.log2(self._r)
        )  # mu is a multiple of a power of 2 in (1/2, 1] / sqrt(R)
        self._step = 2.0**exponent
        self._unit, self._bottom = 2 ** max(exponent, 0), 2 ** max(-exponent, 0)
        self._first_right = self._bottom + 1 if self._bottom > 1 else 1 + (self._unit == 1)
        self._contours: dict[tuple[int, bool], _Contour] = {}

    def rough(self) -> "Tilt":
        """The same with the heaviest nodes alone, for a search; no error bounds where nodes are missing."""
        nodes = heaviest(self.nodes)
        return self if nodes is self.nodes else Tilt(self.plan, nodes, self.scale)

    def first_point(self, eps: Fraction, closed: bool = False) -> LatticePoint:
        """The first lattice point with T > eps (closed: T >= eps), exactly."""
        a, b = eps.numerator, eps.denominator
        scaled, unit = a * self._denominator + b * self._half_total, b * self._spacing
        position = -(-scaled // unit) if closed else scaled // unit + 1
        t = position * self._spacing - self._half_total
        return LatticePoint(position, t, (position * unit - scaled) / (b * self._denominator))

    def _log_moment(self, mu: float) -> float:
        """ln E exp(mu T)."""
        difference = log_norms(self._g, mu) - self._log_at_zero
        return 0.5 * mu * (mu - 1.0) * self._r + float(self.plan.factors.count @ difference)

    def _tilts(self, t: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """mu / step near the saddle point, so that many eps share it, and whether mu lies between the poles,
        [m]."""
        middle = (2.0 * t < self._r) & (self._r > 4.0)
        saddle = 0.5 + t / self._r
        if self._g.min() < _NEARLY_GAUSSIAN:
            saddle = np.array(
                [self._least_integrand(*row) for row in zip(t, gap, middle, saddle, strict=True)]
            )
        steps = np.rint(saddle / self._step)
        steps = np.where(middle, np.clip(steps, 1, self._bottom - 1), np.maximum(steps, self._first_right))
        return steps.astype(np.int64), middle

    def _least_integrand(self, t: float, gap: float, middle: bool, gaussian: float) -> float:
        """The mu at which the profile's integrand is least, where some cell is far from a continuous Gaussian
        (golden section; it is convex)."""
        h = self._h

        def integrand(mu: float) -> float:
            p_first = -math.expm1(-mu * h)
            if middle:
                size = math.exp((mu - 1.0) * h) / -math.expm1((mu - 1.0) * h) + math.exp(-gap) / p_first
            else:
                decay = math.exp(-(mu - 1.0) * h)
                size = (-math.expm1(-gap) - decay * math.exp(-gap) * math.expm1(gap - h)) / (
                    -math.expm1(-(mu - 1.0) * h) * p_first
                )
            return self._log_moment(mu) - (mu - 1.0) * t + math.log(max(size, _TINY))

        step = self._step
        low, high = (
            (0.1 * step, 1.0 - 0.1 * step)
            if middle
            else (1.0 + 0.1 * step, max(gaussian, 1.0) + 4.0 * step + 4.0)
        )
        for _ in range(60):
            if high - low < 0.3 * step:
                break
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            low, high = (low, right) if integrand(left) < integrand(right) else (left, high)
        return 0.5 * (low + high)

    def _contour(self, step: int, middle: bool) -> _Contour:
        if (step, middle) not in self._contours:
            nodes, count, mu = self.nodes, self.plan.factors.count, step * self._step
            log_norm = log_norms(self._g, mu)
            size, phase, unit = tilted_phi(nodes.f, self._g, count, log_norm, mu)
            wrapped = np.where(nodes.unwrapped, 0.0, mu * nodes.f_sum)
            units = log_norm_units(self._g, log_norm) + log_norm_units(self._g, self._log_at_zero)
            doubt = ROUNDING * float(count @ units)
            ratios = np.maximum(self._log_at_zero - log_norm, 0.0)
            self._contours[step, middle] = _Contour(
                nodes.weight * np.exp(size),
                phase + wrapped,
                unit + 21.0 + np.where(nodes.unwrapped, 0.0, 1.6 * (5.0 + len(count)) * mu * nodes.f_size),
                window_kernels(
                    nodes.turn,
                    mu,
                    self._h,
                    float(self._window),
                    np.array(from_integer(2 * self._window)),
                    middle,
                ),
                float(count @ (log_norm - self._log_at_zero)),
                doubt,
                float(count @ np.minimum(ratios, self._deepest)) + doubt,
            )
        return self._contours[step, middle]

    def tails(self, points: Sequence[LatticePoint]) -> Tails:
        """Q(T >= t), P(T >= t) and the profile at t - gap for lattice points with gap in (0, h] (0: only the
        tails)."""
        m = len(points)
        t = np.array([point.t / self._denominator for point in points])
        gap = np.array([point.gap for point in points])
        steps, middle = self._tilts(t, np.where(gap > 0.0, gap, self._h))
        exponent = [0] * m
        log_norm, mantissa, error = np.empty(m), np.empty((m, 3)), np.empty((m, 3))
        bottom = self._bottom
        for step, between in sorted(set(zip(steps.tolist(), middle.tolist(), strict=True))):
            here = np.flatnonzero((steps == step) & (middle == between))
            contour = self._contour(step, between)
            top = step * self._unit
            mu = step * self._step
            shared = [points[i] for i in here.tolist()]
            value, rounding = sums_at_points(
                self.nodes.turn,
                self.nodes.unwrapped,
                contour.modulus,
                contour.phase,
                contour.unit,
                contour.sums,
                self._h,
                float(self._window),
                between,
                _parts([2 * (top * self.plan.width - point.position * bottom) for point in shared], bottom),
                _parts([2 * point.position for point in shared], 1),
                gap[here],
            )
            for i, point in zip(here.tolist(), shared, strict=True):  # mu (mu - 1) R / 2 - (mu - 1) t
                exponent[i] = (top - bottom) * (top * self._half_total - bottom * point.t)
            log_norm[here] = contour.log_norm
            mantissa[here] = value
            beyond = (
                self._pruned(mu, between, contour.enlarged)
                + self._outside(mu, t[here], contour.loss)[:, None]
            )
            error[here] = (rounding + beyond + np.abs(value) * math.expm1(contour.doubt)) * (1.0 + 1e-9)
        return Tails(
            exponent,
            bottom * bottom * self._denominator,
            [point.t for point in points],
            self._denominator,
            log_norm,
            mantissa,
            error,
            middle,
        )

    def _pruned(self, mu: float, middle: bool, enlarged: float) -> np.ndarray:
        """Bound on what the nodes left out add to the mantissas, [3], from their weights: |sin(theta / 2)| /
        |1 - exp(-a - i theta)| <= exp(|a| / 2) / 2."""
        left_out = self.nodes.left_out
        if left_out.plain == 0.0:
            return np.zeros(3)
        h, window = self._h, float(self._window)
        plain = 2.0 * math.exp(min(enlarged, 700.0)) * left_out.plain
        smooth = 2.0 * math.exp(min(enlarged, 700.0)) * left_out.smooth
        smooth *= float(self.scale)  # it holds the plan's h
        q, p = (plain * _kernel_growth(abs(power) * h) for power in (mu - 1.0, mu))
        growth_q, growth_p = (0.5 * math.exp(min(0.5 * abs(power) * h, 300.0)) for power in (mu - 1.0, mu))
        far_q, far_p = (math.exp(-abs(power) * h * window) for power in (mu - 1.0, mu))
        if middle:  # the two unlimited sums together have a numerator of at most h
            profile = min(q + p, smooth * growth_q * growth_p + plain * (far_q * growth_q + far_p * growth_p))
        else:
            # Opening and closing of sums_at_points; the difference of the sums also has a numerator of at
            # most 1 - e^(-h), and 2 e^(-lambda h K) more.
            profile = plain * growth_p * (min(h, 1.0) + far_q) + smooth * growth_q * growth_p * (1.0 + far_q)
            profile = min(profile, q * (-math.expm1(-h) + 2.0 * far_q) / -math.expm1(-mu * h))
        return np.array([q, p, profile])

    def _outside(self, mu: float, t: np.ndarray, loss: float) -> np.ndarray:
        """Twice the tilted probability of the points outside the windows (aliasing and truncation together),
        [m]."""
        above = float(self._window * self.spacing) * (1.0 - 1e-12)
        below = float((self.plan.modulus - self._window) * self.spacing) * (1.0 - 1e-12)
        if loss < SMALL_LOSS:
            mean = (mu - 0.5) * self._r - t
            sides = np.maximum(np.stack([above - mean, below + mean]), 0.0)
            return 2.0 * np.exp(np.minimum(loss - sides**2 / (2.0 * self._r), 0.0)).sum(axis=0)
        centre = self._log_moment(mu)
        total = np.zeros_like(t)
        for side in (above, -below):  # Chernoff: P(T >= t + side) <= exp(K(mu + u) - K(mu) - u (t + side))
            steps = [factor * side / self._r for factor in _CHERNOFF_STEPS]
            powers = np.min([self._log_moment(mu + u) - centre - u * (t + side) for u in steps], axis=0)
            total += np.exp(np.minimum(powers, 0.0)) * (1.0 + 1e-6)
        return 2.0 * total


def _parts(numerators: list[int], denominator: int) -> np.ndarray:
    """Rationals as sums of three doubles, [m, 3]; the denominator is a power of 2."""
    if max(map(abs, numerators)) < 2**53:
        parts = np.zeros((len(numerators), 3))
        parts[:, 0] = numerators
        return parts / denominator
    return np.array([from_integer(numerator) for numerator in numerators]) / denominator


def _kernel_growth(a: float) -> float:
    """Bound of |sin(theta / 2)| times the sum of a window of exp(-a j - i theta j), times 2 / 2: see
    docs/method.md."""
    return 2.0 * min(math.exp(min(a / 2.0, 700.0)) / 2.0, 1.0 / -math.expm1(-a))
