"""Whole curves of one composition, and result files that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from exact_census.exact import Bounded, Floats, checking
from kernels.accounting.composition import Composition
from kernels.accounting.result import PairResult
from kernels.intervals.interval import from_floats
from workflow.results.curves import open_results


@dataclass(frozen=True, slots=True)
class Curve:
    """The trade-off function and the privacy profile of one composition, as arrays to plot or to tabulate.

    threshold, alpha, beta: [m], vertices (P(T > threshold), Q(T <= threshold)) of the trade-off function,
    alpha falling; nearest doubles of numbers that are known to within absolute_bound.
    eps, delta, log10_delta, relative_bound: [k], the privacy profile at exact eps, with the relative error of
    delta; below the least double delta is 0 and log10_delta goes on.
    deltas: [d] exact; epsilon, reduction: [d], what was computed at them; a curve made here has none.
    """

    composition: Composition
    threshold: Floats
    alpha: Floats
    beta: Floats
    absolute_bound: float
    eps: Floats
    delta: Floats
    log10_delta: Floats
    relative_bound: Floats
    deltas: tuple[Fraction, ...]
    epsilon: Bounded
    reduction: Bounded

    @classmethod
    def of(cls, composition: Composition, deltas: tuple[Fraction, ...], found: PairResult) -> Self:
        """What was computed for a composition, as arrays."""
        same = ("threshold", "absolute_bound", "eps", "delta", "log10_delta", "relative_bound")
        parts: dict[str, Any] = {name: getattr(found, name) for name in same}
        for name in ("epsilon", "reduction"):
            rows = getattr(found, name).tolist()
            parts[name] = Bounded.of((from_floats(*row) for row in rows), (len(rows),))
        alpha, beta = found.alpha[:, 0].copy(), found.beta[:, 0].copy()
        return cls(composition=composition, deltas=deltas, alpha=alpha, beta=beta, **parts)


def read_curves(path: str | Path) -> Curves:
    """The curves of a result file, results/NAME/curves.h5. Raises InputError (one line) when it is missing,
    damaged or of another format."""
    return Curves(path)


class Curves(Mapping["tuple[str, str] | str", Curve]):
    """An open result file: maps each pair of bypass patterns, and each level, to its Curve. Close it, or use
    it in a `with` block.

    allocation: its name; neighbours: the relation that all figures are for; digest: of the content. Curves
    are read when they are asked for, and compared with their digests. Raises InputError when one is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        with checking():
            self._results = open_results(path)
            header = self._results.header()
        self.allocation, self.neighbours = header.allocation, header.neighbours
        self.digest = self._results.digest
        self._paths: dict[tuple[str, str] | str, str] = {
            (row["first"], row["second"]) if row["kind"] == "pair" else row["first"]: row["path"]
            for row in self._results.index()
        }

    def __getitem__(self, key: tuple[str, str] | str) -> Curve:
        path = self._paths[key]
        with checking():
            found = self._results.read_verified(path)
        return Curve.of(found.composition, found.deltas, found)

    def __iter__(self) -> Iterator[tuple[str, str] | str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._results.close()
