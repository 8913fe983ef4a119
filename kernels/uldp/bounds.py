"""Rigorous bounds on M*, alpha* and t* from a saddle point found in floating point, in ball arithmetic.

They hold for the exact rational eps, however alpha and t were found. M* lies within the bounds of saddle.py.
Since M(alpha*, t) >= M* for every t, and M(alpha, t*) <= M* for every alpha,

- alpha* is among the alpha with M(alpha, t) >= lower: an interval, as M is concave in alpha;
- t* is among the t with M(alpha, t) <= upper. At any t', M(alpha, t) >= M(alpha, t')^2 / sum_k s_k t_k. So
when
  M(alpha, t') > upper and no s_k but that of a size j exceeds s_i, t' being on i and j, t*_j is above t'_j.

The formulas are those of objective.py, written again, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from kernels.intervals.balls import ball
from kernels.uldp.domain import Domain
from kernels.uldp.saddle import Saddle

_BITS = 128
_FIRST_STEP = Fraction(1, 1 << 60)

Shares = Mapping[int, Fraction]  # by size k


@dataclass(frozen=True, slots=True)
class Enclosure:
    """lower <= the true value <= upper, exact rationals; value: an approximation between them."""

    value: Fraction
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, slots=True)
class Certificate:
    """Enclosures of M*, of alpha* and of the shares t*_k of the saddle point's sizes."""

    m_star: Enclosure
    alpha: Enclosure
    shares: Mapping[int, Enclosure]

    @property
    def gap(self) -> float:
        """Relative width of M*: the duality gap, rounding included."""
        return float((self.m_star.upper - self.m_star.lower) / self.m_star.lower)


def certify(saddle: Saddle, eps: Fraction) -> Certificate:
    """What is certain about M* of the saddle point's domain at exactly `eps`."""
    with ctx.workprec(_BITS):
        given = {k: Fraction(share) for k, share in zip(saddle.sizes, saddle.shares, strict=True)}
        shares = {k: share / sum(given.values()) for k, share in given.items()}
        alpha = Fraction(saddle.alpha)
        formula = _Formula(saddle.domain, ball(eps).expm1())
        m, slope = formula.value(alpha, shares), formula.slope(alpha, shares)
        scores = formula.scores(alpha, shares)
        excess = max((slope * ball(1 - alpha)).upper(), (-slope * ball(alpha)).upper())
        lower = (m**2 / max(score.upper() for score in scores)).lower()
        upper = (m + excess).upper()
        return Certificate(
            m_star=Enclosure(_exact(m.mid()), _exact(lower), _exact(upper)),
            alpha=_alpha(formula, alpha, shares, lower),
            shares=_shares(formula, alpha, shares, scores, upper),
        )


class _Formula:
    """M and its derivatives by size k = 1 .. v, as balls; growth = e - 1."""

    def __init__(self, domain: Domain, growth: arb) -> None:
        v, others = domain.sensitive, domain.others
        self.v = v
        self.b = [growth * k / v for k in range(1, v + 1)]
        self.r = [each / (1 + each) for each in self.b]
        self.a = [growth * r * (v - k) / max(v - 1, 1) for k, r in enumerate(self.r, start=1)]
        self.has = (v > 1, others > 1, others > 0)
        self.within = ball(1 - Fraction(1, others)) if others else arb(0)
        self.between = ball(Fraction(1, v) + Fraction(1, others)) if others else arb(0)

    def value(self, alpha: Fraction, shares: Shares) -> arb:
        """M(alpha, t)."""
        one, two, three = self._totals(alpha, shares)
        beta = ball(1 - alpha)
        total = arb(self.v - 1) / one if self.has[0] else arb(0)
        total += beta * self.within / two if self.has[1] else arb(0)
        return total + (beta * self.between / three if self.has[2] else arb(0))

    def slope(self, alpha: Fraction, shares: Shares) -> arb:
        """The derivative of M in alpha."""
        one, two, three = self._totals(alpha, shares)
        beta, damped = ball(1 - alpha), self._damped(alpha, shares)
        bend_one = sum(
            (ball(t) * self.a[k - 1] * self.b[k - 1] * damped[k] ** 2 for k, t in shares.items()), arb(0)
        )
        bend_three = sum((ball(t) * (self.b[k - 1] * damped[k]) ** 2 for k, t in shares.items()), arb(0))
        total = arb(self.v - 1) * bend_one / one**2 if self.has[0] else arb(0)
        total -= self.within / two if self.has[1] else arb(0)
        return total + (self.between * (beta * bend_three / three - 1) / three if self.has[2] else arb(0))

    def scores(self, alpha: Fraction, shares: Shares) -> list[arb]:
        """s_k for every size."""
        one, two, three = self._totals(alpha, shares)
        beta = ball(1 - alpha)
        first = arb(self.v - 1) / one**2 if self.has[0] else arb(0)
        second = beta * self.within / two**2 if self.has[1] else arb(0)
        third = beta * self.between / three**2 if self.has[2] else arb(0)
        share = ball(alpha)
        return [
            (first * a + third * b) / (1 + b * share) + second * r
            for a, b, r in zip(self.a, self.b, self.r, strict=True)
        ]

    def _damped(self, alpha: Fraction, shares: Shares) -> dict[int, arb]:
        return {k: 1 / (1 + self.b[k - 1] * ball(alpha)) for k in shares}

    def _totals(self, alpha: Fraction, shares: Shares) -> tuple[arb, arb, arb]:
        damped = self._damped(alpha, shares)
        parts = [(ball(t), k - 1, damped[k]) for k, t in shares.items()]
        return (
            sum((t * self.a[i] * factor for t, i, factor in parts), arb(0)),
            sum((t * self.r[i] for t, i, _ in parts), arb(0)),
            sum((t * self.b[i] * factor for t, i, factor in parts), arb(0)),
        )


def _alpha(formula: _Formula, alpha: Fraction, shares: Shares, lower: arb) -> Enclosure:
    if not formula.has[2]:
        return Enclosure(alpha, alpha, alpha)  # no other symbols: alpha is 1

    def outside(place: Fraction) -> bool:
        return bool(formula.value(place, shares) < lower)

    return Enclosure(alpha, _beyond(alpha, Fraction(0), outside), _beyond(alpha, Fraction(1), outside))


def _shares(
    formula: _Formula, alpha: Fraction, shares: Shares, scores: list[arb], upper: arb
) -> dict[int, Enclosure]:
    if len(shares) == 1:
        (only,) = shares
        rest = [scores[only - 1] - score for k, score in enumerate(scores, start=1) if k != only]
        distance = min((each.lower() for each in rest), default=arb(1))
        slack = max(score.upper() for score in scores) - formula.value(alpha, shares) ** 2 / upper
        most = _exact((slack / distance).upper()) if distance > 0 else Fraction(1)
        return {
            only: Enclosure(Fraction(1), max(1 - most, Fraction(0)) if rest else Fraction(1), Fraction(1))
        }
    if len(shares) > 2:
        return {k: Enclosure(share, Fraction(0), Fraction(1)) for k, share in shares.items()}
    first, second = shares

    def least(j: int, i: int) -> Fraction:
        """Lower bound on t*_j, i being the other size."""

        def excluded(share: Fraction) -> bool:
            return bool(formula.value(alpha, {i: 1 - share, j: share}) > upper)

        place = _beyond(shares[j], Fraction(0), excluded)
        there = formula.scores(alpha, {i: 1 - place, j: place})
        rest = (score for k, score in enumerate(there, start=1) if k not in (i, j))
        proven = there[j - 1] > there[i - 1] and all(score <= there[i - 1] for score in rest)
        return place if proven else Fraction(0)

    low = {first: least(first, second), second: least(second, first)}
    return {
        first: Enclosure(shares[first], low[first], 1 - low[second]),
        second: Enclosure(shares[second], low[second], 1 - low[first]),
    }


def _beyond(start: Fraction, end: Fraction, outside: Callable[[Fraction], bool]) -> Fraction:
    """The first of the places from start towards end, at doubling distances, that is outside; else the
    end."""
    step = _FIRST_STEP
    while step < abs(end - start):
        place = start + (step if end > start else -step)
        if outside(place):
            return place
        step *= 2
    return end


def _exact(number: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in number.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
