"""What the study's tasks are: surveys by one mechanism at one P, and one row of the regime map.

A task holds all that determines its result, so it can run anywhere, and its key tells whether a stored result
is still right.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from kernels.uldp import ULDP_VERSION
from kernels.uldp.domain import Domain
from workflow.input.rational import parse_ratio
from workflow.results.values import expect

GRID = "grid"  # the source of surveys at the least favourable P


@dataclass(frozen=True)
class Survey:
    """Repeated surveys by one mechanism. persons: their number by symbol, from which P is made; None for the
    least favourable P. source: name of the table, or GRID."""

    source: str
    domain: Domain
    eps: Fraction
    mechanism: str
    persons: tuple[int, ...] | None
    clients: int
    repetitions: int
    study_seed: int

    @property
    def path(self) -> str:
        """Group in a result file."""
        return f"/surveys/{self.source}/{_name(self.domain, self.eps)}/{self.mechanism}"

    @property
    def cost(self) -> float:
        """Predicted CPU seconds: about 100 ns a report, more where every symbol is looked at."""
        per_report = 1e-7 + (3e-9 * self.domain.sensitive if self.mechanism == "uOLH" else 0)
        return self.clients * self.repetitions * per_report + 1e-5 * self.domain.sensitive**1.5

    @property
    def distribution(self) -> tuple[Fraction, ...] | None:
        """P, where it is given."""
        if self.persons is None:
            return None
        total = sum(self.persons)
        return tuple(Fraction(each, total) for each in self.persons)

    @cached_property
    def key(self) -> str:
        """Content key."""
        return _key(self._content() | {"study_seed": self.study_seed})

    @cached_property
    def seed(self) -> int:
        """The 64-bit seed of the task's stream."""
        text = f"{self.study_seed} {_key(self._content())}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def _content(self) -> dict[str, Any]:
        return {
            "kind": "survey",
            "domain": [self.domain.symbols, self.domain.sensitive],
            "eps": str(self.eps),
            "mechanism": self.mechanism,
            "persons": self.persons,
            "clients": self.clients,
            "repetitions": self.repetitions,
        }


@dataclass(frozen=True)
class MapRow:
    """M* and the optimal mixture of one domain at many eps."""

    domain: Domain
    eps: tuple[Fraction, ...]

    @property
    def path(self) -> str:
        """Group in a result file."""
        return f"/map/{self.domain.symbols},{self.domain.sensitive}"

    @property
    def cost(self) -> float:
        """Predicted CPU seconds."""
        return len(self.eps) * (2e-3 + 1e-5 * self.domain.sensitive)

    @cached_property
    def key(self) -> str:
        """Content key."""
        domain = [self.domain.symbols, self.domain.sensitive]
        return _key({"kind": "map", "domain": domain, "eps": [str(eps) for eps in self.eps]})


Task = Survey | MapRow


def to_json(task: Task) -> dict[str, Any]:
    """The task as JSON values."""
    domain = [task.domain.symbols, task.domain.sensitive]
    if isinstance(task, MapRow):
        return {"domain": domain, "eps": [str(eps) for eps in task.eps]}
    return {
        "source": task.source,
        "domain": domain,
        "eps": str(task.eps),
        "mechanism": task.mechanism,
        "persons": task.persons,
        **{name: getattr(task, name) for name in _NUMBERS},
    }


def from_json(values: dict[str, Any]) -> Task:
    """The task that to_json wrote. Raises ValueError, ArithmeticError, LookupError or TypeError."""
    symbols, sensitive = (expect(number, int) for number in values["domain"])
    domain = Domain(symbols, sensitive)
    if "mechanism" not in values:
        return MapRow(domain, tuple(map(_eps, values["eps"])))
    persons = values["persons"]
    return Survey(
        source=expect(values["source"], str),
        domain=domain,
        eps=_eps(values["eps"]),
        mechanism=expect(values["mechanism"], str),
        persons=None if persons is None else tuple(expect(number, int) for number in persons),
        **{name: expect(values[name], int) for name in _NUMBERS},
    )


_NUMBERS = ("clients", "repetitions", "study_seed")


def _eps(text: Any) -> Fraction:
    eps = parse_ratio(expect(text, str))
    if eps <= 0:
        raise ValueError(f"eps = {eps} is not above 0")
    return eps


def _name(domain: Domain, eps: Fraction) -> str:
    return f"{domain.symbols},{domain.sensitive},{str(eps).replace('/', 'over')}"


def _key(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True) + f"\n{ULDP_VERSION}\n"
    return hashlib.sha256(text.encode()).hexdigest()
