"""M(alpha, t): n times the mean squared error of block mechanisms with sizes drawn from t, where the
sensitive symbols share the probability alpha evenly, and the others the rest.

M = (v-1) / sum t_k a_k/(1 + b_k alpha)  +  beta (1 - 1/(w-v)) / sum t_k r_k
    + beta (1/v + 1/(w-v)) / sum t_k b_k/(1 + b_k alpha),         beta = 1 - alpha,

with a_k = (e-1)^2 k (v-k) / ((v-1)(k(e-1) + v)), b_k = (e-1) k/v, r_k = k(e-1) / (k(e-1) + v), e = exp(eps).
The terms stand for the distribution within the sensitive symbols, within the others, and between the two
(arXiv 2509.24173; the last one is simplified by r_k / (1 - beta r_k) = b_k / (1 + b_k alpha)). All have the
form c_i / (d_i . t), which is what the solver uses. All sums are of positive numbers, so nothing cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1

import numpy as np
from numpy.typing import NDArray

from kernels.uldp.domain import Domain

Floats = NDArray[np.float64]
Mixture = dict[int, float]  # position k - 1 of a block size -> its share, positive; they add up to 1

LEAST_EPS, MOST_EPS = 1e-6, 100.0
_NOTHING = 1e-150  # stands for the zero information of k = v; its square still is a double


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms at one alpha that the domain has, m of them: M(t) = sum_i c_i / (d_i . t).

    c [m], d [m, v], and their derivatives in alpha, c_slope [m] and d_slope [m, v].
    """

    c: Floats
    d: Floats
    c_slope: Floats
    d_slope: Floats

    def totals(self, mixture: Mixture) -> Floats:
        """d_i . t for every term, [m]."""
        return _combined(self.d, mixture)

    def value(self, mixture: Mixture) -> float:
        """M(t)."""
        return float((self.c / self.totals(mixture)).sum())

    def scores(self, mixture: Mixture) -> Floats:
        """s_k = sum_i c_i d_ik / (d_i . t)^2 for every size, [v]: minus the derivatives of M, and M is their
        mean over t."""
        return (self.c / self.totals(mixture) ** 2) @ self.d

    def slope(self, mixture: Mixture) -> float:
        """The derivative of M in alpha at fixed t."""
        total = self.totals(mixture)
        bend = _combined(self.d_slope, mixture)
        return float((self.c_slope / total - self.c * bend / total**2).sum())


class Objective:
    """M(alpha, t) of one domain and eps, for all block sizes k = 1 .. v at once.

    Raises ValueError unless LEAST_EPS <= eps <= MOST_EPS, where no double overflows or loses its digits.
    """

    def __init__(self, domain: Domain, eps: float) -> None:
        if not LEAST_EPS <= eps <= MOST_EPS:
            raise ValueError(f"eps must lie between {LEAST_EPS:g} and {MOST_EPS:g}, not {eps:g}")
        v, others, growth = domain.sensitive, domain.others, expm1(eps)
        k = np.arange(1, v + 1, dtype=np.float64)
        self.domain = domain
        self.eps = eps
        self.r = k * growth / (k * growth + v)
        self.b = growth * k / v
        self.a = np.maximum(growth * self.r * ((v - k) / (v - 1)), _NOTHING) if v > 1 else np.zeros(1)
        self._weights = (1 - 1 / others, 1 / v + 1 / others) if others else (0.0, 0.0)

    def terms(self, alpha: float) -> Terms:
        """The terms at alpha."""
        v, others, beta = self.domain.sensitive, self.domain.others, 1 - alpha
        exist = np.array([v > 1, others > 1, others > 0])
        within_others, mass = self._weights
        damped = 1 / (1 + self.b * alpha)
        a, b = self.a * damped, self.b * damped
        return Terms(
            c=np.array([v - 1.0, beta * within_others, beta * mass])[exist],
            d=np.stack([a, self.r, b])[exist],
            c_slope=np.array([0.0, -within_others, -mass])[exist],
            d_slope=np.stack([-a * b, np.zeros(v), -b * b])[exist],
        )


def _combined(d: Floats, mixture: Mixture) -> Floats:
    return np.asarray(sum(share * d[:, position] for position, share in mixture.items()))
