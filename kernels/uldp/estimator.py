"""Linear estimators: what one report adds to the estimated probability of each symbol, and how well that
does.

A report has a public class j (for instance its block size). It supports a set of sensitive symbols, and it
may name the client's symbol, if that is not sensitive. The estimate of P is the mean over clients of

    A_j 1{s supported} + B_j 1{something named} + C_j        for a sensitive symbol s,
    D_j 1{x named}     + E_j 1{something named} + F_j        for another symbol x.

All mechanisms treat symbols of the same kind alike, so few probabilities decide bias and variance, exactly
and for any number of symbols. n E||P_hat - P||^2 does not depend on n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kernels.uldp.domain import Domain


@dataclass(frozen=True, slots=True)
class ReportClass:
    """Probabilities of what a report of one class tells, all exact.

    share: that a report is of this class. own, other, outside: that it supports a given sensitive symbol
    which is the client's own, where the client has another sensitive one, where the client's is not
    sensitive. named, both: that it names the client's symbol, that it also supports a given sensitive symbol.
    """

    share: Fraction
    own: Fraction
    other: Fraction
    outside: Fraction
    named: Fraction
    both: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Weights:
    """A, B, C (sensitive) and D, E, F (others) of one class."""

    sensitive: tuple[Fraction, Fraction, Fraction]
    others: tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Error:
    """n E||P_hat - P||^2 of an unbiased estimator: alpha `sensitive` + (1 - alpha) `others` - ||P||^2, where
    alpha is the probability of the sensitive symbols."""

    domain: Domain
    sensitive: Fraction
    others: Fraction

    def at(self, distribution: Sequence[Fraction]) -> Fraction:
        """The error at P, sensitive symbols first."""
        alpha = sum(distribution[: self.domain.sensitive], Fraction(0))
        squares = sum((p * p for p in distribution), Fraction(0))
        return alpha * self.sensitive + (1 - alpha) * self.others - squares

    def at_uniform(self, alpha: Fraction) -> Fraction:
        """The error where P is uniform within the sensitive symbols and within the others: the largest one
        for this alpha."""
        linear = alpha * self.sensitive + (1 - alpha) * self.others
        rest = (1 - alpha) ** 2 / self.domain.others if self.domain.others else 0
        return linear - alpha**2 / self.domain.sensitive - rest

    @property
    def worst_alpha(self) -> Fraction:
        """The alpha at which the error is largest."""
        v, others = self.domain.sensitive, self.domain.others
        if not others:
            return Fraction(1)
        curvature = Fraction(1, v) + Fraction(1, others)
        top = ((self.sensitive - self.others) / 2 + Fraction(1, others)) / curvature
        return min(max(top, Fraction(0)), Fraction(1))

    @property
    def worst(self) -> Fraction:
        """The largest error over all P."""
        return self.at_uniform(self.worst_alpha)


def error(domain: Domain, classes: Sequence[ReportClass], weights: Sequence[Weights]) -> Error:
    """The exact error of an estimator, from second moments of what a report adds. The estimator must be
    unbiased."""
    v, others = domain.sensitive, domain.others
    from_sensitive, from_others = Fraction(0), Fraction(0)
    for c, weight in zip(classes, weights, strict=True):
        a, b, constant = weight.sensitive
        d, e, base = weight.others
        plain, supported = constant**2, (a + constant) ** 2
        neither = 1 - c.outside - c.named + c.both
        from_sensitive += c.share * (
            c.own * supported
            + (1 - c.own) * plain
            + (v - 1) * (c.other * supported + (1 - c.other) * plain)
            + others * base**2
        )
        from_others += c.share * (
            v * c.both * (a + b + constant) ** 2
            + v * (c.outside - c.both) * supported
            + v * (c.named - c.both) * (b + constant) ** 2
            + v * neither * plain
            + c.named * ((d + e + base) ** 2 + (others - 1) * (e + base) ** 2)
            + (1 - c.named) * others * base**2
        )
    return Error(domain, from_sensitive, from_others if others else Fraction(0))


def standard_weights(c: ReportClass) -> Weights:
    """The usual unbiased estimator for one class: frequencies of support and of names, put straight.

    E[frequency of support of s] = P_s (own - other) + alpha other + (1 - alpha) outside, and names tell
    alpha.
    """
    gain = 1 / (c.own - c.other)
    correction = (c.other - c.outside) * gain / c.named
    return Weights((gain, correction, -c.other * gain), (1 / c.named, Fraction(0), Fraction(0)))


def score_weights(domain: Domain, classes: Sequence[ReportClass], alpha: Fraction) -> list[Weights]:
    """The score-based estimator of arXiv 2509.24173 for a mixture of block sizes, designed for `alpha`.

    Three parts: the distribution within the sensitive symbols, from centred supports weighted by
    1 / (1 + b_j alpha) = (1 - r_j) / (1 - (1 - alpha) r_j), where r_j = `named`; within the others, from
    centred names; and the mass of the sensitive symbols, from names weighted by 1 / (1 - (1 - alpha) r_j).
    """
    v, others, beta = domain.sensitive, domain.others, 1 - alpha
    u = [1 / (1 - beta * c.named) for c in classes]
    g = [(1 - c.named) * u_j for c, u_j in zip(classes, u, strict=True)]
    information = sum(c.share * g_j * (c.own - c.other) for c, g_j in zip(classes, g, strict=True))
    names = sum((c.share * c.named for c in classes), Fraction(0))
    slope = sum((c.share * c.named * u_j for c, u_j in zip(classes, u, strict=True)), Fraction(0))
    weights = []
    for c, g_j, u_j in zip(classes, g, u, strict=True):
        a = g_j / information if v > 1 else Fraction(0)
        centre = a * (c.own + (v - 1) * c.other) / v  # mean support of a protected report
        mass, per_name = alpha + u_j * beta * c.named / slope, -u_j / slope
        sensitive = (a, centre + per_name / v, mass / v - centre)
        if others:
            rest = ((1 / names), -(1 / names + per_name) / others, (1 - mass) / others)
        else:
            sensitive, rest = (a, Fraction(0), Fraction(1, v) - centre), (Fraction(0),) * 3
        weights.append(Weights(sensitive, rest))
    return weights
