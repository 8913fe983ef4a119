"""uOLH: a random hash function and the hash value of the symbol, or the symbol's name."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import product

from kernels.uldp.estimator import ReportClass
from kernels.uldp.law import Law, Output, naming
from kernels.uldp.mechanism import Mechanism, bits_for, check_listable
from kernels.uldp.sampling.coder import HASH, Coder, new_coder

SEED_BITS = 64


class LocalHashing(Mechanism):
    """Optimised local hashing (Wang, Blocki, Li, Jha 2017) made utility-optimised as uRR is: g = round(e) + 1
    hash values; a sensitive symbol reports its own with probability e/(e+g-1), each other with 1/(e+g-1);
    another symbol is named with probability (e-1)/(e+g-1) and else reports a random value. A value supports
    all symbols that are hashed to it.

    The law is that of ideal hash functions, uniform over all functions; the client's 64-bit hash stands in.
    """

    name = "uOLH"

    @property
    def values(self) -> int:
        """g, the number of hash values."""
        return round(self.odds) + 1

    @cached_property
    def classes(self) -> tuple[ReportClass, ...]:
        """One class."""
        share = self._other
        return (
            ReportClass(
                Fraction(1), self.odds * share, Fraction(1, self.values), share, (self.odds - 1) * share
            ),
        )

    def law(self) -> Law:
        """Every hash function with every value, and every name."""
        v, others = self.domain.sensitive, self.domain.others
        functions = self.values**v
        check_listable(functions * self.values)
        share = self._other / functions
        columns = {}
        for function in product(range(self.values), repeat=v):
            for value in range(self.values):
                support = tuple(s for s in range(v) if function[s] == value)
                column = [share * (self.odds if s in support else 1) for s in range(v)] + [share] * others
                columns[Output(0, support, None, (*function, value))] = column
        return Law(self.domain, columns | naming(self.domain, (self.odds - 1) * self._other))

    @cached_property
    def coder(self) -> Coder:
        """A 64-bit number is the hash function."""
        hit, named = self.odds * self._other, (self.odds - 1) * self._other
        return new_coder(HASH, hit=[float(hit)], named=[float(named)], size=[self.values])

    @property
    def bits(self) -> int:
        """The seed of the hash function, and a value or a name."""
        return SEED_BITS + bits_for(self.values + self.domain.others)

    @property
    def _other(self) -> Fraction:
        return 1 / (self.odds + self.values - 1)
