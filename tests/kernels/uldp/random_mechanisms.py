"""Random ULDP mechanisms, exact and of no particular structure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from kernels.uldp.domain import Domain
from kernels.uldp.law import Law, Output


def random_law(domain: Domain, odds: Fraction, source: random.Random) -> Law:
    """A few random protected outputs, one more that makes the sensitive symbols' probabilities add up to 1,
    and the rest of the other symbols' on outputs of their own (sometimes two)."""
    v, others = domain.sensitive, domain.others
    columns = [_column(v, odds, source) for _ in range(source.randint(1, 6))]
    rows = [sum((column[s] for column in columns), Fraction(0)) for s in range(v)]
    # The last column is 1 - scale * rows; its largest entry is at most odds times its least.
    room = odds * max(rows) - min(rows)
    scale = min((odds - 1) / room if room else Fraction(1), 1 / max(rows)) * _share(source)
    columns = [[scale * q for q in column] for column in columns]
    columns.append([1 - scale * row for row in rows])
    tilt = _share(source) if source.random() < 0.5 else Fraction(0)
    laws: dict[Output, Sequence[Fraction]] = {}
    left = [Fraction(1)] * others
    for number, column in enumerate(columns):
        least, most = max(column) / odds, min(column)
        outside = [least + tilt * _share(source) * (most - least) for _ in range(others)]
        left = [rest - q for rest, q in zip(left, outside, strict=True)]
        laws[Output(0, (), None, (number,))] = [*column, *outside]
    for i, rest in enumerate(left):
        part = rest * _share(source) if source.random() < 0.3 else Fraction(0)
        for detail, q in ((0, rest - part), (1, part)):
            if q:
                laws[Output(0, (), v + i, (detail,))] = [
                    q if x == v + i else Fraction(0) for x in range(domain.symbols)
                ]
    return Law(domain, laws)


def _column(v: int, odds: Fraction, source: random.Random) -> list[Fraction]:
    size = Fraction(source.randint(1, 100), 100)
    kind = source.random()
    return [
        size * (1 + (odds - 1) * (source.randint(0, 1) if kind < 0.5 else _share(source))) for _ in range(v)
    ]


def _share(source: random.Random) -> Fraction:
    return Fraction(source.randint(1, 64), 64)
