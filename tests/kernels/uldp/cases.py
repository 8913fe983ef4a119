"""Small domains, and all mechanisms on them."""

from __future__ import annotations

from fractions import Fraction
from math import log

from kernels.uldp.blocks import (
    block_design,
    hadamard_response,
    randomised_response,
    subset_selection,
)
from kernels.uldp.domain import Domain
from kernels.uldp.hashing import LocalHashing
from kernels.uldp.mechanism import Mechanism
from kernels.uldp.saddle import Saddle, solve
from kernels.uldp.unary import UnaryEncoding

#: (w, v, e^eps); among them v = 1, v = w, a mixture of two sizes, one size k = 2, and v with small designs.
SMALL = [
    (2, 1, Fraction(2)),
    (5, 1, Fraction(2)),
    (3, 2, Fraction(27, 10)),
    (6, 2, Fraction(3)),
    (5, 3, Fraction(3)),
    (3, 3, Fraction(9, 2)),
    (6, 4, Fraction(3, 2)),
    (7, 4, Fraction(2)),
    (4, 4, Fraction(3, 2)),
    (7, 3, Fraction(4)),
]
DESIGNED = [(9, 7, Fraction(5, 4)), (7, 7, Fraction(13, 10)), (12, 11, Fraction(6, 5))]


def saddle_of(domain: Domain, odds: Fraction) -> Saddle:
    return solve(domain, log(odds))


def mechanisms(domain: Domain, odds: Fraction) -> dict[str, Mechanism]:
    """uBD, uBD from small families, and the baselines, by name."""
    saddle = saddle_of(domain, odds)
    baselines = [
        randomised_response(domain, odds),
        subset_selection(domain, odds),
        hadamard_response(domain, odds),
        UnaryEncoding(domain, odds),
        LocalHashing(domain, odds),
    ]
    return {
        "uBD": block_design(saddle, odds),
        "uBD small": block_design(saddle, odds, small=True),
        **{mechanism.name: mechanism for mechanism in baselines},
    }
