"""What an allocation file may hold: a typed model, closed at every level.

Values arrive as text (workflow/input/tree.py); each field turns its text into an exact value within its
bounds. Names that must match and sums, which concern several fields, are checked in product.py.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
)

from kernels.accounting.census.patterns import MAX_FREE_DIGITS
from kernels.accounting.settings import Settings
from workflow.input.find import Kind
from workflow.input.model import (
    Closed,
    Delta,
    File,
    LevelName,
    Prose,
    QueryName,
    Rho,
    Share,
    Slug,
    count,
)
from workflow.input.tree import KeyPath
from workflow.words import shorten, suggestion

ALLOCATION = Kind("allocation", frozenset({"levels", "budget", "joint"}))
_DEFAULTS = Settings()
_DIGITS = re.compile(r"[0-9]+")
_ZERO = re.compile(r"[+-]?0+(\.0*)?")
MAX_PATTERNS = 1 << MAX_FREE_DIGITS
MAX_LEVELS = 64
_PATTERN_WORDS = ("default", "complete")
_ALLOWED_PATTERNS = f"must be default, complete or a list of 1 to {MAX_PATTERNS} patterns"


def _kind_of_patterns(value: Any) -> str:
    if isinstance(value, dict):
        return "geography"
    return "list" if isinstance(value, list) else "word"


def _word(value: Any) -> Any:
    if value not in _PATTERN_WORDS:
        raise ValueError(suggestion(str(value), _PATTERN_WORDS) + _ALLOWED_PATTERNS)
    return value


def _some_patterns(value: Any) -> Any:
    if not 1 <= len(value) <= MAX_PATTERNS:
        raise ValueError(_ALLOWED_PATTERNS)
    return value


def _pattern(value: Any) -> str | list[str]:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(level, str) for level in value):
        raise ValueError("a pattern is a text of digits 0 and 1 or a list of the levels that bypass")
    return value


def _of_a_query(value: Any) -> Any:
    """The text; a 0 is answered with where a query goes that is not asked."""
    if isinstance(value, str) and _ZERO.fullmatch(value):
        hint = "a query that the level does not ask is left out here and listed in the level's not_asked"
        raise ValueError(f"must be above 0; {hint}")
    return value


def _without_decimal_commas(values: Any) -> Any:
    """The mapping. `{age: 0,1}` holds age: 0 and an empty 1, which is told as what it was meant to be."""
    if isinstance(values, dict):
        for (name, whole), (digits, empty) in pairwise(values.items()):
            if empty == "" and isinstance(whole, str) and all(map(_DIGITS.fullmatch, (whole, digits))):
                written = shorten(f"{name}: {whole},{digits}")
                raise ValueError(f"{written} is two entries; the decimal sign is a point, not a comma")
    return values


def _bounded(value: Any) -> Any:
    if value != "bounded":
        words = "only bounded neighbours, one record replaced by another, are computed"
        raise ValueError(f"{words}; allowed: bounded")
    return value


Pattern = Annotated[str | list[str], PlainValidator(_pattern)]
Word = Annotated[Literal["default", "complete"], BeforeValidator(_word)]
Neighbours = Annotated[Literal["bounded"], BeforeValidator(_bounded)]


Number = TypeVar("Number")
ByQuery = Annotated[
    dict[QueryName, Annotated[Number, BeforeValidator(_of_a_query)]], BeforeValidator(_without_decimal_commas)
]


class LevelBudget(Closed):
    """A budget: `rho` of every query, or the level's `share` of the total and the `queries`' shares of it."""

    rho: ByQuery[Rho] | None = None
    share: Share | None = None
    queries: ByQuery[Share] | None = None
    not_asked: list[QueryName] = Field(default=[])


class FromGeography(Closed):
    """A table from which patterns are derived: `geounits` with their parents, or block `geocodes` and how
    many `digits` each level adds to them."""

    geounits: File | None = None
    geocodes: File | None = None
    digits: dict[LevelName, Annotated[int, count(0, 100)]] | None = None


Patterns = Annotated[
    Annotated[Word, Tag("word")]
    | Annotated[list[Pattern], BeforeValidator(_some_patterns), Tag("list")]
    | Annotated[FromGeography, Tag("geography")],
    Discriminator(_kind_of_patterns),
]


_NO_BYPASS = "without any bypass write {levels: [LEVEL], patterns: [0]}, LEVEL being any level but the last"
HINTS: dict[KeyPath, str] = dict.fromkeys([("bypass",), ("bypass", "levels")], _NO_BYPASS)


class Bypass(Closed):
    """Which levels can absorb their only child, digits that never change, and the patterns that occur.

    A pattern is its digits, one per level of `levels`, or the list of those levels whose digit is 1.
    """

    levels: Annotated[list[LevelName], Field(min_length=1)]
    fixed: dict[LevelName, Annotated[int, count(0, 1)]] = Field(default={})
    patterns: Patterns = "default"


class ResolutionFile(Closed):
    """How finely curves are tabulated."""

    thresholds: Annotated[int, count(2, 1_000_000)] = _DEFAULTS.thresholds
    eps_points: Annotated[int, count(2, 100_000)] = _DEFAULTS.eps_points


class AllocationFile(Closed):
    """One allocation file."""

    name: Slug
    title: Prose
    source: Prose
    neighbours: Neighbours
    total_rho: Rho
    levels: Annotated[list[LevelName], Field(min_length=2, max_length=MAX_LEVELS)]
    queries: Annotated[list[QueryName], Field(min_length=1, max_length=1000)]
    budget: dict[LevelName, LevelBudget]
    bypass: Bypass
    deltas: list[Delta] = Field(default=list(_DEFAULTS.deltas), min_length=1, max_length=100)
    resolution: ResolutionFile = ResolutionFile()


class JointFile(Closed):
    """A joint allocation: products whose releases concern the same record.

    A joint pattern has one pattern or mechanism name of every product: a list of them, or one text with +
    between them. default: the products' M00 together; complete: every choice of the products' patterns.
    """

    name: Slug
    title: Prose
    source: Prose | None = None
    neighbours: Neighbours
    joint: Annotated[list[File], Field(min_length=2, max_length=16)]
    total_rho: Rho | None = None
    patterns: Annotated[
        Annotated[Word, Tag("word")] | Annotated[list[Pattern], BeforeValidator(_some_patterns), Tag("list")],
        Discriminator(_kind_of_patterns),
    ] = "default"
    deltas: list[Delta] = Field(default=list(_DEFAULTS.deltas), min_length=1, max_length=100)
    resolution: ResolutionFile = ResolutionFile()
