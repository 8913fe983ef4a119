"""What designs and estimators promise, checked exactly and the long way round: by counting and by adding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kernels.uldp.designs import Design
from kernels.uldp.domain import Domain
from kernels.uldp.estimator import ReportClass, Weights
from kernels.uldp.law import Law, Output


def is_balanced(design: Design) -> bool:
    """Whether the listed blocks have the shares that the design claims, for every point and pair of
    points."""
    blocks = [set(block) for block in design.listed()]
    if len(blocks) != design.count or (design.size and any(len(block) != design.size for block in blocks)):
        return False
    for x in range(design.v):
        holding = [block for block in blocks if x in block]
        missing = [block for block in blocks if x not in block]
        if len(holding) != design.share * len(blocks):
            return False
        for s in range(design.v):
            if s != x and (
                sum(s in block for block in holding) != design.together * len(holding)
                or sum(s in block for block in missing) != design.apart * len(missing)
            ):
                return False
    return True


def is_unbiased(domain: Domain, classes: Sequence[ReportClass], weights: Sequence[Weights]) -> bool:
    """Whether the expected estimate is P for every P, exactly."""
    own, other, outside, for_sensitive, named, elsewhere = (Fraction(0) for _ in range(6))
    for c, weight in zip(classes, weights, strict=True):
        a, b, constant = weight.sensitive
        d, e, base = weight.others
        own += c.share * (a * c.own + constant)
        other += c.share * (a * c.other + constant)
        outside += c.share * (a * c.outside + b * c.named + constant)
        for_sensitive += c.share * base
        named += c.share * (c.named * (d + e) + base)
        elsewhere += c.share * (c.named * e + base)
    v, others = domain.sensitive, domain.others
    return (
        own == 1
        and (v == 1 or other == 0)
        and (not others or (outside == for_sensitive == 0 and named == 1))
        and (others < 2 or elsewhere == 0)
    )


def expected_estimate(law: Law, weights: Sequence[Weights], x: int) -> list[Fraction]:
    """The expected estimate of P when all clients hold x. Unbiased means 1 at x and 0 elsewhere."""
    total = [Fraction(0)] * law.domain.symbols
    for output, column in law.columns.items():
        if column[x]:
            added = contribution(law.domain, weights, output)
            total = [sum_ + column[x] * part for sum_, part in zip(total, added, strict=True)]
    return total


def error_by_law(law: Law, weights: Sequence[Weights], distribution: Sequence[Fraction]) -> Fraction:
    """n E||P_hat - P||^2 at P, by adding over all outputs."""
    total = -sum((p * p for p in distribution), Fraction(0))
    for output, column in law.columns.items():
        probability = sum((p * q for p, q in zip(distribution, column, strict=True)), Fraction(0))
        if probability:
            total += probability * sum(part**2 for part in contribution(law.domain, weights, output))
    return total


def contribution(domain: Domain, weights: Sequence[Weights], output: Output) -> list[Fraction]:
    """What one report adds to the estimate of every symbol (before the mean over clients)."""
    a, b, c = weights[output.group].sensitive
    d, e, f = weights[output.group].others
    anything = 0 if output.named is None else 1
    parts = [b * anything + c] * domain.sensitive + [e * anything + f] * domain.others
    for s in output.support:
        parts[s] += a
    if output.named is not None:
        parts[output.named] += d
    return parts
