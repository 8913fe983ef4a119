"""Other ways to the same curve: the rule over all N nodes, with mpmath or in double precision, and direct
convolution, in double precision or with exact integers."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np

from kernels.accounting.composition import Composition
from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.nodes import theta
from kernels.numerics.nodes.plan import Plan
from tests.reference.convolution import Law, cell_law, power, times

_CUT = 1e-42  # probabilities left out by the convolution in double precision


def smooth_modulus(plan: Plan) -> int:
    """The least N at or above the plan's without prime factors over 5: the rule holds for it too, and an FFT
    over its nodes is fast."""
    return min(
        2**a * 3**b * 5**c
        for b in range(16)
        for c in range(12)
        for a in [max(0, (-(-plan.modulus // (3**b * 5**c)) - 1).bit_length())]
    )


def mpmath_coefficients(plan: Plan, rhos: list[Fraction], n: int, stride: int) -> list[mpmath.mpf]:
    """The coefficients of one tail at every stride-th of the nodes p = 1, 3, 5, ... <= n, by the theta series
    as they stand, with 50 digits."""
    with mpmath.workdps(50):
        scales = [2 * mpmath.pi**2 * rho.denominator / rho.numerator for rho in rhos]

        def series(g: mpmath.mpf, f: mpmath.mpf) -> mpmath.mpf:
            total, k = mpmath.mpf(1), 1
            while True:
                term = mpmath.exp(-g * k * (k - 2 * f)) + mpmath.exp(-g * k * (k + 2 * f))
                total += term
                if term < mpmath.eps:
                    return total
                k += 1

        at_zero = [series(g, mpmath.mpf(0)) for g in scales]
        counts = [int(count) for count in plan.factors.count]
        coefficients = []
        for p in range(1, n + 1, 2 * stride):
            phi = mpmath.mpf(1)
            for g, zero, w, count in zip(scales, at_zero, plan.weights, counts, strict=True):
                rest = w * p % (2 * n)
                f = mpmath.mpf(min(rest, 2 * n - rest)) / (2 * n)
                phi *= (mpmath.exp(-g * f * f) * series(g, f) / zero) ** count
            whole = 1 if p < n else 2
            coefficients.append(phi / (whole * n * mpmath.sin(mpmath.pi * p / (2 * n))))
        return coefficients


@kernel
def _coefficients(
    modulus: int, weights: np.ndarray, g: np.ndarray, log_normaliser: np.ndarray, count: np.ndarray
) -> np.ndarray:
    result = np.empty((modulus + 1) // 2)
    f = np.empty(len(weights))
    for i in range(len(result)):
        p = 2 * i + 1
        for c in range(len(weights)):
            rest = weights[c] * p % (2 * modulus)
            f[c] = min(rest, 2 * modulus - rest) / (2.0 * modulus)
        whole = 1.0 if p < modulus else 2.0
        phi = math.exp(theta.log_product(g, log_normaliser, count, f))
        result[i] = phi / (whole * modulus * math.sin(math.pi * p / (2.0 * modulus)))
    return result


def double_coefficients(plan: Plan, n: int) -> np.ndarray:
    """The same coefficients at every node, in double precision, [(n + 1) // 2]."""
    factors = plan.factors
    weights = np.array(plan.weights)
    return _coefficients(n, weights, factors.g[:, 0].copy(), factors.log_normaliser, factors.count)


def double_curve(plan: Plan, n: int) -> np.ndarray:
    """P(S >= s) for s = 1, 2, ..., n from all nodes by one FFT, in double precision."""
    terms = np.zeros(4 * n)
    terms[1 : n + 1 : 2] = double_coefficients(plan, n)
    return 0.5 + np.fft.rfft(terms).imag[1 : 2 * n : 2]


def _trimmed(law: np.ndarray) -> np.ndarray:
    """A symmetric law without the ends that weigh less than _CUT each."""
    out = int(np.count_nonzero(np.cumsum(law) < _CUT))
    return law[out : len(law) - out]


def double_convolution(composition: Composition, spacing: Fraction) -> np.ndarray:
    """P(S >= s) for s = 1, 2, ..., by convolution of the cells' probabilities on the lattice, in double
    precision; as all terms are positive, the relative error stays near that of a double."""
    total = np.ones(1)
    for rho, count in composition.cells:
        reach = math.ceil(math.sqrt(2.0 * math.log(1.0 / _CUT) / float(rho)))
        cell = np.exp(-0.5 * float(rho) * np.arange(-reach, reach + 1.0) ** 2)
        family, square = np.ones(1), cell / cell.sum()
        for bit in reversed(f"{count:b}"):
            if bit == "1":
                family = _trimmed(np.convolve(family, square))
            square = _trimmed(np.convolve(square, square))
        stride = int(rho / spacing)
        wider = np.zeros(len(total) + stride * (len(family) - 1))
        for k, probability in enumerate(family):
            wider[stride * k : stride * k + len(total)] += probability * total
        total = _trimmed(wider)
    return np.cumsum(total[::-1])[::-1][len(total) // 2 + 1 :]


def exact_convolution(composition: Composition, bits: int = 144) -> tuple[list[int], int, int]:
    """P(S >= s) for s = 1, 2, ..., by products of integer polynomials, rounded down to units of 2^-bits; the
    mass lost to rounding, in those units; bits."""
    law: Law | None = None
    for rho, count in composition.cells:
        family = power(cell_law(rho, bits), count, bits)
        law = family if law is None else times(law, family, bits)
    assert law is not None
    tails, tail = [], 0
    for weight in law.weights[: law.reach : -1]:
        tail += weight
        tails.append(tail)
    return tails[::-1], 2**bits - sum(law.weights), bits
