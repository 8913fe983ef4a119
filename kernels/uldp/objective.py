"""The best mixture of block sizes at one alpha: min over the simplex of the convex sum_i c_i / (d_i . t).

Pairwise Frank-Wolfe steps with exact line search. Started at the best single size they need few steps, since
the optimum has very few sizes (three at most: with three terms it lies on a face of dimension two).
"""

from __future__ import annotations

import numpy as np

from kernels.uldp.tradeoff import Floats, Mixture, Terms

_STEPS = 200
_BISECTIONS = 200
_ROUNDING = 4e-16


def best_mixture(terms: Terms, start: Mixture) -> Mixture:
    """The minimising mixture, from `start` or from the best single size, whichever is better."""
    single = {int(np.argmin((terms.c[:, None] / terms.d).sum(axis=0))): 1.0}
    mixture = start if start and terms.value(start) < terms.value(single) else single
    for _ in range(_STEPS):
        scores = terms.scores(mixture)
        toward = int(np.argmax(scores))
        away = min(mixture, key=lambda position: scores[position])
        if scores[toward] <= scores[away] * (1 + _ROUNDING):
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
