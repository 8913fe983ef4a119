"""Relative tier: tails and the privacy profile with a relative error, however small, by exponential tilting.

Under P let M(mu) = E exp(mu T). Tilting by mu turns every cell into a discrete Gaussian with mean mu and the same sigma, so its characteristic function is
known in closed form. With lambda = mu - 1, z = lambda + i theta / h, s0 the first lattice point above eps, t its T and t0 = t - eps,

    Q(T > eps)   = M(mu) e^(-lambda t)    (1/N) sum phi_mu(theta) e^(-i theta s0) F(z),            F(z) = 1 / (1 - e^(-z h)),
    P(T > eps)   = M(mu) e^(-lambda t - t) (1/N) sum phi_mu(theta) e^(-i theta s0) F(z + 1),
    delta(eps)   = Q(T > eps) - e^eps P(T > eps), with the difference of the two geometric sums taken analytically,

for mu > 1 ("right"). For 0 < mu < 1 ("middle") the pole at z = 0 lies on the other side: the first and the last give 1 - Q and 1 - delta. Windows of
K = N/2 points replace the infinite geometric sums, so that aliasing is a Gaussian tail. Near the saddle point mu = 1/2 + t/R nothing cancels.
The factor exp(...) in front is kept as an exact rational exponent. Bounds: docs/method.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernels.numerics.jit import kernel
from kernels.numerics.nodes import to_float
from kernels.numerics.sieve import Plan
from kernels.numerics.theta import decay_of, tilt_loss
from kernels.numerics.triple import multiply, two_sum

#: Weight that the nodes left out of the relative tier may have together.
_LEFT_OUT = 1e-16
_ROUGH_NODES = 200
_ROUNDING = 2.0**-51
_NEARLY_GAUSSIAN = 8.0  # from this g on the mean of a tilted cell is its tilt to 0.01
_SMALL_LOSS = 5.0
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_CHERNOFF_STEPS = tuple(2.0**k for k in range(1, -9, -1))
_X_SIDE = 2.0  # below this g the sum over x converges faster and does not cancel


@dataclass(frozen=True, slots=True)
class Tails:
    """Results at m values of eps, as mantissas to be multiplied by exp(exponent).

    exponent: exact rationals [m] as pairs of integers, plus log_norm, its inexact part [m]; mantissa and error (absolute, of the mantissa): [m, 3] for
    Q, P and delta; t: exact T of the first lattice point above eps [m], so that P = exp(exponent + log_norm - t) mantissa; middle: [m], Q and
    delta are then one minus the product.
    """

    exponent: list[tuple[int, int]]
    t: list[tuple[int, int]]
    log_norm: np.ndarray
    mantissa: np.ndarray
    error: np.ndarray
    middle: np.ndarray


@kernel
def _angles(residue: np.ndarray, size: float) -> np.ndarray:
    """Angles f in turns as doubles, [k, d]."""
    k, d = residue.shape[:2]
    f = np.empty((k, d))
    for i in range(k):
        for c in range(d):
            f[i, c] = to_float(residue[i, c]) / size
    return f


@kernel
def _unwrapped(turn: np.ndarray, f: np.ndarray, count: np.ndarray, width: float) -> np.ndarray:
    """Whether no angle of a node was reduced: sum count f = W p / (2 N)."""
    k, d = f.shape
    result = np.empty(k, dtype=np.bool_)
    for i in range(k):
        total = 0.0
        for c in range(d):
            total += count[c] * f[i, c]
        result[i] = abs(2.0 * turn[i, 0] * width - total) < 0.5 and width * turn[i, 0] < 2.0**50
    return result


@kernel
def _fraction(turn: np.ndarray, high: float, low: float) -> float:
    """Fractional part of turn * (high + low), as a double in [-1/2, 1/2]."""
    a, b, c = multiply((turn[0], turn[1], turn[2]), (high, low, 0.0))
    a -= np.rint(a)
    rest = (a + (b - np.rint(b))) + c
    return rest - np.rint(rest)


@kernel
def _tilted_phi(
    f: np.ndarray, g: np.ndarray, rho: np.ndarray, count: np.ndarray, log_norm: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ln |B|, arg B in turns and the relative error in units of _ROUNDING of B = phi_mu(f) e^(-2 pi i mu sum count f), [k] each.

    log_norm: ln of 1 + 2 sum exp(-g k^2) cos(2 pi k mu) for g >= 2, of sum exp(-rho (x - mu)^2 / 2) else, [d].
    """
    k, d = f.shape
    size = np.empty(k)
    phase = np.empty(k)
    unit = np.empty(k)
    for i in range(k):
        log_size = 0.0
        argument = 0.0
        error = 8.0
        for c in range(d):
            angle = f[i, c]
            if g[c] >= _X_SIDE:
                log_size -= count[c] * (g[c] * angle * angle + log_norm[c])
                error += 4.0 * count[c] * g[c] * angle * angle
                real = 0.0
                imaginary = 0.0
                absolute = 0.0
                j = 1.0
                while g[c] * j * (j - 2.0 * abs(angle)) < 50.0:
                    turn = j * mu - np.rint(j * mu)
                    cosine = math.cos(2.0 * math.pi * turn)
                    sine = math.sin(2.0 * math.pi * turn)
                    up = math.exp(-g[c] * j * (j - 2.0 * angle))
                    down = math.exp(-g[c] * j * (j + 2.0 * angle))
                    real += (up + down) * cosine
                    imaginary += (down - up) * sine
                    absolute += (up + down) * (8.0 + g[c] * j * (j - 2.0 * abs(angle)))
                    j += 1.0
                if absolute > 0.0:
                    norm = math.hypot(1.0 + real, imaginary)
                    floor = _ROUNDING * absolute  # a bracket below its own rounding error counts as that error
                    if norm > 0.7:
                        log_size += 0.5 * count[c] * math.log1p(2.0 * real + real * real + imaginary * imaginary)
                    else:
                        log_size += count[c] * math.log(max(norm, floor))
                    argument += count[c] * math.atan2(imaginary, 1.0 + real) / (2.0 * math.pi)
                    error += count[c] * absolute / max(norm, floor)
            else:
                reach = math.sqrt(90.0 / rho[c])
                real = 0.0
                imaginary = 0.0
                absolute = 0.0
                x = math.ceil(mu - reach)
                while x <= mu + reach:
                    weight = math.exp(-0.5 * rho[c] * (x - mu) ** 2)
                    turn = angle * (x - mu)
                    real += weight * math.cos(2.0 * math.pi * turn)
                    imaginary += weight * math.sin(2.0 * math.pi * turn)
                    absolute += weight * (8.0 + 0.5 * rho[c] * (x - mu) ** 2 + abs(turn))
                    x += 1.0
                norm = max(math.hypot(real, imaginary), _ROUNDING * absolute)
                log_size += count[c] * (math.log(norm) - log_norm[c])
                argument += count[c] * math.atan2(imaginary, real) / (2.0 * math.pi)
                error += count[c] * (absolute / norm + 4.0 * abs(math.log(norm)))
        size[i] = log_size
        phase[i] = argument
        unit[i] = error + abs(log_size) + 8.0 * abs(argument)
    return size, phase, unit


@kernel
def _one_minus_exp(a: float, cosine: float, sine: float, versed: float) -> complex:
    """1 - exp(-a - i b) without cancellation; versed = 2 sin(b/2)^2."""
    decay = math.exp(-a)
    return complex(-math.expm1(-a) + decay * versed, decay * sine)


@kernel
def _kernels(
    turn: np.ndarray, mu: float, h: float, window: float, window_low: float, middle: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Windowed geometric sums of every node for one mu, complex [k] each.

    For Q and P, and (right case only) what the profile needs besides t0: e^(-z h), e^(-z h K) and 1 / ((1 - e^(-z h)) (1 - e^(-(z + 1) h))).
    """
    k = turn.shape[0]
    q_sum = np.empty(k, dtype=np.complex128)
    p_sum = np.empty(k, dtype=np.complex128)
    step = np.zeros(k, dtype=np.complex128)
    far = np.zeros(k, dtype=np.complex128)
    both = np.zeros(k, dtype=np.complex128)
    lam = mu - 1.0
    for n in range(k):
        b = 4.0 * math.pi * (turn[n, 0] + turn[n, 1])  # theta = 2 pi p / (2 N)
        cosine = math.cos(b)
        sine = math.sin(b)
        versed = 2.0 * math.sin(0.5 * b) ** 2
        angle = 2.0 * math.pi * _fraction(turn[n], 2.0 * window, 2.0 * window_low)
        wave = complex(math.cos(angle), -math.sin(angle))
        p_first = _one_minus_exp((lam + 1.0) * h, cosine, sine, versed)
        p_sum[n] = (1.0 - math.exp(-(lam + 1.0) * h * window) * wave) / p_first
        if middle:  # sum over j = -1, ..., -K of exp(-z h j), lambda < 0
            back = _one_minus_exp(-lam * h, cosine, -sine, versed)
            q_sum[n] = (1.0 - back) * (1.0 - math.exp(lam * h * window) * wave.conjugate()) / back
        else:
            q_first = _one_minus_exp(lam * h, cosine, sine, versed)
            far[n] = math.exp(-lam * h * window) * wave
            q_sum[n] = (1.0 - far[n]) / q_first
            step[n] = 1.0 - q_first
            both[n] = 1.0 / (q_first * p_first)
    return q_sum, p_sum, step, far, both


@kernel
def _add_to(total: np.ndarray, rest: np.ndarray, which: int, term: float) -> None:
    total[which], error = two_sum(total[which], term)
    rest[which] += error


@kernel
def _at_points(
    turn: np.ndarray,
    unwrapped: np.ndarray,
    modulus: np.ndarray,
    phase: np.ndarray,
    unit: np.ndarray,
    sums: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    h: float,
    window: float,
    middle: bool,
    shift: np.ndarray,
    first: np.ndarray,
    gap: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mantissas and their rounding errors for every eps that shares mu, [m, 3] each (Q, P, delta).

    modulus, phase (turns), unit: of each node's amplitude, [k]; sums: as _kernels returns them; shift, first: [m, 2], 2 (mu W - s0) and 2 s0 as two
    doubles; gap: t0, [m].
    """
    q_sum, p_sum, step, far, both = sums
    m = gap.shape[0]
    value = np.empty((m, 3))
    error = np.empty((m, 3))
    for j in range(m):
        near_exp = math.exp(-gap[j])
        a_near = -math.expm1(-gap[j])
        b_near = -near_exp * math.expm1(-(h - gap[j]))
        far_exp = near_exp * math.exp(-h * window)
        a_far = 1.0 - far_exp
        b_far = far_exp - math.exp(-h)
        total = np.zeros(3)
        rest = np.zeros(3)
        doubt = np.zeros(3)
        for n in range(turn.shape[0]):
            if unwrapped[n]:
                turns = _fraction(turn[n], shift[j, 0], shift[j, 1])
            else:
                turns = -_fraction(turn[n], first[j, 0], first[j, 1])
            angle = 2.0 * math.pi * (turns + phase[n])
            amplitude = modulus[n] * complex(math.cos(angle), math.sin(angle))
            if middle:
                profile = q_sum[n] + near_exp * p_sum[n]
            else:
                profile = ((a_near + step[n] * b_near) - far[n] * (a_far + step[n] * b_far)) * both[n]
            share = modulus[n] * unit[n]
            _add_to(total, rest, 0, (amplitude * q_sum[n]).real)
            _add_to(total, rest, 1, (amplitude * p_sum[n]).real)
            _add_to(total, rest, 2, (amplitude * profile).real)
            doubt[0] += share * (abs(q_sum[n].real) + abs(q_sum[n].imag))
            doubt[1] += share * (abs(p_sum[n].real) + abs(p_sum[n].imag))
            doubt[2] += share * (abs(profile.real) + abs(profile.imag))
        value[j] = total + rest
        error[j] = doubt * _ROUNDING
    return value, error


@dataclass(frozen=True, slots=True)
class LatticePoint:
    """First lattice point above (or at) some eps: S, T as numerator and denominator, and T - eps rounded."""

    position: int
    t: tuple[int, int]
    gap: float


@dataclass(frozen=True, slots=True)
class Selection:
    """The nodes that the relative tier needs as long as phi is at most exp(-soft norm).

    turn: p / (4 N), [k, 3]; f: angles in turns, [k, d]; f_sum: sum count f, [k]; unwrapped: [k]; weight: 2/N, or 1/N at p = N, [k]; left_out: bound on
    the weight of all other nodes.
    """

    soft: float
    turn: np.ndarray
    f: np.ndarray
    f_sum: np.ndarray
    unwrapped: np.ndarray
    weight: np.ndarray
    left_out: float


def select(plan: Plan, turn: np.ndarray, soft: float) -> Selection:
    """Nodes for SOFTEST <= soft <= 1; turn: p / (4 N) of the plan's nodes as triples (trapezoid.Quadrature.turn), [k, 3]."""
    score = np.exp(plan.log_kernel - soft * plan.norm)
    order = np.argsort(-score, kind="stable")
    rest = np.cumsum(score[order][::-1])[::-1]
    allowed = _LEFT_OUT * math.exp(-min(tilt_loss(plan.factors.g[:, 0], plan.factors.count), 50.0))
    kept = int(np.count_nonzero(rest > allowed))
    left_out = plan.faint + (float(rest[kept]) if kept < len(rest) else 0.0)
    which = order[:kept]
    modulus = float(2 * plan.modulus)
    f = _angles(plan.nodes.residue[which], modulus)
    count = plan.factors.count
    unwrapped = _unwrapped(turn[which], f, count, float(plan.width))
    weight = np.where(turn[which, 0] == 0.25, 2.0, 4.0) / modulus
    return Selection(soft, turn[which], f, f @ count, unwrapped, weight, left_out * (1.0 + 1e-9))


def fewer(nodes: Selection) -> Selection:
    """The heaviest nodes alone: enough for a search, not for an answer."""
    first = slice(0, _ROUGH_NODES)
    return Selection(
        nodes.soft,
        nodes.turn[first],
        nodes.f[first],
        nodes.f_sum[first],
        nodes.unwrapped[first],
        nodes.weight[first],
        math.inf if len(nodes.f) > _ROUGH_NODES else nodes.left_out,
    )


def softness(plan: Plan, scale: Fraction) -> float:
    """Least x such that phi with all rhos scaled is at most exp(-x norm), norm being that of the unscaled composition."""
    if scale == 1:
        return 1.0
    g = plan.factors.g[:, 0] / float(scale)
    return float(min(decay_of(value) / decay for value, decay in zip(g, plan.factors.decay, strict=True)))


@dataclass(frozen=True, slots=True)
class _Contour:
    """What all eps with the same mu share: amplitudes of the nodes (modulus, phase in turns, error units), geometric sums, and ln of
    prod (Z_mu / Z_0)^count with its error bound."""

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
        """Raises ValueError when the selected nodes do not suffice for this scale (softness below nodes.soft)."""
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
        """The same with the heaviest nodes alone, for a search; its error bounds are infinite where nodes are missing."""
        if len(self.nodes.f) <= _ROUGH_NODES:
            return self
        return Tilt(self.plan, fewer(self.nodes), self.scale)

    def first_point(self, eps: Fraction, closed: bool = False) -> LatticePoint:
        """The first lattice point with T > eps (closed: T >= eps), exactly."""
        a, b = eps.numerator, eps.denominator
        scaled, unit = a * self._denominator + b * self._half_total, b * self._spacing
        position = -(-scaled // unit) if closed else scaled // unit + 1
        return LatticePoint(position, (position * self._spacing - self._half_total, self._denominator), (position * unit - scaled) / (b * self._denominator))

    def _log_moment(self, mu: float) -> float:
        """ln E exp(mu T)."""
        difference = _log_norms(self._g, self._rho, mu) - _log_norms(self._g, self._rho, 0.0)
        return 0.5 * mu * (mu - 1.0) * float(self.total) + float(self.plan.factors.count @ difference)

    def _tilt_for(self, t: float, gap: float) -> tuple[Fraction, bool]:
        """mu near the saddle point, on a grid so that many eps share it, and whether it lies between the poles."""
        middle = 2.0 * t < float(self.total) and self.total > 4
        saddle = 0.5 + t / float(self.total)
        if self._g.min() < _NEARLY_GAUSSIAN:
            saddle = self._least_integrand(t, gap, middle, saddle)
        mu = round(saddle / float(self._step)) * self._step
        if middle:
            return min(max(mu, self._step), 1 - self._step), True
        return max(mu, 1 + self._step), False

    def _least_integrand(self, t: float, gap: float, middle: bool, gaussian: float) -> float:
        """The mu at which the profile's integrand is least, where some cell is far from a continuous Gaussian (golden section; it is convex)."""
        h = float(self.spacing)

        def integrand(mu: float) -> float:
            p_first = -math.expm1(-mu * h)
            if middle:
                size = math.exp((mu - 1.0) * h) / -math.expm1((mu - 1.0) * h) + math.exp(-gap) / p_first
            else:
                decay = math.exp(-(mu - 1.0) * h)
                size = (-math.expm1(-gap) - decay * math.exp(-gap) * math.expm1(gap - h)) / (-math.expm1(-(mu - 1.0) * h) * p_first)
            return self._log_moment(mu) - (mu - 1.0) * t + math.log(size)

        step = float(self._step)
        low, high = (0.1 * step, 1.0 - 0.1 * step) if middle else (1.0 + 0.1 * step, max(gaussian, 1.0) + 4.0 * step + 4.0)
        for _ in range(60):
            if high - low < 0.3 * step:
                break
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            low, high = (low, right) if integrand(left) < integrand(right) else (left, high)
        return 0.5 * (low + high)

    def _contour(self, mu: Fraction, middle: bool) -> _Contour:
        if mu not in self._contours:
            nodes, count, tilt = self.nodes, self.plan.factors.count, float(mu)
            log_norm = _log_norms(self._g, self._rho, tilt)
            at_zero = _log_norms(self._g, self._rho, 0.0)
            doubt = float(count @ (np.abs(log_norm) + np.abs(at_zero))) * 2.0**-45 + 2.0**-52 * float(count.sum())
            size, phase, unit = _tilted_phi(nodes.f, self._g, self._rho, count, log_norm, tilt)
            wrapped = np.where(nodes.unwrapped, 0.0, tilt * nodes.f_sum)
            self._contours[mu] = _Contour(
                nodes.weight * np.exp(size),
                phase + wrapped,
                unit + 16.0 + 16.0 * np.abs(wrapped),
                _kernels(nodes.turn, tilt, float(self.spacing), *_two(self._window, 1), middle),
                float(count @ (log_norm - at_zero)),
                doubt,
            )
        return self._contours[mu]

    def tails(self, points: Sequence[LatticePoint]) -> Tails:
        """Q(T >= t), P(T >= t) and the profile at t - gap, for lattice points with gap in (0, h] (0 only for tails)."""
        m = len(points)
        ts = [point.t[0] / point.t[1] for point in points]
        tilts = [self._tilt_for(t, point.gap or float(self.spacing)) for t, point in zip(ts, points, strict=True)]
        exponent: list[tuple[int, int]] = [(0, 1)] * m
        log_norm, mantissa, error = np.empty(m), np.empty((m, 3)), np.empty((m, 3))
        h = float(self.spacing)
        for mu, middle in dict.fromkeys(tilts):
            here = [i for i in range(m) if tilts[i] == (mu, middle)]
            contour = self._contour(mu, middle)
            top, bottom = mu.numerator, mu.denominator
            value, rounding = _at_points(
                self.nodes.turn,
                self.nodes.unwrapped,
                contour.modulus,
                contour.phase,
                contour.unit,
                contour.sums,
                h,
                float(self._window),
                middle,
                np.array([_two(2 * (top * self.plan.width - points[i].position * bottom), bottom) for i in here]),
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
                error[i] = (rounding[row] + extra + np.abs(value[row]) * math.expm1(contour.doubt)) * (1.0 + 1e-9)
        between = np.array([middle for _, middle in tilts], dtype=np.bool_)
        return Tails(exponent, [point.t for point in points], log_norm, mantissa, error, between)

    def _pruned(self, mu: float, middle: bool, loss: float) -> np.ndarray:
        """Bound on what the nodes left out add to the mantissas, [3]: |F| <= growth / |sin(theta / 2)| and their weight is known."""
        if self.nodes.left_out == 0.0:
            return np.zeros(3)
        h = float(self.spacing)
        weight = 2.0 * self.nodes.left_out * math.exp(min(loss, 700.0))
        q, p = (weight * _kernel_growth(abs(power) * h) for power in (mu - 1.0, mu))
        profile = q + p
        if not middle:  # the difference of the two sums has a numerator of at most 1 - e^(-h), and 2 e^(-lambda h K) from the far ends
            numerator = -math.expm1(-h) + 2.0 * math.exp(-(mu - 1.0) * h * float(self._window))
            profile = min(profile, q * numerator / -math.expm1(-mu * h))
        return np.array([q, p, profile])

    def _outside(self, mu: float, t: float, ratio: float) -> float:
        """Twice the tilted probability of the points outside the windows (aliasing and truncation together)."""
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
    """Bound of |sin(theta / 2)| times the sum of a window of exp(-a j - i theta j), times 2 / 2: see docs/method.md."""
    return 2.0 * min(math.exp(min(a / 2.0, 700.0)) / 2.0, 1.0 / -math.expm1(-a))


def _log_norms(g: np.ndarray, rho: np.ndarray, mu: float) -> np.ndarray:
    """ln of 1 + 2 sum exp(-g k^2) cos(2 pi k mu) (g >= 2) or of sum exp(-rho (x - mu)^2 / 2), [d]."""
    result = np.empty_like(g)
    for c in range(len(g)):
        if g[c] >= _X_SIDE:
            terms = math.ceil(math.sqrt(50.0 / g[c])) + 1
            turns = [j * mu - round(j * mu) for j in range(1, terms)]
            result[c] = math.log1p(
                2.0 * math.fsum(math.exp(-g[c] * j * j) * math.cos(2.0 * math.pi * turn) for j, turn in enumerate(turns, 1))
            )
        else:
            reach = math.sqrt(90.0 / rho[c])
            xs = range(math.ceil(mu - reach), math.floor(mu + reach) + 1)
            result[c] = math.log(math.fsum(math.exp(-0.5 * rho[c] * (x - mu) ** 2) for x in xs))
    return result
