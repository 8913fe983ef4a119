"""What every mechanism offers: its exact law, its client, its server, and the length of its messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import exp, nextafter

import numpy as np

from kernels.uldp.domain import Domain
from kernels.uldp.estimator import Error, ReportClass, Weights, error, standard_weights
from kernels.uldp.law import Law
from kernels.uldp.objective import Floats
from kernels.uldp.sampling.coder import Coder
from kernels.uldp.sampling.exchange import Integers, Reports, encode, tally
from kernels.uldp.sampling.server import estimate, project

_MOST_OUTPUTS = 200_000


def odds_of(eps: float) -> Fraction:
    """e^eps as the rational that mechanisms are made with: a double at or below it, so that rounding never
    costs privacy. Raises ValueError unless eps > 0 and e^eps is finite."""
    if not 0 < eps <= 700:
        raise ValueError(f"eps must be above 0 and at most 700, not {eps}")
    return Fraction(nextafter(exp(eps), 1.0))


class Mechanism(ABC):
    """An (X_S, eps)-ULDP mechanism with its estimator. All probabilities and weights are exact rationals.

    name: as in tables. odds: e^eps. classes and weights: one entry per public class of reports.
    """

    name: str

    def __init__(self, domain: Domain, odds: Fraction) -> None:
        if odds <= 1:
            raise ValueError(f"e^eps must be above 1, not {float(odds)}")
        self.domain = domain
        self.odds = odds

    @property
    @abstractmethod
    def classes(self) -> tuple[ReportClass, ...]:
        """What reports tell."""

    @cached_property
    def weights(self) -> tuple[Weights, ...]:
        """The estimator; the standard one where reports have one class."""
        (only,) = self.classes
        return (standard_weights(only),)

    @abstractmethod
    def law(self) -> Law:
        """Every output and its probabilities. Raises ValueError when there are too many outputs to list."""

    @property
    @abstractmethod
    def coder(self) -> Coder:
        """The parameters with which compiled code plays client and server."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """Length of a message in bits, of the longest class."""

    def report(self, symbols: Sequence[int] | Integers, seed: int) -> Reports:
        """The clients' part: reports of clients with these symbols, drawn from the stream of a 64-bit
        seed."""
        values = np.asarray(symbols, dtype=np.int64)
        if values.size and not (values.min() >= 0 and values.max() < self.domain.symbols):
            raise ValueError(f"symbols are numbered 0 to {self.domain.symbols - 1}")
        return encode(self.coder, self.domain.sensitive, values, seed)

    def estimate(self, reports: Reports, projected: bool = False) -> Floats:
        """The server's part: the estimate of P [w], unbiased, so that single entries may lie outside [0, 1].

        projected: the nearest distribution instead. It is closer to P, but biased where P has small entries.
        """
        counts = tally(self.coder, self.domain.symbols, self.domain.sensitive, reports)
        result = np.empty(self.domain.symbols)
        estimate(counts, self.weight_table, result)
        if projected:
            project(result.copy(), result)
        return result

    @cached_property
    def weight_table(self) -> Floats:
        """The weights as doubles [J, 6], for compiled code."""
        return np.array([[float(part) for part in (*w.sensitive, *w.others)] for w in self.weights])

    @cached_property
    def error(self) -> Error:
        """The exact mean squared error, times n."""
        return error(self.domain, self.classes, self.weights)


def bits_for(outputs: int) -> int:
    """Bits that tell so many outputs apart."""
    return (outputs - 1).bit_length()


def check_listable(outputs: int) -> None:
    """Raise ValueError when a law has too many outputs."""
    if outputs > _MOST_OUTPUTS:
        raise ValueError(f"{outputs} outputs are too many to list; at most {_MOST_OUTPUTS}")
