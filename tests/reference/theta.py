"""Characteristic function of the discrete Gaussian, as Arb balls, from its two series."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from .balls import ball, widened


def nearest_residue(turns: Fraction) -> Fraction:
    """The turn reduced to [-1/2, 1/2)."""
    return (turns + Fraction(1, 2)) % 1 - Fraction(1, 2)


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

    def __call__(self, turns: Fraction) -> arb:
        value = arb(1)
        for x, weight in enumerate(self.weights, start=1):
            angle = 2 * turns * x
            value += weight * arb.cos_pi_fmpq(fmpq(angle.numerator, angle.denominator))
        return widened(value, self.rest) / self.total


class PoissonSeries:
    """The same after Poisson summation: sum_k exp(-2 pi^2 (u - k)^2 / rho), normalised. For small rho."""

    def __init__(self, rho: Fraction, bits: int) -> None:
        self.scale = 2 * arb.pi() ** 2 / ball(rho)
        self.terms = 0
        # |u| <= 1/2, so the two terms of index k together are at most 2 exp(-scale (k - 1/2)^2).
        while (edge := self._edge(self.terms + 1)) >= arb(2) ** (-bits):
            self.terms += 1
        self.rest = edge / (1 - (-self.scale * 2 * (self.terms + 1)).exp())
        total = 1 + sum((2 * (-self.scale * k * k).exp() for k in range(1, self.terms + 1)), arb(0))
        self.total = widened(total, self.rest)

    def _edge(self, k: int) -> arb:
        return 2 * (-self.scale * (2 * k - 1) ** 2 / 4).exp()

    def __call__(self, turns: Fraction) -> arb:
        u = ball(nearest_residue(turns))
        value = (-self.scale * u * u).exp()
        for k in range(1, self.terms + 1):
            value += (-self.scale * (u - k) ** 2).exp() + (-self.scale * (u + k) ** 2).exp()
        return widened(value, self.rest) / self.total


def characteristic_function(rho: Fraction, bits: int) -> DirectSeries | PoissonSeries:
    """The characteristic function as a callable of the angle in turns, to an absolute radius near 2^-bits."""
    return DirectSeries(rho, bits) if rho > 6 else PoissonSeries(rho, bits)
