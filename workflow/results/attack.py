"""attack.csv: what the stored curves mean to an attacker, one row per pair and false-positive rate.

Nothing is computed anew: false-negative rates come from the stored trade-off function by chords and tangents,
the advantage from the stored privacy profile at eps = 0. docs/results.md says what every column means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Annotated, Self

import numpy as np

from kernels.accounting.attack import FALSE_POSITIVE_RATES, odds_factor
from kernels.accounting.tradeoff.tabulated import Curve
from kernels.intervals.interval import DOWN, NEAREST, UP, Interval, from_triple
from workflow.results.curves import StoredResult
from workflow.results.tables import Column, Down, RowOfPair, Up

_NEIGHBOURS = 4  # stored points on either side of an alpha, more than its chord and tangents need


class StoredAttack:
    """What a stored result says about attacks."""

    def __init__(self, result: StoredResult) -> None:
        self._result = result
        self._falling = result.alpha[:, 0]

    def miss_rate(self, alpha: Fraction) -> Interval:
        """f(alpha), 0 <= alpha <= 1."""
        result = self._result
        place = int(np.searchsorted(-self._falling, -float(alpha)))
        start, stop = max(place - _NEIGHBOURS, 0), place + _NEIGHBOURS
        near = Curve(
            result.threshold_first + start * result.threshold_step,
            result.threshold_step,
            result.alpha[start:stop],
            result.beta[start:stop],
            result.absolute_bound,
        )
        return near.at(alpha)

    @cached_property
    def advantage(self) -> Interval:
        """delta(0): eps = 0 is the first point of every stored profile."""
        delta, error = Decimal(float(self._result.delta[0])), Decimal(float(self._result.relative_bound[0]))
        lower = DOWN.multiply(delta, DOWN.subtract(1, error)) if error.is_finite() else Decimal(0)
        upper = UP.multiply(delta, UP.add(1, error)) if error.is_finite() else Decimal(1)
        return Interval(delta, lower, upper).clipped()

    def exceeded(self, eps: Interval) -> Interval:
        """Q(T > eps), between the values at the stored thresholds around eps."""
        result, step = self._result, self._result.threshold_step
        last = len(result.beta) - 1
        before = (
            floor((Fraction(eps.lower) - result.threshold_first) / step) if eps.lower.is_finite() else last
        )
        after = (
            ceil((Fraction(eps.upper) - result.threshold_first) / step) if eps.upper.is_finite() else last + 1
        )
        upper = self._power(before).upper if before >= 0 else Decimal(1)
        lower = self._power(after).lower if after <= last else Decimal(0)
        return Interval(NEAREST.divide(NEAREST.add(lower, upper), 2), lower, upper)

    def _power(self, place: int) -> Interval:
        """Q(T > tau) at one stored threshold."""
        place = min(max(place, 0), len(self._result.beta) - 1)
        missed = from_triple(self._result.beta[place].tolist(), self._result.absolute_bound)
        return (1 - missed).clipped()


@dataclass(frozen=True, slots=True)
class AttackRow(RowOfPair):
    """A row of attack.csv: one pair at one false-positive rate."""

    alpha: Annotated[Fraction, Column(lambda alpha: str(float(alpha)), Fraction)]
    miss_rate: Down
    miss_rate_lower: Down
    miss_rate_upper: Up
    odds_factor: Up
    odds_factor_lower: Down
    odds_factor_upper: Up
    advantage: Up
    advantage_lower: Down
    advantage_upper: Up

    @classmethod
    def rows_of(cls, result: StoredResult, names: dict[str, str]) -> Iterator[Self]:
        """The rows of one pair. `names` maps bypass patterns to M00, M01, ..."""
        first, second = result.identity.first, result.identity.second
        attack = StoredAttack(result)
        for alpha in FALSE_POSITIVE_RATES:
            miss, advantage = attack.miss_rate(alpha), attack.advantage
            odds = odds_factor(alpha, miss)
            yield cls(
                *(first, second, names[first], names[second], alpha),
                *(miss.lower, miss.lower, miss.upper),
                *(odds.upper, odds.lower, odds.upper),
                *(advantage.upper, advantage.lower, advantage.upper),
            )
