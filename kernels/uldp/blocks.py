"""Block mechanisms: a report is a block that holds the client's sensitive symbol or does not.

With a family of blocks of which a share f holds each symbol, a sensitive symbol x gives each block that holds
it e^eps times the probability of each that does not; in all, the blocks that hold it have f e / (f e + 1 -
f). Another symbol is named with probability r = f(e - 1) / (f (e - 1) + 1), the largest that privacy allows,
and else gives all blocks the same probability. uRR, uSS, uHR and uBD are of this kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from kernels.uldp import designs
from kernels.uldp.designs import Design
from kernels.uldp.domain import Domain
from kernels.uldp.estimator import ReportClass, Weights, score_weights
from kernels.uldp.law import Law, Output, naming
from kernels.uldp.mechanism import Mechanism, bits_for, check_listable
from kernels.uldp.saddle import Saddle
from kernels.uldp.sampling.coder import SUBSET, Coder, new_coder, with_lists

Mixture = Sequence[tuple[Fraction, Design]]


class BlockMechanism(Mechanism):
    """Blocks from a mixture of families; the family of a report is public.

    alpha: the design point of the score-based estimator; None for the standard estimator (one family only).
    paired: the probability that a report that names a symbol carries a random block all the same.
    Raises ValueError when the shares do not add up to 1 or a family is of other symbols.
    """

    def __init__(
        self,
        name: str,
        domain: Domain,
        odds: Fraction,
        mixture: Mixture,
        alpha: Fraction | None = None,
        paired: Fraction = Fraction(0),
    ) -> None:
        super().__init__(domain, odds)
        if sum(share for share, _ in mixture) != 1 or any(share <= 0 for share, _ in mixture):
            raise ValueError("the shares must be positive and add up to 1")
        if any(design.v != domain.sensitive for _, design in mixture):
            raise ValueError("the blocks must be of the sensitive symbols")
        self.name = name
        self.mixture = tuple(mixture)
        self.alpha = alpha
        self.paired = paired

    @cached_property
    def classes(self) -> tuple[ReportClass, ...]:
        """One class per family."""
        return tuple(self._class(share, design) for share, design in self.mixture)

    @cached_property
    def weights(self) -> tuple[Weights, ...]:
        """Score-based, or standard."""
        if self.alpha is None:
            return super().weights
        return tuple(score_weights(self.domain, self.classes, self.alpha))

    def law(self) -> Law:
        """Every block of every family, every name."""
        v, others = self.domain.sensitive, self.domain.others
        check_listable(sum(design.count for _, design in self.mixture) * (1 + (others if self.paired else 0)))
        columns = {}
        for group, (share, design) in enumerate(self.mixture):
            blocks = design.listed()
            hit, named = self._hit(design), self._named(design)
            holding, missing = design.share * design.count, (1 - design.share) * design.count
            inside = share * hit / holding
            outside = share * (1 - hit) / missing if missing else Fraction(0)
            unnamed = share * (1 - named) / design.count
            for number, block in enumerate(blocks):
                column = [inside if s in block else outside for s in range(v)] + [unnamed] * others
                columns[Output(group, block, detail=(number,))] = column
            columns |= naming(self.domain, share * named * (1 - self.paired), Output(group, ()))
            for number, block in enumerate(blocks if self.paired else ()):
                both = share * named * self.paired / design.count
                columns |= naming(self.domain, both, Output(group, block, detail=(number,)))
        return Law(self.domain, columns)

    @cached_property
    def coder(self) -> Coder:
        """Subsets are drawn without a list of blocks where all families are complete."""
        every = [design for _, design in self.mixture]
        coder = new_coder(
            SUBSET,
            likely=[float(total) for total in accumulate(share for share, _ in self.mixture)],
            hit=[float(self._hit(design)) for design in every],
            named=[float(self._named(design)) for design in every],
            paired=float(self.paired),
            size=[design.size for design in every],
        )
        if all(design.blocks is None for design in every):
            return coder
        return with_lists(coder, [design.listed() for design in every], self.domain.sensitive)

    @property
    def bits(self) -> int:
        """A block or a name (or both), whichever family."""
        others = self.domain.others
        return max(
            bits_for(design.count + others * (1 + (design.count if self.paired else 0)))
            for _, design in self.mixture
        )

    def _hit(self, design: Design) -> Fraction:
        return design.share * self.odds / (design.share * (self.odds - 1) + 1)

    def _named(self, design: Design) -> Fraction:
        return design.share * (self.odds - 1) / (design.share * (self.odds - 1) + 1)

    def _class(self, share: Fraction, design: Design) -> ReportClass:
        hit, named = self._hit(design), self._named(design)
        both = named * self.paired * design.share
        return ReportClass(
            share=share,
            own=hit,
            other=hit * design.together + (1 - hit) * design.apart,
            outside=(1 - named) * design.share + both,
            named=named,
            both=both,
        )


def block_design(saddle: Saddle, odds: Fraction, small: bool = False) -> BlockMechanism:
    """uBD: the optimal mixture at a saddle point with its score-based estimator, from complete families or
    from the smallest ones known."""
    given = [Fraction(share) for share in saddle.shares]
    family = designs.small if small else designs.complete
    v = saddle.domain.sensitive
    mixture = [(share / sum(given), family(v, k)) for share, k in zip(given, saddle.sizes, strict=True)]
    return BlockMechanism("uBD", saddle.domain, odds, mixture, alpha=Fraction(saddle.alpha))


def randomised_response(domain: Domain, odds: Fraction) -> BlockMechanism:
    """uRR (Murakami and Kawamoto 2019): blocks of one symbol."""
    return BlockMechanism("uRR", domain, odds, [(Fraction(1), designs.complete(domain.sensitive, 1))])


def hadamard_response(domain: Domain, odds: Fraction) -> BlockMechanism:
    """uHR (Acharya, Bonawitz, Kairouz, Ramage, Sun 2020): blocks from the columns of a Hadamard matrix."""
    return BlockMechanism("uHR", domain, odds, [(Fraction(1), designs.hadamard(domain.sensitive))])


def subset_selection(domain: Domain, odds: Fraction, k: int | None = None) -> BlockMechanism:
    """uSS: k-subsets; a symbol that is not sensitive is named, with a random k-subset beside the name just so
    often that every sensitive symbol is supported as often as by another sensitive one. k: None for the one
    with the least worst-case error.
    """
    v = domain.sensitive
    if k is None:
        sizes = range(1, max(v, 2))
        return min((subset_selection(domain, odds, size) for size in sizes), key=lambda m: m.error.worst)
    paired = Fraction(v * (k - 1), k * (v - 1)) if v > 1 else Fraction(0)
    return BlockMechanism("uSS", domain, odds, [(Fraction(1), designs.complete(v, k))], paired=paired)
