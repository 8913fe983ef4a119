"""One stored result: which pair or level it is for, its content key, and what `evaluate` returned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernels.accounting.composition import Composition
from kernels.accounting.result import PlanFigures

if TYPE_CHECKING:
    from kernels.accounting.result import PairResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a result is for: a pair of mechanisms (two bypass patterns), or one level against itself."""

    kind: str  # "pair" or "level"
    first: str
    second: str = ""

    @property
    def path(self) -> str:
        """Group in a result file: /pairs/FIRST,SECOND or /levels/LEVEL."""
        return pair_path(self.first, self.second) if self.kind == "pair" else level_path(self.first)


def pair_path(first: str, second: str) -> str:
    """Group of a pair of mechanisms."""
    return f"/pairs/{first},{second}"


def level_path(level: str) -> str:
    """Group of a level evaluated alone."""
    return f"/levels/{level}"


@dataclass(frozen=True)
class StoredResult:
    """A result as result files hold it; arrays and bounds are named and shaped as in PairResult.

    m thresholds, k values of eps, d deltas. alpha and beta are unevaluated sums of three doubles, largest
    first; epsilon, reduction, eps_zcdp and scale have the columns value, lower, upper.
    """

    identity: Identity
    key: str
    composition: Composition
    deltas: tuple[Fraction, ...]
    summary: PlanFigures
    threshold_first: Fraction
    threshold_step: Fraction
    threshold: Floats  # [m]
    alpha: Floats  # [m, 3]
    beta: Floats  # [m, 3]
    absolute_bound: float
    eps: Floats  # [k]
    delta: Floats  # [k]
    log10_delta: Floats  # [k]
    relative_bound: Floats  # [k]
    epsilon: Floats  # [d, 3]
    reduction: Floats  # [d, 3]
    eps_zcdp: Floats  # [d, 3]
    scale: Floats  # [d, 3]
    cpu_seconds: float  # spent on it when it was computed; not part of the content

    @classmethod
    def of(
        cls,
        identity: Identity,
        key: str,
        composition: Composition,
        deltas: tuple[Fraction, ...],
        result: PairResult,
        cpu_seconds: float,
    ) -> StoredResult:
        """What is stored of the result that `evaluate` returned for a composition."""
        figures = {name: getattr(result.summary, name) for name in PlanFigures.__dataclass_fields__}
        return cls(
            identity=identity,
            key=key,
            composition=composition,
            deltas=deltas,
            summary=PlanFigures(**figures),
            threshold_first=result.threshold_first,
            threshold_step=result.threshold_step,
            absolute_bound=float(result.absolute_bound),
            cpu_seconds=cpu_seconds,
            **{name: getattr(result, name) for name in RESULT_ARRAYS},
        )

    @property
    def total_rho(self) -> Fraction:
        """R, the sum of rho over all cells; the composition is (R/2)-zCDP."""
        return self.summary.total_rho

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the content: exact values and every bit of the arrays, not the cost."""
        digest = hashlib.sha256()
        digest.update(json.dumps(list(self._exact_values())).encode())
        for name in RESULT_ARRAYS:
            array = np.ascontiguousarray(getattr(self, name), dtype="<f8")
            digest.update(f"\n{name} {array.shape}\n".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _exact_values(self) -> Iterator[tuple[str, Any]]:
        yield "path", self.identity.path
        yield "key", self.key
        yield "cells", [(str(rho), count) for rho, count in self.composition.cells]
        yield "deltas", [str(delta) for delta in self.deltas]
        for name in PlanFigures.__dataclass_fields__:
            yield name, _exact_text(getattr(self.summary, name))
        for name in RESULT_SCALARS:
            yield name, _exact_text(getattr(self, name))


RESULT_SCALARS = ("threshold_first", "threshold_step", "absolute_bound")
RESULT_ARRAYS = (
    *("threshold", "alpha", "beta"),
    *("eps", "delta", "log10_delta", "relative_bound"),
    *("epsilon", "reduction", "eps_zcdp", "scale"),
)


def content_digest(digests: dict[str, str]) -> str:
    """SHA-256 (hexadecimal) over the digests of all groups, by path; their order does not count."""
    lines = (f"{path} {digest}\n" for path, digest in sorted(digests.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _exact_text(value: Fraction | int | float) -> str:
    return value.hex() if isinstance(value, float) else str(value)
