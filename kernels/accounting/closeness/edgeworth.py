"""The Gaussian limit corrected for the lattice: an Edgeworth expansion of the privacy loss, *not a bound*.

The loss T = sum rho_c x_c - R/2 lives on a lattice with step h. At midpoints tau between lattice points the
Fourier inversion of P(T > tau) differs from that of a smooth variable by the factor (h t/2) / sin(h t/2),
whose logarithm is (h t)^2/24 + (h t)^4/2880 + ... So the tail there is that of a smooth variable with
Sheppard's corrections of the cumulants, -h^2/12 for the second and +h^4/120 for the fourth. The third
vanishes by symmetry, and the Edgeworth expansion to the fourth cumulant is

    P(T > tau) ~ Phi(-z) + phi(z) K4 / (24 K2^2) (z^3 - 3 z),   z = (tau + R/2) / sqrt(K2).

Source: Kolassa and McCullagh, "Edgeworth series for lattice distributions" (Annals of Statistics 18, 1990).
Arb balls throughout; call inside `ctx.workprec`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from flint import arb, ctx

from kernels.accounting.composition import Composition
from kernels.intervals.balls import ball


def cell_cumulants(rho: Fraction) -> tuple[arb, arb]:
    """Second and fourth cumulant of one cell's noise N_Z(0, 1/rho).

    By Poisson summation its cumulant generating function is s^2/(2 rho) + ln(theta(s)/theta(0)) with theta(s)
    = 1 + 2 sum_k q^(k^2) cos(2 pi k s / rho), q = exp(-2 pi^2/rho): what the cumulants differ by from the
    continuous Gaussian's, 1/rho and 0, is exponentially small in 1/rho.
    """
    zeroth, second, fourth = _theta_sums(rho)
    unit = 2 * arb.pi() / ball(rho)
    bend, bend_again = -(unit**2) * second / (1 + zeroth), unit**4 * fourth / (1 + zeroth)
    return 1 / ball(rho) + bend, bend_again - 3 * bend * bend


def _theta_sums(rho: Fraction) -> tuple[arb, arb, arb]:
    """2 sum_k k^j q^(k^2) for j = 0, 2, 4, the rest of each series enclosed."""
    rate = -2 * arb.pi() ** 2 / ball(rho)
    small = arb(2) ** -(ctx.prec + 20)
    sums = [arb(0), arb(0), arb(0)]
    k = 1
    while True:
        terms = [2 * k**power * (rate * k**2).exp() for power in (0, 2, 4)]
        # Once the next term is below half of this one, every later one is: the rest is below twice this one.
        if terms[2] < small and (1 + arb(1) / k) ** 4 * (rate * (2 * k + 1)).exp() < 0.5:
            rests = [arb(0, (2 * term).upper()) for term in terms]
            return tuple(part + rest for part, rest in zip(sums, rests, strict=True))
        sums = [part + term for part, term in zip(sums, terms, strict=True)]
        k += 1


@dataclass(frozen=True)
class Expansion:
    """The expansion for one composition: R, the lattice step h, and the corrected cumulants K2, K4."""

    total: arb
    step: arb
    variance: arb
    fourth: arb

    @classmethod
    def of(cls, composition: Composition, spacing: Fraction) -> Self:
        """The expansion of a composition whose losses lie on a lattice with step `spacing`."""
        step = ball(spacing)
        variance, fourth = -(step**2) / 12, step**4 / 120
        for rho, count in composition.cells:
            second_cumulant, fourth_cumulant = cell_cumulants(rho)
            variance += count * ball(rho) ** 2 * second_cumulant
            fourth += count * ball(rho) ** 4 * fourth_cumulant
        return cls(ball(composition.total_rho), step, variance, fourth)

    def tail(self, above_mean: arb) -> arb:
        """P(T > tau) at a midpoint tau between lattice points, given tau + R/2; not a bound."""
        z = above_mean / self.variance.sqrt()
        density = (-z * z / 2).exp() / (2 * arb.pi()).sqrt()
        return (z / arb(2).sqrt()).erfc() / 2 + density * (z**3 - 3 * z) * self.fourth / (
            24 * self.variance**2
        )

    def delta(self, point: arb) -> arb:
        """delta(eps) at a lattice point eps of T; not a bound."""
        middle = point - self.step / 2
        power, false_alarms = self.tail(middle - self.total / 2), self.tail(middle + self.total / 2)
        return power - point.exp() * false_alarms
