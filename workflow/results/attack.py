"""attack.csv: what the stored curves mean to an attacker, one row per pair and false-positive rate.

Nothing is computed anew: false-negative rates come from the stored trade-off function by chords and tangents,
the advantage from the stored privacy profile at eps = 0. docs/results.md says what every column means.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from kernels.accounting.attack import FALSE_POSITIVE_RATES, odds_factor
from kernels.accounting.tradeoff.tabulated import Curve
from kernels.intervals.interval import DOWN, NEAREST, UP, Interval, from_triple
from kernels.intervals.text import down, up
from workflow.results.result import StoredResult
from workflow.results.tables import DIGITS

ATTACK = (
    *("first", "second", "first_name", "second_name", "alpha"),
    *(
        "miss_rate",
        "miss_rate_lower",
        "miss_rate_upper",
        "odds_factor",
        "odds_factor_lower",
        "odds_factor_upper",
    ),
    *("advantage", "advantage_lower", "advantage_upper"),
)
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
        return Interval(delta, lower, upper).clipped(Decimal(0), Decimal(1))

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
        return (1 - missed).clipped(Decimal(0), Decimal(1))


def attack_rows(result: StoredResult, names: dict[str, str]) -> Iterator[dict[str, str]]:
    """The rows of attack.csv for one pair. `names` maps bypass patterns to M00, M01, ..."""
    identity, attack = result.identity, StoredAttack(result)
    for alpha in FALSE_POSITIVE_RATES:
        miss = attack.miss_rate(alpha)
        yield {
            "first": identity.first,
            "second": identity.second,
            "first_name": names[identity.first],
            "second_name": names[identity.second],
            "alpha": str(float(alpha)),
            **_columns("miss_rate", miss, down(miss.lower, DIGITS)),
            **_upward("odds_factor", odds_factor(alpha, miss)),
            **_upward("advantage", attack.advantage),
        }


def _upward(name: str, number: Interval) -> dict[str, str]:
    return _columns(name, number, up(number.upper, DIGITS))


def _columns(name: str, number: Interval, safe: str) -> dict[str, str]:
    """The safe figure, and the interval rounded outward."""
    return {
        name: safe,
        f"{name}_lower": down(number.lower, DIGITS),
        f"{name}_upper": up(number.upper, DIGITS),
    }
