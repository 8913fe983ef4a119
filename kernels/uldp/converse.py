"""Why no mechanism does better than M*: the Cramer-Rao sum of any mechanism, and its extremal refinement.

At P_alpha (alpha shared evenly by the sensitive symbols, the rest by the others) no estimator from the
outputs of Q has an asymptotic n E||P_hat - P||^2 below tr J^-1, J the Fisher information on the directions
that add up to 0. Splitting these into those within the sensitive symbols, those within the others and the one
between, tr J^-1 is at least the Cramer-Rao sum

    (v-1)^2 / tr J_1  +  (w-v-1)^2 / tr J_2  +  (1/v + 1/(w-v)) / J_3,

each a ratio of output sums (arXiv 2509.24173). Any ULDP mechanism can be made extremal without losing
information, and the sum of an extremal mechanism is M(alpha, t), t its sizes; so no sum at alpha* is below
M*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf

import numpy as np

from kernels.uldp.domain import Domain
from kernels.uldp.law import Law, Output, naming

_SINGULAR = 1e-12
_Part = Callable[[Sequence[Fraction]], Fraction]


def cramer_rao_sum(law: Law, alpha: Fraction) -> Fraction | float:
    """The Cramer-Rao sum at P_alpha, exactly; infinite if the outputs tell nothing about a part."""
    v, others = law.domain.sensitive, law.domain.others
    between = Fraction(1, v) + Fraction(1, others) if others else Fraction(0)
    directions: list[tuple[Fraction, _Part]] = [  # number squared, or squared length; what a column tells
        (Fraction(v - 1) ** 2, lambda column: _spread(column[:v])),
        (Fraction(max(others - 1, 0)) ** 2, lambda column: _spread(column[v:])),
        (between, lambda column: _contrast(column, v)),
    ]
    total = Fraction(0)
    distribution = law.domain.uniform_parts(alpha)
    for numerator, part in directions:
        if not numerator:
            continue
        information = _information(law, distribution, part)
        if information == 0:
            return inf
        total += 0 if information is None else numerator / information
    return total


def efficient_error(law: Law, alpha: float) -> float:
    """tr J^-1 at P_alpha, 0 < alpha < 1 (or v = w): what the best estimator reaches asymptotically; infinite
    if the outputs tell nothing about some direction."""
    distribution = np.array([float(p) for p in law.domain.uniform_parts(Fraction(alpha))])
    columns = np.array([[float(q) for q in column] for column in law.columns.values()]).T  # [w, outputs]
    columns = columns[:, distribution @ columns > 0]
    information = (columns / (distribution @ columns)) @ columns.T
    w = law.domain.symbols
    basis = np.linalg.qr(np.eye(w) - 1 / w)[0][:, : w - 1]  # orthonormal, adding up to 0
    values = np.linalg.eigvalsh(basis.T @ information @ basis)
    return float((1 / values).sum()) if values[0] > _SINGULAR * values[-1] else inf


def extremal(law: Law, odds: Fraction) -> Law:
    """An extremal mechanism from which the given ULDP mechanism follows by processing its outputs.

    Every protected output is divided into outputs with the values 1 and e (times a constant), which are e on
    a set of sensitive symbols, the layers of the column; symbols that are not sensitive get the least that
    privacy allows, and what is left of them names them.
    """
    domain = law.domain
    layers: dict[tuple[int, ...], Fraction] = {}
    for output, column in law.columns.items():
        if output.named is None:
            for support, weight in _layers(column[: domain.sensitive], odds):
                layers[support] = layers.get(support, Fraction(0)) + weight
    return extremal_law(domain, odds, layers)


def extremal_law(domain: Domain, odds: Fraction, layers: dict[tuple[int, ...], Fraction]) -> Law:
    """The mechanism with outputs of the values weight (outside `support`) and weight e (inside), by support.

    It is one where each sensitive symbol's probabilities add up to 1.
    """
    v, others = domain.sensitive, domain.others
    columns: dict[Output, Sequence[Fraction]] = {
        Output(0, support): [weight * (odds if s in support else 1) for s in range(v)] + [weight] * others
        for support, weight in layers.items()
    }
    left = 1 - sum(layers.values(), Fraction(0))
    return Law(domain, columns | naming(domain, left))


def size_shares(law: Law, odds: Fraction) -> dict[int, Fraction]:
    """t of an extremal mechanism: t_k is the weight of its supports of size k, times (k (e - 1) + v) / v."""
    v = law.domain.sensitive
    shares: dict[int, Fraction] = {}
    for output, column in law.columns.items():
        if output.named is None:
            k, weight = len(output.support), max(column[:v]) / odds
            shares[k] = shares.get(k, Fraction(0)) + weight * (k * (odds - 1) + v) / v
    return shares


def _information(law: Law, distribution: Sequence[Fraction], part: _Part) -> Fraction | None:
    """Fisher information: the sum over outputs of part(column) / probability; None where it is infinite."""
    total = Fraction(0)
    for column in law.columns.values():
        amount = part(column)
        probability = sum((p * q for p, q in zip(distribution, column, strict=True)), Fraction(0))
        if amount and not probability:
            return None
        total += amount / probability if amount else 0
    return total


def _spread(values: Sequence[Fraction]) -> Fraction:
    """Sum of squares about the mean."""
    return sum((x * x for x in values), Fraction(0)) - sum(values, Fraction(0)) ** 2 / len(values)


def _contrast(column: Sequence[Fraction], v: int) -> Fraction:
    """Square of the difference of the two parts' means."""
    inside, outside = column[:v], column[v:]
    return (sum(inside, Fraction(0)) / v - sum(outside, Fraction(0)) / len(outside)) ** 2


def _layers(values: Sequence[Fraction], odds: Fraction) -> list[tuple[tuple[int, ...], Fraction]]:
    """Sets and weights with values[s] = sum of weight (odds if s in set else 1); the sets are nested and not
    empty."""
    base = max(values) / odds
    if base == 0:
        return []
    height = [(value / base - 1) / (odds - 1) for value in values]  # in [0, 1], 1 somewhere
    result, below = [], Fraction(0)
    for level in sorted(set(height) - {Fraction(0)}):
        support = tuple(s for s, each in enumerate(height) if each >= level)
        result.append((support, base * (level - below)))
        below = level
    return result
