"""M*(w, v, eps) = sup over alpha of inf over t of M(alpha, t), its saddle point and the duality gap.

inf_t M is concave in alpha, so alpha* is where its slope changes sign; the slope is that of M(., t) at the
minimising t. Any pair (alpha, t) gives bounds on M*, whatever way it was found:

    M*  >=  inf_t M(alpha, t)  >=  M(alpha, t)^2 / max_k s_k,    s_k = sum_i c_i d_ik / (d_i . t)^2
    M*  <=  sup_alpha M(., t)  <=  M(alpha, t) + max(g (1 - alpha), -g alpha),    g = dM/dalpha(alpha, t)

(the first by Cauchy and Schwarz, the second because M is concave in alpha).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from kernels.errors import Refused
from kernels.uldp.domain import Domain
from kernels.uldp.objective import Floats, Mixture, Objective, Terms

LARGEST_GAP = 1e-10
_ROUNDING = 1e-15
_ITERATIONS = 500
_STEPS = _BISECTIONS = 200
_SCORE_ROUNDING = 4e-16

Regime = Literal["randomised response", "mixture", "single size"]
REGIMES: tuple[Regime, ...] = get_args(Regime)


class Unsolved(Refused):
    """No saddle point with a duality gap within LARGEST_GAP was found."""


@dataclass(frozen=True, slots=True)
class Saddle:
    """A saddle point, with M* in [lower, upper] but for rounding (bounds.py leaves no rounding out).

    sizes: the block sizes k that have a share, ascending; shares: their t_k, which add up to 1.
    """

    domain: Domain
    eps: float
    m_star: float
    lower: float
    upper: float
    alpha: float
    sizes: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def gap(self) -> float:
        """Relative duality gap."""
        return (self.upper - self.lower) / self.m_star

    @property
    def regime(self) -> Regime:
        """What the optimal mechanism looks like: uRR (k = 1 alone), several sizes, or one size k >= 2."""
        if len(self.sizes) > 1:
            return "mixture"
        return "randomised response" if self.sizes == (1,) else "single size"


def solve(domain: Domain, eps: float) -> Saddle:
    """The saddle point. Raises ValueError unless LEAST_EPS <= eps <= MOST_EPS; Unsolved if there is a gap."""
    objective = Objective(domain, eps)
    alpha, mixture = _search(objective)
    terms = objective.terms(alpha)
    m = terms.value(mixture)
    positions = sorted(mixture)
    saddle = Saddle(
        domain=domain,
        eps=eps,
        m_star=m,
        lower=m * min(1.0, m / float(terms.scores(mixture).max())),
        upper=m + _excess(terms, mixture, alpha),
        alpha=alpha,
        sizes=tuple(position + 1 for position in positions),
        shares=tuple(mixture[position] for position in positions),
    )
    if not saddle.gap <= LARGEST_GAP:
        w, v = domain.symbols, domain.sensitive
        raise Unsolved(f"the duality gap is {saddle.gap:.1e} at w = {w}, v = {v}, eps = {eps:g}")
    return saddle


def _search(objective: Objective) -> tuple[float, Mixture]:
    """Where the slope of inf_t M changes sign, or an end of [0, 1], and the best mixture there."""
    mixture: Mixture = {}

    def slope(alpha: float) -> float:
        nonlocal mixture
        terms = objective.terms(alpha)
        mixture = best_mixture(terms, mixture)
        found = _excess(terms, mixture, alpha) <= _ROUNDING * terms.value(mixture)
        return 0.0 if found else terms.slope(mixture)

    at_one = slope(1.0)
    if at_one == 0:
        return 1.0, mixture
    at_zero = slope(0.0)
    if at_zero == 0:
        return 0.0, mixture
    alpha = _root(slope, at_zero, at_one)
    return alpha, best_mixture(objective.terms(alpha), mixture)


def _excess(terms: Terms, mixture: Mixture, alpha: float) -> float:
    """What M at another alpha can exceed M at this one by."""
    slope = terms.slope(mixture)
    return max(slope * (1 - alpha), -slope * alpha)


def _root(function: Callable[[float], float], at_zero: float, at_one: float) -> float:
    """Where a function that falls from at_zero > 0 to at_one < 0 is zero in [0, 1]: Chandrupatla's method."""
    a, fa, b, fb = 1.0, at_one, 0.0, at_zero
    c, fc = a, fa
    share = 0.5
    for _ in range(_ITERATIONS):
        x = a + share * (b - a)
        if x in (a, b):
            break
        fx = function(x)
        if fx == 0:
            return x
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            share = 0.5
        least = 2.0**-53 * abs(a) / abs(b - a)
        share = min(max(share, least), 1 - least) if least < 0.5 else 0.5
    return a if abs(fa) < abs(fb) else b


def best_mixture(terms: Terms, start: Mixture) -> Mixture:
    """The mixture that minimises the convex M(alpha, .), from `start` or the best single size.

    Pairwise Frank-Wolfe steps with exact line search. Few are needed, since the optimum has three sizes at
    most: with three terms it lies on a face of dimension two.
    """
    single = {int(np.argmin((terms.c[:, None] / terms.d).sum(axis=0))): 1.0}
    mixture = start if start and terms.value(start) < terms.value(single) else single
    for _ in range(_STEPS):
        scores = terms.scores(mixture)
        toward = int(np.argmax(scores))
        away = min(mixture, key=lambda position: scores[position])
        if scores[toward] <= scores[away] * (1 + _SCORE_ROUNDING):
            break
        change = terms.d[:, toward] - terms.d[:, away]
        step = _line_search(terms.c, terms.totals(mixture), change, mixture[away])
        if step <= 0:
            break
        mixture = _moved(mixture, away, toward, step)
    return mixture


def _moved(mixture: Mixture, away: int, toward: int, step: float) -> Mixture:
    moved = dict(mixture)
    moved[toward] = moved.get(toward, 0.0) + step
    moved[away] -= step
    if moved[away] <= 0:
        del moved[away]
    return moved


def _line_search(c: Floats, total: Floats, change: Floats, most: float) -> float:
    """The step in [0, most] that minimises sum_i c_i / (total_i + step change_i), to the last bits."""

    def descent(step: float) -> float:
        with np.errstate(divide="ignore"):  # at the end a total can become 0: infinitely steep uphill
            return float((c * change / (total + step * change) ** 2).sum())

    if descent(most) >= 0:
        return most
    low, high = 0.0, most
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if descent(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
