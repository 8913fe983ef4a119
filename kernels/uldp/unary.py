"""uOUE: one bit per sensitive symbol, and possibly the symbol's name."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import product

from kernels.uldp.estimator import ReportClass
from kernels.uldp.law import Law, Output, naming
from kernels.uldp.mechanism import Mechanism, bits_for, check_listable
from kernels.uldp.sampling.coder import BITS, Coder, new_coder


class UnaryEncoding(Mechanism):
    """Optimised unary encoding (Wang, Blocki, Li, Jha 2017), utility-optimised as in arXiv 2509.24173's
    experiments: the own bit is set with probability 1/2, every other sensitive symbol's with 1/(e+1); a
    symbol that is not sensitive is named with probability (e-1)/(2e), whatever its bits."""

    name = "uOUE"

    @cached_property
    def classes(self) -> tuple[ReportClass, ...]:
        """One class."""
        flip, named = self._flip, self._named
        return (ReportClass(Fraction(1), Fraction(1, 2), flip, flip, named, named * flip),)

    def law(self) -> Law:
        """Every pattern of bits, with every name or none."""
        v, others = self.domain.sensitive, self.domain.others
        check_listable((1 + others) << v)
        columns = {}
        for bits in product((0, 1), repeat=v):
            support = tuple(s for s in range(v) if bits[s])
            random = self._flip ** len(support) * (1 - self._flip) ** (v - len(support))
            column = [random / (self._flip if bits[s] else 1 - self._flip) / 2 for s in range(v)] + [
                (1 - self._named) * random
            ] * others
            columns[Output(0, support)] = column
            columns |= naming(self.domain, self._named * random, Output(0, support))
        return Law(self.domain, columns)

    @cached_property
    def coder(self) -> Coder:
        """Bits are set by geometric steps, not one by one."""
        return new_coder(BITS, hit=[0.5], named=[float(self._named)], flip=float(self._flip))

    @property
    def bits(self) -> int:
        """v bits and a name or none."""
        return bits_for((1 + self.domain.others) << self.domain.sensitive)

    @property
    def _flip(self) -> Fraction:
        return 1 / (self.odds + 1)

    @property
    def _named(self) -> Fraction:
        return (self.odds - 1) / (2 * self.odds)
