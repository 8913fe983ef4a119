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
from kernels.numerics.nodes.theta import deepest
from kernels.numerics.relative.scaled_law import ScaledLaw
from kernels.numerics.relative.selection import Selection, heaviest, softness
from kernels.numerics.relative.tilted_sums import (
    ROUNDING,
    log_norm_units,
    log_norms,
    sums_at_points,
    tilted_phi,
    window_kernels,
)


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
        self.law = ScaledLaw(plan, scale)
        self.spacing = plan.spacing * scale
        self.total = plan.total * scale
        self._denominator = math.lcm(self.spacing.denominator, (self.total / 2).denominator)
        self._spacing = int(self.spacing * self._denominator)
        self._half_total = int(self.total / 2 * self._denominator)
        self._deepest = deepest(plan.factors.g[:, 0])  # also of exp(-soft norm), the phi of scaled rhos
        self._double_window = np.array(from_integer(2 * self.law.window))
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

    def _contour(self, step: int, middle: bool) -> _Contour:
        if (step, middle) not in self._contours:
            self._contours[step, middle] = self._made_contour(step * self.law.step, middle)
        return self._contours[step, middle]

    def _made_contour(self, mu: float, middle: bool) -> _Contour:
        nodes, law = self.nodes, self.law
        log_norm = log_norms(law.g, mu)
        size, phase, unit = tilted_phi(nodes.f, law.g, law.count, log_norm, mu)
        wrapped = np.where(nodes.unwrapped, 0.0, mu * nodes.f_sum)
        units = log_norm_units(law.g, log_norm) + log_norm_units(law.g, law.log_at_zero)
        doubt = ROUNDING * float(law.count @ units)
        ratios = np.maximum(law.log_at_zero - log_norm, 0.0)
        return _Contour(
            nodes.weight * np.exp(size),
            phase + wrapped,
            unit + 21.0 + np.where(nodes.unwrapped, 0.0, 1.6 * (5.0 + len(law.count)) * mu * nodes.f_size),
            window_kernels(nodes.turn, mu, law.h, float(law.window), self._double_window, middle),
            float(law.count @ (log_norm - law.log_at_zero)),
            doubt,
            float(law.count @ np.minimum(ratios, self._deepest)) + doubt,
        )

    def tails(self, points: Sequence[LatticePoint]) -> Tails:
        """Q(T >= t), P(T >= t) and the profile at t - gap for lattice points with gap in (0, h] (0: only the
        tails)."""
        m, law = len(points), self.law
        t = np.array([point.t / self._denominator for point in points])
        gap = np.array([point.gap for point in points])
        steps, middle = law.tilts(t, np.where(gap > 0.0, gap, law.h))
        exponent = [0] * m
        log_norm, mantissa, error = np.empty(m), np.empty((m, 3)), np.empty((m, 3))
        bottom = law.bottom
        for step, between in sorted(set(zip(steps.tolist(), middle.tolist(), strict=True))):
            here = np.flatnonzero((steps == step) & (middle == between))
            contour = self._contour(step, between)
            top = step * law.unit
            mu = step * law.step
            shared = [points[i] for i in here.tolist()]
            value, rounding = sums_at_points(
                self.nodes.turn,
                self.nodes.unwrapped,
                contour.modulus,
                contour.phase,
                contour.unit,
                contour.sums,
                law.h,
                float(law.window),
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
                self._pruned(mu, between, contour.enlarged) + law.outside(mu, t[here], contour.loss)[:, None]
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
        h, window = self.law.h, float(self.law.window)
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
