"""The exact law of a mechanism with few outputs, and the one check of privacy that all mechanisms pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kernels.uldp.domain import Domain


@dataclass(frozen=True, slots=True)
class Output:
    """One output: its class, the sensitive symbols it supports, the symbol it names (or None), and whatever
    else tells it from outputs with the same meaning, such as a hash function."""

    group: int
    support: tuple[int, ...]
    named: int | None = None
    detail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Law:
    """Q(y|x): for every output that can occur, the probabilities by symbol x = 0 .. w-1."""

    domain: Domain
    columns: Mapping[Output, Sequence[Fraction]]


def naming(
    domain: Domain, probability: Fraction, output: Output = Output(0, ())
) -> dict[Output, list[Fraction]]:
    """Outputs that name a symbol which is not sensitive, each with this probability for it and 0 for others;
    output: what else they say."""
    return {
        replace(output, named=x): [probability if y == x else Fraction(0) for y in range(domain.symbols)]
        for x in range(domain.sensitive, domain.symbols)
    }


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong, in one sentence, and the output at fault (None where it is a symbol)."""

    reason: str
    output: Output | None = None


def violations(law: Law, odds: Fraction) -> list[Violation]:
    """All ways in which a law fails to be (X_S, eps)-ULDP, where e^eps = odds; none when it is.

    Every output must be protected, Q(y|x) <= odds Q(y|x') for all x, x', or invertible: exactly one x has
    Q(y|x) > 0, and x is not sensitive. Every symbol's probabilities must add up to 1. Exact.
    """
    found = []
    for x in range(law.domain.symbols):
        total = sum((column[x] for column in law.columns.values()), Fraction(0))
        if total != 1:
            found.append(Violation(f"the probabilities of symbol {x} add up to {total}, not 1"))
    for output, column in law.columns.items():
        reason = _fault(law.domain, column, odds)
        if reason:
            found.append(Violation(reason, output))
    return found


def _fault(domain: Domain, column: Sequence[Fraction], odds: Fraction) -> str:
    if min(column) < 0:
        return "a probability is negative"
    holders = [x for x, probability in enumerate(column) if probability > 0]
    if len(holders) == 1 and holders[0] >= domain.sensitive:
        return ""
    least, most = min(column), max(column)
    if most <= odds * least:
        return ""
    x, other = column.index(most), column.index(least)
    if len(holders) == 1:
        return f"only the sensitive symbol {x} can cause it"
    ratio = "without bound" if least == 0 else f"by the factor {float(most / least):.6g}"
    return f"it is likelier {ratio} for symbol {x} than for {other}; allowed: {float(odds):.6g}"
