"""M* where one block size is optimal, in closed form and exactly, for rational odds = e^eps.

Written apart from the solver, which is tested against it.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from kernels.uldp.domain import Domain


def randomised_response_limit(domain: Domain, odds: Fraction) -> Fraction:
    """max over alpha of M(alpha, t), all of t on k = 1 (uRR): never below M*, and M* where uRR is optimal.

    With one size, M is quadratic in beta = 1 - alpha, with its top at (w-v)(e + v - 1) / (w (e - 1)).
    """
    w, v, others = domain.symbols, domain.sensitive, domain.others
    growth = odds - 1
    reach = odds + v - 1
    beta = min(Fraction(1), others * reach / (w * growth))
    within_sensitive = (v - 1) * (1 + growth * (1 - beta) / v) * reach / growth**2
    if others == 0:
        return within_sensitive
    within_others = beta * (1 - Fraction(1, others)) * reach / growth
    mass = Fraction(w, v * others) * (beta * reach / growth - beta**2)
    return within_sensitive + within_others + mass


def single_size_limit(domain: Domain, odds: Fraction) -> Fraction:
    """min over t of M(1, t), all probability on the sensitive symbols as in plain local privacy: never above
    M*, and M* where v = w, or v >= 4 and eps is small. Raises ValueError for v = 1, where it is 0.

    (v-1)^2 (k e + v - k)^2 / (v k (v-k) (e-1)^2) at its smallest over k.
    """
    v = domain.sensitive
    if v == 1:
        raise ValueError("with one sensitive symbol there is no distribution within them")
    return min(
        (v - 1) ** 2 * (k * odds + v - k) ** 2 / (v * k * (v - k) * (odds - 1) ** 2) for k in range(1, v)
    )


def single_size_until(domain: Domain) -> float:
    """e^eps up to which one size k >= 2 with alpha* = 1 is optimal: where k = 1 begins to cost no more than
    k = 2 in single_size_limit. At most 1, so never reached, for v <= 3."""
    v = domain.sensitive
    return sqrt((v - 1) * (v - 2) / 2)


def randomised_response_from(domain: Domain) -> float:
    """e^eps from which uRR is optimal."""
    w = domain.symbols
    return domain.others + sqrt((w - 1) * (w - 2) / 2)
