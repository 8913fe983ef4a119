"""Moment generating function of one discrete Gaussian cell at complex arguments, as Arb balls.

theta(tilt, u) = E exp(tilt rho x + 2 pi i u x) with P(x) proportional to exp(-rho x^2 / 2). Completing the
square,

    theta = sum_x exp(-rho x^2 / 2 + tilt rho x + 2 pi i u x) / sum_x exp(-rho x^2 / 2),

and by Poisson summation

    theta = exp(rho tilt^2 / 2) sum_k exp(-2 pi^2 (u - k)^2 / rho + 2 pi i tilt (u - k))
            / sum_k exp(-2 pi^2 k^2 / rho).

Hence |theta(tilt, u)| <= exp(rho tilt^2 / 2) theta(0, u).
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, fmpq

from .balls import ball

_LARGE_RHO = 6  # from here on the sum over x has fewer terms


class Cell:
    """theta of one rho and one tilt, at residue / modulus turns, at the current precision of the calls."""

    def __init__(self, rho: Fraction, tilt: Fraction, bits: int) -> None:
        self.rho, self.tilt = ball(rho), tilt
        self.bits = bits
        self.direct = rho > _LARGE_RHO
        if self.direct:
            self._prepare_direct(rho)
        else:
            self._prepare_poisson(rho)

    def at(self, residue: int, modulus: int) -> arb | acb:
        """A real ball when the tilt is 0."""
        residue %= modulus
        if 2 * residue > modulus:
            residue -= modulus
        return self._direct(residue, modulus) if self.direct else self._poisson(residue, modulus)

    def _prepare_poisson(self, rho: Fraction) -> None:
        self.scale = 2 * arb.pi() ** 2 / self.rho
        self.growth = (self.rho * ball(self.tilt) ** 2 / 2).exp()
        self.fades: list[arb] = []  # exp(-scale k^2)
        # |u| <= 1/2, so both terms of index k together are at most 2 exp(-scale (k - 1/2)^2), and what
        # follows is at most a geometric series.
        k = 1
        while (edge := 2 * (-self.scale * (2 * k - 1) ** 2 / 4).exp()) >= arb(2) ** (-self.bits):
            self.fades.append((-self.scale * k * k).exp())
            k += 1
        self.rest = edge / (1 - (-self.scale * 2 * k).exp())
        total = 1 + 2 * sum(self.fades, arb(0)) + arb(0, self.rest.abs_upper())
        self.factor = self.growth / total
        if self.tilt:
            # exp(-2 pi i tilt k), k = 1, 2, ...
            self.phases = [acb.exp_pi_i(acb(-2 * k * ball(self.tilt))) for k in range(1, len(self.fades) + 1)]

    def _poisson(self, residue: int, modulus: int) -> arb | acb:
        # exp(-scale (u - k)^2) = exp(-scale u^2) exp(-scale k^2) exp(2 scale u)^k
        u = arb(fmpq(residue, modulus))
        value: arb | acb = arb(1)
        if self.fades:
            growth = (2 * self.scale * u).exp()
            shrink = 1 / growth
            up = down = arb(1)
            for position, fade in enumerate(self.fades):
                up, down = up * growth, down * shrink
                if self.tilt:
                    value += fade * (up * self.phases[position] + down / self.phases[position])
                else:
                    value += fade * (up + down)
        value = value * (-self.scale * u * u).exp()
        rest = arb(0, self.rest.abs_upper())
        if not self.tilt:
            return (value + rest) * self.factor
        turn = self.tilt * Fraction(2 * residue, modulus)
        sine, cosine = arb.sin_cos_pi_fmpq(fmpq(turn.numerator, turn.denominator))
        return (value * acb(cosine, sine) + acb(rest, rest)) * self.factor

    def _prepare_direct(self, rho: Fraction) -> None:
        # Weights exp(-rho (x - tilt)^2 / 2) from the largest, x near the tilt, outward; beyond either end
        # they are below a geometric series of ratio exp(-rho / 2).
        centre, half = round(self.tilt), self.rho / 2
        tilt = ball(self.tilt)
        least = arb(2) ** (-self.bits)

        def weight(x: int, middle: arb) -> arb:
            return (-half * (x - middle) ** 2).exp()

        def reach(start: int, middle: arb) -> int:
            away = 1
            while weight(start + away, middle) > least or weight(start - away, middle) > least:
                away += 1
            return away

        away = reach(centre, tilt)
        self.points = list(range(centre - away, centre + away + 1))
        self.weights = [weight(x, tilt) for x in self.points]
        self.rest = 2 * least / (1 - (-half).exp())
        away = reach(0, arb(0))
        total = sum((weight(x, arb(0)) for x in range(-away, away + 1)), arb(0))
        total += arb(0, self.rest.abs_upper())
        self.factor = (half * tilt**2).exp() / total

    def _direct(self, residue: int, modulus: int) -> arb | acb:
        real, imaginary = arb(0, self.rest.abs_upper()), arb(0, self.rest.abs_upper())
        for x, weight in zip(self.points, self.weights, strict=True):
            sine, cosine = arb.sin_cos_pi_fmpq(fmpq(2 * x * residue, modulus))
            real += weight * cosine
            imaginary += weight * sine
        return acb(real, imaginary) * self.factor if self.tilt else real * self.factor
