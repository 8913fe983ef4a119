"""Compiled sums of the relative tier (see tilt.py): tilted characteristic functions, geometric sums."""

import math

import numpy as np

from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import at, multiply, two_sum

ROUNDING = 2.0**-51
X_SIDE = 2.0  # below this g the sum over x converges faster and does not cancel


@kernel
def log_norms(g: np.ndarray, mu: float) -> np.ndarray:
    """ln of 1 + 2 sum exp(-g k^2) cos(2 pi k mu) (g >= 2) or of sum exp(-rho (x - mu)^2 / 2), rho = 2 pi^2 /
    g, [d]."""
    result = np.empty_like(g)
    for c in range(g.shape[0]):
        total = 0.0
        if g[c] >= X_SIDE:
            k = 1.0
            while g[c] * k * k < 50.0:
                total += 2.0 * math.exp(-g[c] * k * k) * math.cos(2.0 * math.pi * (k * mu - np.rint(k * mu)))
                k += 1.0
            result[c] = math.log1p(total)
        else:
            rho = 2.0 * math.pi**2 / g[c]
            reach = 1.0 + math.sqrt(90.0 / rho)  # beyond the nearest x, which may itself be far
            x = float(math.ceil(mu - reach))
            while x <= mu + reach:
                total += math.exp(-0.5 * rho * (x - mu) ** 2)
                x += 1.0
            result[c] = math.log(total)
    return result


def log_norm_units(g: np.ndarray, log_norm: np.ndarray) -> np.ndarray:
    """Bound on the absolute error of log_norms in units of ROUNDING, [d]: docs/method.md, section 9.7."""
    return np.where(g >= X_SIDE, 2.5 * (4.0 + g) * np.exp(-g) + 1e-6, 2.0) + np.abs(log_norm)


@kernel
def _fraction(turn: np.ndarray, factor: np.ndarray) -> float:
    """Fractional part of turn * factor, triples, as a double in [-1/2, 1/2]."""
    a, b, c = multiply(at(turn), at(factor))
    a -= np.rint(a)
    rest = (a + (b - np.rint(b))) + c
    return rest - np.rint(rest)


@kernel
def _waves(g: float, angle: float, mu: float) -> tuple[float, float, float]:
    """Real and imaginary part of the sum over k >= 1 for g >= 2, and its error in units of ROUNDING."""
    real, imaginary, absolute = 0.0, 0.0, 0.0
    j = 1.0
    while g * j * (j - 2.0 * abs(angle)) < 50.0:
        turn = j * mu - np.rint(j * mu)
        cosine = math.cos(2.0 * math.pi * turn)
        sine = math.sin(2.0 * math.pi * turn)
        up = math.exp(-g * j * (j - 2.0 * angle))
        down = math.exp(-g * j * (j + 2.0 * angle))
        real += (up + down) * cosine
        imaginary += (down - up) * sine
        absolute += (up + down) * (8.0 + 3.0 * g * j * j)
        j += 1.0
    return real, imaginary, absolute


@kernel
def _points(g: float, angle: float, mu: float) -> tuple[float, float, float]:
    """Real and imaginary part of the sum over x for g < 2, and its error in units of ROUNDING."""
    rho = 2.0 * math.pi**2 / g
    reach = 1.0 + math.sqrt(90.0 / rho)  # beyond the nearest x, which may itself be far
    real, imaginary, absolute = 0.0, 0.0, 0.0
    x = float(math.ceil(mu - reach))
    while x <= mu + reach:
        weight = math.exp(-0.5 * rho * (x - mu) ** 2)
        turn = angle * (x - mu)
        real += weight * math.cos(2.0 * math.pi * turn)
        imaginary += weight * math.sin(2.0 * math.pi * turn)
        absolute += weight * (2.5 + 0.375 * rho * (x - mu) ** 2 + 11.0 * abs(turn))
        x += 1.0
    return real, imaginary, absolute


@kernel
def tilted_phi(
    f: np.ndarray, g: np.ndarray, count: np.ndarray, log_norm: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ln |B|, arg B in turns and the relative error in units of ROUNDING of B = phi_mu(f) e^(-2 pi i mu sum
    count f), [k] each.

    log_norm: ln of 1 + 2 sum exp(-g k^2) cos(2 pi k mu) for g >= 2, of sum exp(-rho (x - mu)^2 / 2) else,
    [d].
    """
    k, d = f.shape
    size = np.empty(k)
    phase = np.empty(k)
    unit = np.empty(k)
    for i in range(k):
        log_size = 0.0
        argument = 0.0
        error = 3.0
        for c in range(d):
            angle = f[i, c]
            if g[c] >= X_SIDE:
                log_size -= count[c] * (g[c] * angle * angle + log_norm[c])
                error += (3.5 + 0.5 * d) * count[c] * g[c] * angle * angle
                real, imaginary, absolute = _waves(g[c], angle, mu)
                if absolute > 0.0:
                    norm = math.hypot(1.0 + real, imaginary)
                    floor = ROUNDING * absolute  # a bracket below its own rounding error counts as that error
                    if norm > 0.7:
                        log_size += (
                            0.5 * count[c] * math.log1p(2.0 * real + real * real + imaginary * imaginary)
                        )
                    else:
                        log_size += count[c] * math.log(max(norm, floor))
                    argument += count[c] * math.atan2(imaginary, 1.0 + real) / (2.0 * math.pi)
                    error += count[c] * absolute / max(norm, floor)
            else:
                real, imaginary, absolute = _points(g[c], angle, mu)
                norm = max(math.hypot(real, imaginary), ROUNDING * absolute)
                log_size += count[c] * (math.log(norm) - log_norm[c])
                argument += count[c] * math.atan2(imaginary, real) / (2.0 * math.pi)
                error += count[c] * (absolute / norm + abs(math.log(norm)))
        size[i] = log_size
        phase[i] = argument
        unit[i] = error + 0.5 * abs(log_size) + 12.0 * abs(argument)
    return size, phase, unit


@kernel
def _one_minus_exp(a: float, cosine: float, sine: float, versed: float) -> complex:
    """1 - exp(-a - i b) without cancellation; versed = 2 sin(b/2)^2."""
    decay = math.exp(-a)
    return complex(-math.expm1(-a) + decay * versed, decay * sine)


@kernel
def window_kernels(
    turn: np.ndarray, mu: float, h: float, window: float, double_window: np.ndarray, middle: bool
) -> tuple[np.ndarray, ...]:
    """Windowed geometric sums of every node for one mu, complex [k] each.

    For Q and P, and (right case only) what the profile needs besides t0: e^(-z h), e^(-z h K) and 1 / ((1 -
    e^(-z h)) (1 - e^(-(z + 1) h))).
    """
    k = turn.shape[0]
    q_sum = np.empty(k, dtype=np.complex128)
    p_sum = np.empty(k, dtype=np.complex128)
    q_first = np.zeros(k, dtype=np.complex128)
    step = np.zeros(k, dtype=np.complex128)
    far = np.zeros(k, dtype=np.complex128)
    both = np.zeros(k, dtype=np.complex128)
    lam = mu - 1.0
    for n in range(k):
        b = 4.0 * math.pi * (turn[n, 0] + turn[n, 1])  # theta = 2 pi p / (2 N)
        cosine = math.cos(b)
        sine = math.sin(b)
        versed = 2.0 * math.sin(0.5 * b) ** 2
        angle = 2.0 * math.pi * _fraction(turn[n], double_window)
        wave = complex(math.cos(angle), -math.sin(angle))
        p_first = _one_minus_exp((lam + 1.0) * h, cosine, sine, versed)
        p_sum[n] = (1.0 - math.exp(-(lam + 1.0) * h * window) * wave) / p_first
        if middle:  # sum over j = -1, ..., -K of exp(-z h j), lambda < 0
            back = _one_minus_exp(-lam * h, cosine, -sine, versed)
            near = math.exp(lam * h) * complex(cosine, sine)  # not 1 - back, which cancels where it is small
            q_sum[n] = near * (1.0 - math.exp(lam * h * window) * wave.conjugate()) / back
        else:
            q_first[n] = _one_minus_exp(lam * h, cosine, sine, versed)
            far[n] = math.exp(-lam * h * window) * wave
            q_sum[n] = (1.0 - far[n]) / q_first[n]
            step[n] = math.exp(-lam * h) * complex(cosine, -sine)
            both[n] = 1.0 / (q_first[n] * p_first)
    return q_sum, p_sum, q_first, step, far, both


@kernel
def _add_to(total: np.ndarray, rest: np.ndarray, which: int, term: float) -> None:
    total[which], error = two_sum(total[which], term)
    rest[which] += error


@kernel
def sums_at_points(
    turn: np.ndarray,
    unwrapped: np.ndarray,
    modulus: np.ndarray,
    phase: np.ndarray,
    unit: np.ndarray,
    sums: tuple[np.ndarray, ...],
    h: float,
    window: float,
    middle: bool,
    shift: np.ndarray,
    first: np.ndarray,
    gap: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mantissas and their rounding errors for every eps that shares mu, [m, 3] each (Q, P, delta).

    modulus, phase (turns), unit: of each node's amplitude, [k]; sums: as window_kernels returns them;
    shift, first: [m, 3], 2 (mu W - s0) and 2 s0 as three doubles; gap: t0, [m].
    """
    q_sum, p_sum, q_first, step, far, both = sums
    m = gap.shape[0]
    value = np.empty((m, 3))
    error = np.empty((m, 3))
    for j in range(m):
        near_exp = math.exp(-gap[j])
        a_near = -math.expm1(-gap[j])
        a_far = -math.expm1(-gap[j] - h * window)
        one_step = -math.expm1(-h)
        total = np.zeros(3)
        rest = np.zeros(3)
        doubt = np.zeros(3)
        for n in range(turn.shape[0]):
            turns = _fraction(turn[n], shift[j]) if unwrapped[n] else -_fraction(turn[n], first[j])
            angle = 2.0 * math.pi * (turns + phase[n])
            amplitude = modulus[n] * complex(math.cos(angle), math.sin(angle))
            share = modulus[n] * unit[n]
            if middle:
                profile = q_sum[n] + near_exp * p_sum[n]
            else:
                # Sum over j of e^(-z h j) (1 - e^(-t0 - h j)): one fraction, no cancelling numerator.
                opening = (q_first[n] * a_near + step[n] * one_step) * both[n]
                closing = far[n] * (q_first[n] * a_far + step[n] * one_step) * both[n]
                profile = opening - closing
                doubt[2] += share * (abs(closing.real) + abs(closing.imag))
            _add_to(total, rest, 0, (amplitude * q_sum[n]).real)
            _add_to(total, rest, 1, (amplitude * p_sum[n]).real)
            _add_to(total, rest, 2, (amplitude * profile).real)
            doubt[0] += share * (abs(q_sum[n].real) + abs(q_sum[n].imag))
            doubt[1] += share * (abs(p_sum[n].real) + abs(p_sum[n].imag))
            doubt[2] += share * (abs(profile.real) + abs(profile.imag))
        value[j] = total + rest
        error[j] = doubt * ROUNDING
    return value, error
