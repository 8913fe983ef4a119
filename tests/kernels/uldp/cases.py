"""Small domains, and all mechanisms on them."""

from __future__ import annotations

from fractions import Fraction
from math import log

from hypothesis import strategies as st

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

NAMES = ("uBD", "uBD small", "uRR", "uSS", "uHR", "uOUE", "uOLH")
#: Domains and e^eps; among them v = 1, v = w, a mixture of two sizes, one size k = 2, v with small designs.
SMALL = [
    (Domain(2, 1), Fraction(2)),
    (Domain(5, 1), Fraction(2)),
    (Domain(3, 2), Fraction(27, 10)),
    (Domain(6, 2), Fraction(3)),
    (Domain(5, 3), Fraction(3)),
    (Domain(3, 3), Fraction(9, 2)),
    (Domain(6, 4), Fraction(3, 2)),
    (Domain(7, 4), Fraction(2)),
    (Domain(4, 4), Fraction(3, 2)),
    (Domain(7, 3), Fraction(4)),
]
DESIGNED = [
    (Domain(9, 7), Fraction(5, 4)),
    (Domain(7, 7), Fraction(13, 10)),
    (Domain(12, 11), Fraction(6, 5)),
]


def domains(most_sensitive: int, most_others: int) -> st.SearchStrategy[Domain]:
    """Domains of two symbols or more, at least one of them sensitive."""
    sizes = st.tuples(st.integers(1, most_sensitive), st.integers(0, most_others))
    return sizes.filter(lambda pair: sum(pair) >= 2).map(lambda pair: Domain(sum(pair), pair[0]))


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
