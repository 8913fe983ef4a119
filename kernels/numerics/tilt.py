"""Relative tier: tails and the privacy profile with a relative error, however small, by exponential tilting.

Under P let M(mu) = E exp(mu T). Tilting by mu turns every cell into a discrete Gaussian with mean mu and the
same sigma, so its characteristic function is known in closed form. With lambda = mu - 1, z = lambda + i theta
/ h, s0 the first lattice point above eps, t its T and t0 = t - eps,

    Q(T > eps)   = M(mu) e^(-lambda t)    (1/N) sum phi_mu(theta) e^(-i theta s0) F(z),            F(z) = 1 /
    (1 - e^(-z h)), P(T > eps)   = M(mu) e^(-lambda t - t) (1/N) sum phi_mu(theta) e^(-i theta s0) F(z + 1),
    delta(eps)   = Q(T > eps) - e^eps P(T > eps), with the difference of the two geometric sums taken
    analytically,

for mu > 1 ("right"). For 0 < mu < 1 ("middle") the pole at z = 0 lies on the other side: the first and the
last give 1 - Q and 1 - delta. Windows of K = N/2 points replace the infinite geometric sums, so that aliasing
is a Gaussian tail. Near the saddle point mu = 1/2 + t/R nothing cancels. The factor exp(...) in front is kept
as an exact rational exponent. Bounds: docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernels.numerics.selection import Selection, heaviest, softness
from kernels.numerics.sieve import Plan
from kernels.numerics.tilted_sums import log_norms, sums_at_points, tilted_phi, window_kernels

_NEARLY_GAUSSIAN = 8.0  # from this g on the mean of a tilted cell is its tilt to 0.01
_SMALL_LOSS = 5.0
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_CHERNOFF_STEPS = tuple(2.0**k for k in range(1, -9, -1))


@dataclass(frozen=True, slots=True)
class Tails:
    """Results at m values of eps, as mantissas to be multiplied by exp(exponent).

    exponent: exact rationals [m] as pairs of integers, plus log_norm, its inexact part [m]; mantissa and
    error (absolute, of the mantissa): [m, 3] for Q, P and delta; t: exact T of the first lattice point above
    eps [m], so that P = exp(exponent + log_norm - t) mantissa; middle: [m], Q and delta are then one minus
    the product.
    """

    exponent: list[tuple[int, int]]
    t: list[tuple[int, int]]
    log_norm: np.ndarray
    mantissa: np.ndarray
    error: np.ndarray
    middle: np.ndarray


@dataclass(frozen=True, slots=True)
class LatticePoint:
    """First lattice point above (or at) some eps: S, T as numerator and denominator, and T - eps rounded."""

    position: int
    t: tuple[int, int]
    gap: float


@dataclass(frozen=True, slots=True)
class _Contour:
    """What all eps with the same mu share: amplitudes of the nodes (modulus, phase in turns, error units),
    geometric sums, and ln of prod (Z_mu / Z_0)^count with its error bound."""

    modulus: np.ndarray
    phase: np.ndarray
    unit: np.ndarray
    sums: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    log_norm: float
    doubt: float

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
        self._g = plan.factors.g[:, 0] / float(scale)
        self._rho = 2.0 * math.pi**2 / self._g
        self._window = plan.modulus // 2
        self._step = Fraction(2) ** math.floor(-0.5 * math.log2(float(self.total)))  # in (1/2, 1] / sqrt(R)
        self._contours: dict[Fraction, _Contour] = {}

    def rough(self) -> "Tilt":
        """The same with the heaviest nodes alone, for a search; no error bounds where nodes are missing."""
        nodes = heaviest(self.nodes)
        return self if nodes is self.nodes else Tilt(self.plan, nodes, self.scale)

    def first_point(self, eps: Fraction, closed: bool = False) -> LatticePoint:
        """The first lattice point with T > eps (closed: T >= eps), exactly."""
        a, b = eps.numerator, eps.denominator
        scaled, unit = a * self._denominator + b * self._half_total, b * self._spacing
        position = -(-scaled // unit) if closed else scaled // unit + 1
        return LatticePoint(
            position,
            (position * self._spacing - self._half_total, self._denominator),
            (position * unit - scaled) / (b * self._denominator),
        )

    def _log_moment(self, mu: float) -> float:
        """ln E exp(mu T)."""
        difference = log_norms(self._g, self._rho, mu) - log_norms(self._g, self._rho, 0.0)
        return 0.5 * mu * (mu - 1.0) * float(self.total) + float(self.plan.factors.count @ difference)

    def _tilt_for(self, t: float, gap: float) -> tuple[Fraction, bool]:
        """mu near the saddle point, on a grid so that many eps share it, and whether it lies between the
        poles."""
        middle = 2.0 * t < float(self.total) and self.total > 4
        saddle = 0.5 + t / float(self.total)
        if self._g.min() < _NEARLY_GAUSSIAN:
            saddle = self._least_integrand(t, gap, middle, saddle)
        mu = round(saddle / float(self._step)) * self._step
        if middle:
            return min(max(mu, self._step), 1 - self._step), True
        return max(mu, 1 + self._step), False

    def _least_integrand(self, t: float, gap: float, middle: bool, gaussian: float) -> float:
        """The mu at which the profile's integrand is least, where some cell is far from a continuous Gaussian
        (golden section; it is convex)."""
        h = float(self.spacing)

        def integrand(mu: float) -> float:
            p_first = -math.expm1(-mu * h)
            if middle:
                size = math.exp((mu - 1.0) * h) / -math.expm1((mu - 1.0) * h) + math.exp(-gap) / p_first
            else:
                decay = math.exp(-(mu - 1.0) * h)
                size = (-math.expm1(-gap) - decay * math.exp(-gap) * math.expm1(gap - h)) / (
                    -math.expm1(-(mu - 1.0) * h) * p_first
                )
            return self._log_moment(mu) - (mu - 1.0) * t + math.log(size)

        step = float(self._step)
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

    def _contour(self, mu: Fraction, middle: bool) -> _Contour:
        if mu not in self._contours:
            nodes, count, tilt = self.nodes, self.plan.factors.count, float(mu)
            log_norm = log_norms(self._g, self._rho, tilt)
            at_zero = log_norms(self._g, self._rho, 0.0)
            doubt = float(count @ (np.abs(log_norm) + np.abs(at_zero))) * 2.0**-45 + 2.0**-52 * float(
                count.sum()
            )
            size, phase, unit = tilted_phi(nodes.f, self._g, self._rho, count, log_norm, tilt)
            wrapped = np.where(nodes.unwrapped, 0.0, tilt * nodes.f_sum)
            self._contours[mu] = _Contour(
                nodes.weight * np.exp(size),
                phase + wrapped,
                unit + 16.0 + 16.0 * np.abs(wrapped),
                window_kernels(nodes.turn, tilt, float(self.spacing), *_two(self._window, 1), middle),
                float(count @ (log_norm - at_zero)),
                doubt,
            )
        return self._contours[mu]

    def tails(self, points: Sequence[LatticePoint]) -> Tails:
        """Q(T >= t), P(T >= t) and the profile at t - gap, for lattice points with gap in (0, h] (0 only for
        tails)."""
        m = len(points)
        ts = [point.t[0] / point.t[1] for point in points]
        tilts = [
            self._tilt_for(t, point.gap or float(self.spacing)) for t, point in zip(ts, points, strict=True)
        ]
        exponent: list[tuple[int, int]] = [(0, 1)] * m
        log_norm, mantissa, error = np.empty(m), np.empty((m, 3)), np.empty((m, 3))
        h = float(self.spacing)
        for mu, middle in dict.fromkeys(tilts):
            here = [i for i in range(m) if tilts[i] == (mu, middle)]
            contour = self._contour(mu, middle)
            top, bottom = mu.numerator, mu.denominator
            value, rounding = sums_at_points(
                self.nodes.turn,
                self.nodes.unwrapped,
                contour.modulus,
                contour.phase,
                contour.unit,
                contour.sums,
                h,
                float(self._window),
                middle,
                np.array(
                    [_two(2 * (top * self.plan.width - points[i].position * bottom), bottom) for i in here]
                ),
                np.array([_two(2 * points[i].position, 1) for i in here]),
                np.array([points[i].gap for i in here]),
            )
            pruned = self._pruned(float(mu), middle, contour.loss)
            for row, i in enumerate(here):
                # mu (mu - 1) R / 2 - (mu - 1) t
                numerator = (top - bottom) * (top * self._half_total - bottom * points[i].t[0])
                exponent[i] = (numerator, bottom * bottom * self._denominator)
                log_norm[i] = contour.log_norm
                mantissa[i] = value[row]
                extra = pruned + self._outside(float(mu), ts[i], contour.loss)
                error[i] = (rounding[row] + extra + np.abs(value[row]) * math.expm1(contour.doubt)) * (
                    1.0 + 1e-9
                )
        between = np.array([middle for _, middle in tilts], dtype=np.bool_)
        return Tails(exponent, [point.t for point in points], log_norm, mantissa, error, between)

    def _pruned(self, mu: float, middle: bool, loss: float) -> np.ndarray:
        """Bound on what the nodes left out add to the mantissas, [3]: |F| <= growth / |sin(theta / 2)| and
        their weight is known."""
        if self.nodes.left_out == 0.0:
            return np.zeros(3)
        h = float(self.spacing)
        weight = 2.0 * self.nodes.left_out * math.exp(min(loss, 700.0))
        q, p = (weight * _kernel_growth(abs(power) * h) for power in (mu - 1.0, mu))
        profile = q + p
        if not middle:
            # The difference of the sums has a numerator of at most 1 - e^(-h), and 2 e^(-lambda h K) more.
            numerator = -math.expm1(-h) + 2.0 * math.exp(-(mu - 1.0) * h * float(self._window))
            profile = min(profile, q * numerator / -math.expm1(-mu * h))
        return np.array([q, p, profile])

    def _outside(self, mu: float, t: float, ratio: float) -> float:
        """Twice the tilted probability of the points outside the windows (aliasing and truncation
        together)."""
        above = float(self._window * self.spacing) * (1.0 - 1e-12)
        below = float((self.plan.modulus - self._window) * self.spacing) * (1.0 - 1e-12)
        total = 0.0
        if ratio < _SMALL_LOSS:
            mean = (mu - 0.5) * float(self.total) - t
            for side in (above - mean, below + mean):
                total += math.exp(min(ratio - max(side, 0.0) ** 2 / (2.0 * float(self.total)), 0.0))
            return 2.0 * total
        centre = self._log_moment(mu)
        for side in (above, -below):  # Chernoff: P(T >= t + side) <= exp(K(mu + u) - K(mu) - u (t + side))
            steps = [factor * side / float(self.total) for factor in _CHERNOFF_STEPS]
            powers = [self._log_moment(mu + u) - centre - u * (t + side) for u in steps]
            total += math.exp(min(*powers, 0.0)) * (1.0 + 1e-6)
        return 2.0 * total


def _two(numerator: int, denominator: int) -> tuple[float, float]:
    """A rational as the sum of two doubles."""
    high = numerator / denominator
    top, bottom = high.as_integer_ratio()
    return high, (numerator * bottom - top * denominator) / (denominator * bottom)


def _kernel_growth(a: float) -> float:
    """Bound of |sin(theta / 2)| times the sum of a window of exp(-a j - i theta j), times 2 / 2: see
    docs/method.md."""
    return 2.0 * min(math.exp(min(a / 2.0, 700.0)) / 2.0, 1.0 / -math.expm1(-a))
