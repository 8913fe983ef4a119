"""One stored result of the study: scalars and arrays, named and described once, here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalar = str | int | float

#: array: (dims, units, description)
ARRAYS: dict[str, tuple[str, str, str]] = {
    "distribution": ("symbol", "probability", "P, sensitive symbols first"),
    "mean": ("symbol", "probability", "mean of the unbiased estimates of P"),
    "mean_square": ("symbol", "probability^2", "mean squared deviation of the unbiased estimates from P"),
    "size": ("component", "symbols", "block sizes k of the optimal mixture"),
    "share": ("component", "probability", "t*_k, their shares"),
    "eps": ("eps", "nat", "eps"),
    "m_star": ("eps", "n times squared probability", "M*"),
    "alpha_star": ("eps", "probability", "alpha*, what the sensitive symbols have at the least favourable P"),
    "gap": ("eps", "1", "relative duality gap of M*"),
    "regime": ("eps", "1", "0: k = 1 alone (uRR); 1: a mixture of sizes; 2: one size k >= 2"),
    "shares": ("eps, size", "probability", "t*_k for k = 1, 2, ..."),
}


@dataclass(frozen=True)
class StudyResult:
    """A result by its path in result files and its content key."""

    path: str
    key: str
    attributes: Mapping[str, Scalar]
    arrays: Mapping[str, NDArray[Any]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the content: exact scalars and every bit of the arrays."""
        digest = hashlib.sha256()
        exact = {
            name: value.hex() if isinstance(value, float) else value
            for name, value in self.attributes.items()
        }
        digest.update(json.dumps([self.path, self.key, exact], sort_keys=True).encode())
        for name, array in sorted(self.arrays.items()):
            kind = "<i8" if np.issubdtype(array.dtype, np.integer) else "<f8"
            digest.update(f"\n{name} {array.shape} {kind}\n".encode())
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
        return digest.hexdigest()
