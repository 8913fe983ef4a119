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
from kernels.numerics.sieve import SOFTEST, Plan
from kernels.numerics.theta import decay_of
from kernels.numerics.triple import multiply, two_sum

#: Weight that the nodes left out of the relative tier may have together.
_LEFT_OUT = 1e-18
_ROUNDING = 2.0**-51
_NEARLY_GAUSSIAN = 8.0  # from this g on the mean of a tilted cell is its tilt to 0.01
_SMALL_LOSS = 5.0
_X_SIDE = 2.0  # below this g the sum over x converges faster and does not cancel


@dataclass(frozen=True, slots=True)
class Tails:
    """Results at m values of eps, as mantissas to be multiplied by exp(exponent).

    exponent: exact rationals [m], plus log_norm, its inexact part [m]; mantissa and error (absolute, of the mantissa): [m, 3] for Q, P and delta;
    t: exact T of the first lattice point above eps, so that P = exp(exponent + log_norm - t) mantissa; middle: [m], Q and delta are then one minus
    the product.
    """

    exponent: list[Fraction]
    t: list[Fraction]
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
                    norm = (1.0 + real) ** 2 + imaginary**2
                    log_size += 0.5 * count[c] * math.log1p(2.0 * real + real * real + imaginary * imaginary)
                    argument += count[c] * math.atan2(imaginary, 1.0 + real) / (2.0 * math.pi)
                    error += count[c] * absolute / math.sqrt(norm)
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
                norm = math.sqrt(real * real + imaginary * imaginary)
                if norm == 0.0:
                    log_size = -np.inf
                    continue
                log_size += count[c] * (math.log(norm) - log_norm[c])
                argument += count[c] * math.atan2(imaginary, real) / (2.0 * math.pi)
                error += count[c] * (absolute / norm + 4.0 * abs(math.log(norm)))
        size[i] = log_size
        phase[i] = argument
        unit[i] = error + abs(log_size) + 8.0 * abs(argument)
    return size, phase, unit


@kernel
def _sum(values: np.ndarray) -> float:
    """Compensated sum."""
    total = 0.0
    rest = 0.0
    for value in values:
        total, error = two_sum(total, value)
        rest += error
    return total + rest


@kernel
def _one_minus_exp(a: float, cosine: float, sine: float, versed: float) -> complex:
    """1 - exp(-a - i b) without cancellation; versed = 2 sin(b/2)^2."""
    decay = math.exp(-a)
    return complex(-math.expm1(-a) + decay * versed, decay * sine)


@kernel
def _window_sums(
    turn: np.ndarray,
    f_sum: np.ndarray,
    unwrapped: np.ndarray,
    size: np.ndarray,
    phase: np.ndarray,
    unit: np.ndarray,
    weight: np.ndarray,
    mu: float,
    h: float,
    window: float,
    window_low: float,
    middle: bool,
    shift: np.ndarray,
    first: np.ndarray,
    t0: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mantissas and their rounding errors for every eps that shares mu, [m, 3] each (Q, P, delta).

    shift, first: [m, 2], 2 (mu W - s0) and 2 s0 as two doubles; t0: [m]; weight: 2/N (1/N at p = N); window: K.
    """
    k = turn.shape[0]
    m = t0.shape[0]
    value = np.empty((m, 3))
    error = np.empty((m, 3))
    lam = mu - 1.0
    q_sum = np.empty(k, dtype=np.complex128)
    p_sum = np.empty(k, dtype=np.complex128)
    step = np.empty(k, dtype=np.complex128)
    far = np.empty(k, dtype=np.complex128)
    both = np.empty(k, dtype=np.complex128)
    for n in range(k):
        b = 4.0 * math.pi * (turn[n, 0] + turn[n, 1])  # theta = 2 pi p / (2 N)
        cosine = math.cos(b)
        sine = math.sin(b)
        versed = 2.0 * math.sin(0.5 * b) ** 2
        angle = 2.0 * math.pi * _fraction(turn[n], 2.0 * window, 2.0 * window_low)
        wave = complex(math.cos(angle), -math.sin(angle))
        end_p = math.exp(-(lam + 1.0) * h * window) * wave
        p_first = _one_minus_exp((lam + 1.0) * h, cosine, sine, versed)
        p_sum[n] = (1.0 - end_p) / p_first
        if middle:  # sum over j = -1, ..., -K of exp(-z h j), lambda < 0
            end_q = math.exp(lam * h * window) * wave.conjugate()
            back = _one_minus_exp(-lam * h, cosine, -sine, versed)
            q_sum[n] = (1.0 - back) * (1.0 - end_q) / back
        else:
            end_q = math.exp(-lam * h * window) * wave
            q_first = _one_minus_exp(lam * h, cosine, sine, versed)
            q_sum[n] = (1.0 - end_q) / q_first
            step[n] = 1.0 - q_first
            far[n] = end_q
            both[n] = 1.0 / (q_first * p_first)
    terms = np.empty((3, k))
    doubt = np.empty((3, k))
    decay_window = math.exp(-h * window)
    for j in range(m):
        a_near = -math.expm1(-t0[j])
        b_near = -math.exp(-t0[j]) * math.expm1(-(h - t0[j]))
        far_decay = math.exp(-t0[j]) * decay_window
        a_far = 1.0 - far_decay
        b_far = far_decay - math.exp(-h)
        for n in range(k):
            if unwrapped[n]:
                turns = _fraction(turn[n], shift[j, 0], shift[j, 1])
            else:
                turns = mu * f_sum[n] - _fraction(turn[n], first[j, 0], first[j, 1])
            angle = 2.0 * math.pi * (turns + phase[n])
            modulus = weight[n] * math.exp(size[n])
            value_n = modulus * complex(math.cos(angle), math.sin(angle))
            for which in range(3):
                if which == 0:
                    sums = q_sum[n]
                elif which == 1:
                    sums = p_sum[n]
                elif middle:
                    sums = q_sum[n] + math.exp(-t0[j]) * p_sum[n]
                else:
                    sums = ((a_near + step[n] * b_near) - far[n] * (a_far + step[n] * b_far)) * both[n]
                terms[which, n] = (value_n * sums).real
                doubt[which, n] = modulus * abs(sums) * (unit[n] + 16.0 + (0.0 if unwrapped[n] else 16.0 * abs(mu * f_sum[n])))
        for which in range(3):
            value[j, which] = _sum(terms[which])
            error[j, which] = doubt[which].sum() * _ROUNDING
    return value, error


class Tilt:
    """Tails of a planned composition, all rhos scaled by one factor, with a relative error bound.

    Nodes and lattice come from the plan; scaling changes h, R and sigma only. Raises ValueError for a factor below 1 or so large that the
    nodes of the plan no longer suffice (about 1.6).
    """

    def __init__(self, plan: Plan, turn: np.ndarray, scale: Fraction = Fraction(1)) -> None:
        """turn: p / (4 N) as triples, [k, 3], of the plan's nodes (trapezoid.Quadrature.turn)."""
        self.plan = plan
        self.spacing = plan.spacing * scale
        self.total = plan.total * scale
        ratio = float(scale)
        self._g = plan.factors.g[:, 0] / ratio
        self._rho = 2.0 * math.pi**2 / self._g
        soft = _softness(plan, self._g) if scale != 1 else 1.0
        if not SOFTEST <= soft <= 1.0:
            raise ValueError("the plan does not serve this scale")
        log_score = plan.log_kernel - soft * plan.norm
        order = np.argsort(-log_score, kind="stable")
        score = np.exp(log_score[order])
        rest = np.cumsum(score[::-1])[::-1]
        kept = int(np.count_nonzero(rest > _LEFT_OUT))
        self._left_out = plan.faint + (float(rest[kept]) if kept < len(rest) else 0.0)
        which = order[:kept]
        modulus = float(2 * plan.modulus)
        self._turn = turn[which]
        self._f = _angles(plan.nodes.residue[which], modulus)
        self._f_sum = self._f @ plan.factors.count
        self._unwrapped = _unwrapped(self._turn, self._f, plan.factors.count, float(plan.width))
        self._weight = np.where(self._turn[:, 0] == 0.25, 2.0, 4.0) / modulus
        self._window = plan.modulus // 2
        self._root = math.sqrt(float(self.total))
        self._step = Fraction(2) ** math.floor(-math.log2(self._root))  # in (1/2, 1] / sqrt(R)
        self._phi: dict[Fraction, tuple[np.ndarray, np.ndarray, np.ndarray, float, float, float]] = {}

    def first_point(self, eps: Fraction, closed: bool = False) -> tuple[int, Fraction]:
        """s0 and t of the first lattice point with T > eps (closed: T >= eps), exactly."""
        position = (eps + self.total / 2) / self.spacing
        s0 = -(-position // 1) if closed else position // 1 + 1
        return int(s0), s0 * self.spacing - self.total / 2

    def _log_moment(self, mu: float) -> float:
        """ln E exp(mu T)."""
        difference = _log_norms(self._g, self._rho, mu) - _log_norms(self._g, self._rho, 0.0)
        return 0.5 * mu * (mu - 1.0) * float(self.total) + float(self.plan.factors.count @ difference)

    def _saddle(self, t: Fraction) -> Fraction:
        """The mu at which the tilted mean of T is t; 1/2 + t/R unless some cell is far from a continuous Gaussian."""
        gaussian = Fraction(1, 2) + t / self.total
        if self._g.min() >= _NEARLY_GAUSSIAN:
            return gaussian
        low, high, target = float(gaussian) - 1.0, float(gaussian) + 1.0, float(t)
        for _ in range(40):
            mu = 0.5 * (low + high)
            width = 1e-3 * (high - low)
            slope = (self._log_moment(mu + width) - self._log_moment(mu - width)) / (2.0 * width)
            low, high = (mu, high) if slope < target else (low, mu)
            if high - low < 0.1 * float(self._step):
                break
        return Fraction(0.5 * (low + high))

    def _tilt_for(self, t: Fraction) -> tuple[Fraction, bool]:
        """mu near the saddle point, on a grid so that many eps share it, and whether it lies between the poles."""
        saddle = self._saddle(t)
        steps = round(saddle / self._step)
        if saddle >= 1 or self.total <= 4:
            return max(steps * self._step, 1 + self._step), False
        return min(max(steps * self._step, self._step), 1 - self._step), True

    def _tilted(self, mu: Fraction) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float, float]:
        """B of every node, ln of prod (Z_mu / Z_0)^count, its error, and ln of prod (Z_0 / Z_mu)^count rounded up."""
        if mu not in self._phi:
            count = self.plan.factors.count
            log_norm = _log_norms(self._g, self._rho, float(mu))
            at_zero = _log_norms(self._g, self._rho, 0.0)
            difference = log_norm - at_zero
            total = float(count @ difference)
            doubt = float(count @ (np.abs(log_norm) + np.abs(at_zero))) * 2.0**-45 + 2.0**-52 * float(count.sum())
            size, phase, unit = _tilted_phi(self._f, self._g, self._rho, count, log_norm, float(mu))
            self._phi[mu] = (size, phase, unit, total, doubt, max(0.0, -total) + doubt)
        return self._phi[mu]

    def tails(self, points: Sequence[tuple[int, Fraction, float]]) -> Tails:
        """Q(T >= t), P(T >= t) and the profile at t - t0, for lattice points (s0, t, t0) with t0 in (0, h] (0 only for tails)."""
        m = len(points)
        tilts = [self._tilt_for(t) for _, t, _ in points]
        exponent: list[Fraction] = [Fraction(0)] * m
        log_norm = np.empty(m)
        mantissa = np.empty((m, 3))
        error = np.empty((m, 3))
        middle = np.array([between for _, between in tilts], dtype=np.bool_)
        h = float(self.spacing)
        for mu in dict.fromkeys(mu for mu, _ in tilts):
            here = [i for i in range(m) if tilts[i][0] == mu]
            between = tilts[here[0]][1]
            size, phase, unit, norm, doubt, ratio = self._tilted(mu)
            shift = np.array([_two(2 * (mu * self.plan.width - points[i][0])) for i in here])
            first = np.array([_two(Fraction(2 * points[i][0])) for i in here])
            gap = np.array([points[i][2] for i in here])
            value, rounding = _window_sums(
                self._turn,
                self._f_sum,
                self._unwrapped,
                size,
                phase,
                unit,
                self._weight,
                float(mu),
                h,
                *_two(Fraction(self._window)),
                between,
                shift,
                first,
                gap,
            )
            for row, i in enumerate(here):
                t = points[i][1]
                exponent[i] = mu * (mu - 1) * self.total / 2 - (mu - 1) * t
                log_norm[i] = norm
                mantissa[i] = value[row]
                outside = self._outside(mu, t, ratio)
                pruned_q, pruned_p = (
                    2.0 * self._left_out * math.exp(ratio) * _kernel_growth(abs(float(power)) * h) for power in (mu - 1, mu)
                )
                extra = np.array([pruned_q, pruned_p, pruned_q + pruned_p]) + outside
                error[i] = (rounding[row] + extra + np.abs(value[row]) * math.expm1(doubt)) * (1.0 + 1e-9)
        return Tails(exponent, [t for _, t, _ in points], log_norm, mantissa, error, middle)

    def _outside(self, mu: Fraction, t: Fraction, ratio: float) -> float:
        """Twice the tilted probability of the points outside the windows (aliasing and truncation together)."""
        above = float(self._window * self.spacing) * (1.0 - 1e-12)
        below = float((self.plan.modulus - self._window) * self.spacing) * (1.0 - 1e-12)
        total = 0.0
        if ratio < _SMALL_LOSS:
            mean = float((mu - Fraction(1, 2)) * self.total - t)
            for side in (above - mean, below + mean):
                total += math.exp(min(ratio - max(side, 0.0) ** 2 / (2.0 * float(self.total)), 0.0))
            return 2.0 * total
        centre = self._log_moment(float(mu))
        for side in (above, -below):  # Chernoff: P(T >= t + side) <= exp(K(mu + u) - K(mu) - u (t + side))
            steps = [factor * side / float(self.total) for factor in (0.25, 0.5, 1.0, 2.0)]
            powers = [self._log_moment(float(mu) + u) - centre - u * (float(t) + side) for u in steps]
            total += math.exp(min(*powers, 0.0)) * (1.0 + 1e-6)
        return 2.0 * total


def _two(number: Fraction) -> tuple[float, float]:
    high = float(number)
    return high, float(number - Fraction(high))


def _kernel_growth(a: float) -> float:
    """Bound of |sin(theta / 2)| times the sum of a window of exp(-a j - i theta j), times 2 / 2: see docs/method.md."""
    return 2.0 * min(math.exp(min(a / 2.0, 700.0)) / 2.0, 1.0 / -math.expm1(-a))


def _softness(plan: Plan, g: np.ndarray) -> float:
    """Least x such that the scaled phi is at most exp(-x norm) for the norm of the unscaled composition."""
    return float(min(decay_of(value) / decay for value, decay in zip(g, plan.factors.decay, strict=True)))


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
