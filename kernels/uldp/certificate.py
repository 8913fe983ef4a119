"""Rigorous bounds on M* from a saddle point found in floating point: those of saddle.py, in ball arithmetic.

They hold for the exact rational eps, however alpha and t were found. The formulas are those of tradeoff.py,
written again, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from kernels.uldp.domain import Domain
from kernels.uldp.saddle import Saddle

_BITS = 128


@dataclass(frozen=True, slots=True)
class Bounds:
    """lower <= M* <= upper, exact rationals with denominators that are powers of two; value: M at the saddle
    point, between them."""

    value: Fraction
    lower: Fraction
    upper: Fraction

    @property
    def gap(self) -> float:
        """Relative width: the certified duality gap, rounding included."""
        return float((self.upper - self.lower) / self.lower)


@dataclass(frozen=True, slots=True)
class _Term:
    """c / (d . t), where c is the weight, times 1 - alpha if it fades; d and its slope in alpha by k - 1."""

    weight: arb
    fades: bool
    d: list[arb]
    d_slope: list[arb]


def certify(saddle: Saddle, eps: Fraction) -> Bounds:
    """Bounds on M* of the saddle point's domain at exactly `eps`."""
    with ctx.workprec(_BITS):
        shares = [Fraction(share) for share in saddle.shares]
        mixture = {k - 1: _ball(share / sum(shares)) for k, share in zip(saddle.sizes, shares, strict=True)}
        alpha = Fraction(saddle.alpha)
        terms = list(_terms(saddle.domain, _ball(eps).expm1(), _ball(alpha)))
        m, slope = arb(0), arb(0)
        scores = [arb(0)] * saddle.domain.sensitive
        for term in terms:
            total, bend = _combined(term.d, mixture), _combined(term.d_slope, mixture)
            c = term.weight * _ball(1 - alpha) if term.fades else term.weight
            m += c / total
            slope -= (term.weight / total if term.fades else 0) + c * bend / total**2
            if c != 0:
                factor = c / total**2
                scores = [score + factor * d for score, d in zip(scores, term.d, strict=True)]
        largest = max(score.upper() for score in scores)
        excess = max((slope * _ball(1 - alpha)).upper(), (-slope * _ball(alpha)).upper())
        return Bounds(_exact(m.mid()), _exact((m**2 / largest).lower()), _exact((m + excess).upper()))


def _terms(domain: Domain, growth: arb, alpha: arb) -> Iterable[_Term]:
    """The terms that the domain has; growth = e - 1."""
    v, others = domain.sensitive, domain.others
    sizes = range(1, v + 1)
    b = [growth * k / v for k in sizes]
    r = [each / (1 + each) for each in b]
    mass = [each / (1 + each * alpha) for each in b]
    if v > 1:
        within = [growth * r[k - 1] * (v - k) / ((v - 1) * (1 + b[k - 1] * alpha)) for k in sizes]
        yield _Term(arb(v - 1), False, within, [-x * y for x, y in zip(within, mass, strict=True)])
    if others > 1:
        yield _Term(_ball(1 - Fraction(1, others)), True, r, [arb(0)] * v)
    if others > 0:
        yield _Term(_ball(Fraction(1, v) + Fraction(1, others)), True, mass, [-x * x for x in mass])


def _combined(d: list[arb], mixture: dict[int, arb]) -> arb:
    return sum((share * d[position] for position, share in mixture.items()), arb(0))


def _ball(number: Fraction | int) -> arb:
    exact = Fraction(number)
    return arb(fmpq(exact.numerator, exact.denominator))


def _exact(number: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in number.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent
