"""Characteristic function of the discrete Gaussian, as Arb balls, from its two series."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from .balls import ball, widened


def nearest_residue(numerator: int, denominator: int) -> int:
    """The numerator reduced so that the quotient lies in [-1/2, 1/2]."""
    residue = numerator % denominator
    return residue if 2 * residue <= denominator else residue - denominator


class DirectSeries:
    """E cos(2 pi x u) with P(x) proportional to exp(-rho x^2 / 2), by summing over x. Meant for large rho."""

    def __init__(self, rho: Fraction, bits: int) -> None:
        half = ball(rho) / 2
        self.weights: list[arb] = []
        x = 1
        while (weight := 2 * (-half * x * x).exp()) >= arb(2) ** (-bits):
            self.weights.append(weight)
            x += 1
        # The omitted weights stay under a geometric series of ratio exp(-rho (x + 1/2)).
        self.rest = weight / (1 - (-half * (2 * x + 1)).exp())
        self.total = widened(1 + sum(self.weights, arb(0)), self.rest)

    def __call__(self, numerator: int, denominator: int) -> arb:
        value = arb(1)
        for x, weight in enumerate(self.weights, start=1):
            angle = 2 * x * nearest_residue(numerator, denominator)
            value += weight * arb.cos_pi_fmpq(fmpq(angle, denominator))
        return widened(value, self.rest) / self.total


class PoissonSeries:
    """The same after Poisson summation: sum_k exp(-2 pi^2 (u - k)^2 / rho), normalised. For small rho.

    The term of index k is exp(-scale u^2) exp(-scale k^2) exp(2 scale u k), so two
    exponentials serve all terms.
    """

    def __init__(self, rho: Fraction, bits: int) -> None:
        self.scale = 2 * arb.pi() ** 2 / ball(rho)
        self.constants: list[arb] = []
        # |u| <= 1/2, so the two terms of index k together are at most 2 exp(-scale (k - 1/2)^2).
        while (edge := self._edge(len(self.constants) + 1)) >= arb(2) ** (-bits):
            self.constants.append((-self.scale * (len(self.constants) + 1) ** 2).exp())
        self.rest = edge / (1 - (-self.scale * 2 * (len(self.constants) + 1)).exp())
        self.total = widened(1 + 2 * sum(self.constants, arb(0)), self.rest)

    def _edge(self, k: int) -> arb:
        return 2 * (-self.scale * (2 * k - 1) ** 2 / 4).exp()

    def __call__(self, numerator: int, denominator: int) -> arb:
        u = arb(nearest_residue(numerator, denominator)) / denominator
        value = arb(1)
        if self.constants:
            growth = (2 * self.scale * u).exp()
            up = down = arb(1)
            for constant in self.constants:
                up, down = up * growth, down / growth
                value += constant * (up + down)
        return widened((-self.scale * u * u).exp() * value, self.rest) / self.total


def characteristic_function(rho: Fraction, bits: int) -> DirectSeries | PoissonSeries:
    """The characteristic function at numerator / denominator turns, to an absolute radius near 2^-bits."""
    return DirectSeries(rho, bits) if rho > 6 else PoissonSeries(rho, bits)
