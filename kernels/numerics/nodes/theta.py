"""Characteristic function of one discrete Gaussian N_Z(0, sigma^2), sigma^2 = 1/rho, as a theta function.

With f in [-1/2, 1/2] the angle in turns and g = 2 pi^2 sigma^2, Poisson summation gives

    phi(f) = exp(-g f^2) (1 + s(f)) / (1 + s(0)),   s(f) = sum_{k >= 1} exp(-g k (k - 2|f|)) + exp(-g k (k +
    2|f|)).

All terms are positive, so nothing cancels for any sigma. Decay bound, phi(f) <= exp(-decay f^2), proven in
docs/method.md: for g >= 2 the ratio -ln phi(f) / f^2 is least at f = 1/2; for smaller g the Jacobi triple
product gives decay = 8 sum_n 2 p_n / (1 + p_n)^2, p_n = exp(-rho (2 n - 1) / 2).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np

from kernels.numerics.arithmetic.elementary import LN2, constant, exp
from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import Triple, add, at, multiply, negate, scale, scaled_power

_BITS = 260
_NEGLIGIBLE = 100.0  # exp(-100) is below every bound used here, and the terms fall faster than geometrically
_DOUBLE_ENOUGH = 64.0  # exp(-64) times the relative error of a double is below 1e-40

#: norm_loss up to which tilted laws are about as narrow as the law itself.
SMALL_LOSS = 5.0


@dataclass(frozen=True, slots=True)
class ThetaFactor:
    """Constants of one distinct rho: g = 2 pi^2 / rho as a triple, 1 / (1 + s(0)) as a triple, decay (rounded
    down)."""

    g: Triple
    normaliser: Triple
    decay: float


@lru_cache(maxsize=4096)
def factor(rho: Fraction) -> ThetaFactor:
    """Constants of phi for one cell with parameter rho > 0."""
    with mpmath.workprec(_BITS):
        g = 2 * mpmath.pi**2 * rho.denominator / rho.numerator
        at_zero = mpmath.mpf(1)
        k = 1
        while (term := mpmath.exp(-g * k * k)) > mpmath.ldexp(1, -_BITS):
            at_zero += 2 * term
            k += 1
        return ThetaFactor(constant(g), constant(1 / at_zero), decay_of(float(g)))


def deepest(g: np.ndarray) -> np.ndarray:
    """-ln phi(1/2) of a cell for every g, rounded up, [d]: no phi(f) is below its exponential."""
    return np.array([_deepest(float(value)) for value in g])


def _deepest(g: float) -> float:
    if g >= 2.0:  # there the decay bound is attained, but for its rounding
        return 0.25 * decay_of(g) * (1.0 + 2.0**-38)
    p = math.exp(-(math.pi**2) / g)  # 4 sum_n artanh(p^(2 n - 1)), p < 1 / 130
    return 4.0 * math.atanh(p) * (1.0 + 2.0 * p * p) * (1.0 + 2.0**-40)


def tilt_loss(g: np.ndarray, count: np.ndarray) -> float:
    """How much larger than phi(f) the |phi_mu(f)| of a product can be, as a logarithm: for every cell it is
    at most Z_0 / Z_{1/2} times as large, and at most 1."""
    return float(count @ np.minimum(_log_norm_ratios(g), deepest(g)))


def norm_loss(g: np.ndarray, count: np.ndarray) -> float:
    """ln of prod (Z_0 / Z_{1/2})^count: tilted laws have tails of exp(this - y^2 / 2 R) at most."""
    return float(count @ _log_norm_ratios(g))


def _log_norm_ratios(g: np.ndarray) -> np.ndarray:
    return np.array([_log_norm_ratio(float(value)) for value in g])


def _log_norm_ratio(g: float) -> float:
    """ln of Z_0 / Z_{1/2}; Z_mu is proportional to sum exp(-rho (x - mu)^2 / 2), least at mu = 1/2."""
    ks = np.arange(-40.0, 41.0)
    if g >= 2.0:
        waves = np.exp(-g * ks * ks)
        return float(np.log(waves.sum() / (waves * np.cos(np.pi * ks)).sum()))
    rho = 2.0 * math.pi**2 / g
    return rho / 8.0 - math.log(2.0) + math.log(float(np.exp(-rho * ks * ks / 2.0).sum()))


@kernel
def excess(g: float, f: float) -> float:
    """s(f) in double precision; relative error below 2**-50 (1 + g) for each term that matters."""
    total = 0.0
    k = 1.0
    while True:
        term = math.exp(-g * k * (k - 2.0 * f))
        total += term + math.exp(-g * k * (k + 2.0 * f))
        k += 1.0
        if g * k * (k - 2.0 * f) > _NEGLIGIBLE:
            return total


@kernel
def decay_of(g: float) -> float:
    """A number d with phi(f) <= exp(-d f^2) for all |f| <= 1/2, rounded down."""
    if g >= 2.0:
        decay = g - 4.0 * math.log1p(excess(g, 0.5)) + 4.0 * math.log1p(excess(g, 0.0))
    else:
        p = math.exp(-(math.pi**2) / g)
        decay = 16.0 * p / (1.0 + p) ** 2
    return decay * (1.0 - 2.0**-40)


@kernel
def excess_triple(g: Triple, f: Triple) -> Triple:
    """s(f) in triple-double arithmetic, for f >= 0; terms too small to need it are taken in double
    precision."""
    total = (0.0, 0.0, 0.0)
    k = 1.0
    while True:
        for side in (-2.0, 2.0):
            rough = g[0] * k * (k + side * f[0])
            if rough > _DOUBLE_ENOUGH:
                total = add(total, (math.exp(-rough), 0.0, 0.0))
            else:
                distance = scale(add((k, 0.0, 0.0), scale(f, side)), -k)
                total = add(total, exp(multiply(g, distance)))
        k += 1.0
        if g[0] * k * (k - 2.0 * f[0]) > _NEGLIGIBLE:
            return total


@kernel
def product_triple(g: np.ndarray, normaliser: np.ndarray, count: np.ndarray, f: np.ndarray) -> Triple:
    """Product of phi(f_c) ** count_c over distinct rhos c, in triple-double arithmetic.

    g, normaliser: [d, 3]; count: [d]; f: [d, 3], angles in turns, each in [-1/2, 1/2]. The relative error is
    below 2**-130 (1 + E) + 2**-146 (number of cells), E = sum count g f^2,
    if the product is above e^-500.
    """
    exponent = (0.0, 0.0, 0.0)
    product = (1.0, 0.0, 0.0)
    for c in range(g.shape[0]):
        g_c, f_c = at(g[c]), at(f[c])
        if f_c[0] < 0.0:
            f_c = negate(f_c)
        exponent = add(exponent, scale(multiply(g_c, multiply(f_c, f_c)), -count[c]))
        ratio = multiply(add((1.0, 0.0, 0.0), excess_triple(g_c, f_c)), at(normaliser[c]))
        part, binary = scaled_power(ratio, int(count[c]))
        product = multiply(product, part)
        exponent = add(exponent, scale(LN2, binary))
    return multiply(exp(exponent), product)


@kernel
def log_product(g: np.ndarray, log_normaliser: np.ndarray, count: np.ndarray, f: np.ndarray) -> float:
    """ln of the product of phi(f_c) ** count_c, in double precision.

    g, log_normaliser (of 1 + s(0)), count, f: [d]. The absolute error is below 2**-46 (1 + E + number of
    cells 2**-4).
    """
    total = 0.0
    for c in range(g.shape[0]):
        size = abs(f[c])
        total -= count[c] * (g[c] * size * size - math.log1p(excess(g[c], size)) + log_normaliser[c])
    return total
