"""What an allocation file may hold: a typed model, closed at every level.

Values arrive as text (see text_tree); each field turns its text into an exact value within its bounds. What
concerns several fields at once, such as names that must match and sums, is checked in config.py.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from kernels.accounting.patterns import MAX_FREE_DIGITS
from kernels.accounting.settings import Settings
from workflow.lib.rational import parse_count, parse_rational, parse_rho
from workflow.lib.text_tree import shorten

Number = TypeVar("Number")
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LEVEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_DEFAULTS = Settings()
MAX_PATTERNS = 1 << MAX_FREE_DIGITS
MAX_LEVELS = 64
MAX_PROSE = 2000
_PATTERN_WORDS = ("default", "complete")
_ALLOWED_PATTERNS = f"must be default, complete or a list of 1 to {MAX_PATTERNS} patterns"


def suggestion(name: str, allowed: Iterable[str]) -> str:
    """The words "did you mean 'x'? " when an allowed name is close to `name`, else nothing."""
    spelt = {known.casefold(): known for known in allowed}
    close = difflib.get_close_matches(name[:200].casefold(), list(spelt), n=1)
    return f"did you mean {shorten(spelt[close[0]])}? " if close else ""


def listing(names: Iterable[str]) -> str:
    """The names on one line, separated by commas; of a long list only the beginning."""
    every = [shorten(name, quote="") for name in names]
    more = f" and {len(every) - 20} more" if len(every) > 20 else ""
    return ", ".join(every[:20]) + more


def is_slug(text: str) -> bool:
    """Whether text can name an allocation, and so a file and a folder: letters, digits, _ and -."""
    return _SLUG.fullmatch(text) is not None


def _slug(text: str) -> str:
    if not is_slug(text):
        raise ValueError("must be a plain name: at most 64 letters, digits, _ and -, no path")
    return text


def _level_name(text: str) -> str:
    if not _LEVEL.fullmatch(text):
        raise ValueError(
            "a level's name has at most 128 letters, digits, _, - and ., none of the last three first"
        )
    return text


def _query_name(text: str) -> str:
    if not text.isprintable() or text != text.strip() or not 1 <= len(text) <= 200:
        raise ValueError("a query's name has 1 to 200 printable characters, no space at either end")
    return text


def _prose(text: str) -> str:
    words = " ".join(text.split())
    if not words.isprintable() or not 1 <= len(words) <= MAX_PROSE:
        raise ValueError(f"must be 1 to {MAX_PROSE} printable characters")
    return words


def _share(text: str) -> Fraction:
    value = parse_rational(text)
    if not 0 < value <= 1:
        raise ValueError("must be above 0 and at most 1")
    return value


def _delta(text: str) -> Fraction:
    value = parse_rational(text)
    if not 0 < value < 1:
        raise ValueError("must be above 0 and below 1, such as 1e-10")
    return value


def one(parse: Callable[[str], Number]) -> Callable[[Any], Number]:
    """A validator: `parse` for a text, an error for a list or a mapping."""

    def checked(text: Any) -> Number:
        if not isinstance(text, str):
            raise PydanticCustomError("not_a_number", "must be one number")
        return parse(text)

    return checked


def count(low: int, high: int) -> BeforeValidator:
    """A validator of whole numbers from low to high."""
    return BeforeValidator(one(lambda text: parse_count(text, low, high)))


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


def _file(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be the path of a file, relative to the folder of this file")
    return text


def _pattern(value: Any) -> str | list[str]:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(level, str) for level in value):
        raise ValueError("a pattern is a text of digits 0 and 1 or a list of the levels that bypass")
    return value


Slug = Annotated[str, AfterValidator(_slug)]
LevelName = Annotated[str, AfterValidator(_level_name)]
QueryName = Annotated[str, AfterValidator(_query_name)]
Prose = Annotated[str, AfterValidator(_prose)]
Rho = Annotated[Fraction, PlainValidator(one(parse_rho))]
Share = Annotated[Fraction, PlainValidator(one(_share))]
Delta = Annotated[Fraction, PlainValidator(one(_delta))]
Pattern = Annotated[str | list[str], PlainValidator(_pattern)]
File = Annotated[str, AfterValidator(_file)]
Word = Annotated[Literal["default", "complete"], BeforeValidator(_word)]


class Closed(BaseModel):
    """A mapping with the declared keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        if isinstance(data, dict):
            known = cls.model_fields
            for key in data:
                if key not in known:
                    message = f"unknown key; {suggestion(key, known)}allowed: " + ", ".join(known)
                    raise PydanticCustomError("unknown_key", "{message}", {"message": message, "key": key})
        return data


class LevelBudget(Closed):
    """A budget: `rho` of every query, or the level's `share` of the total and the `queries`' shares of it."""

    rho: dict[QueryName, Rho] | None = None
    share: Share | None = None
    queries: dict[QueryName, Share] | None = None
    not_asked: list[QueryName] = []


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


class Bypass(Closed):
    """Which levels can absorb their only child, digits that never change, and the patterns that occur.

    A pattern is its digits, one per level of `levels`, or the list of those levels whose digit is 1.
    """

    levels: Annotated[list[LevelName], Field(min_length=1)]
    fixed: dict[LevelName, Annotated[int, count(0, 1)]] = {}
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
    neighbours: Literal["bounded"]
    total_rho: Rho
    levels: Annotated[list[LevelName], Field(min_length=2, max_length=MAX_LEVELS)]
    queries: Annotated[list[QueryName], Field(min_length=1, max_length=1000)]
    budget: dict[LevelName, LevelBudget]
    bypass: Bypass
    deltas: Annotated[list[Delta], Field(min_length=1, max_length=100)] = list(_DEFAULTS.deltas)
    resolution: ResolutionFile = ResolutionFile()


class JointFile(Closed):
    """A joint allocation: products whose releases concern the same record.

    A joint pattern has one pattern or mechanism name of every product: a list of them, or one text with +
    between them. default: the products' M00 together; complete: every choice of the products' patterns.
    """

    name: Slug
    title: Prose
    source: Prose | None = None
    neighbours: Literal["bounded"]
    joint: Annotated[list[File], Field(min_length=2, max_length=16)]
    total_rho: Rho | None = None
    patterns: Annotated[
        Annotated[Word, Tag("word")] | Annotated[list[Pattern], BeforeValidator(_some_patterns), Tag("list")],
        Discriminator(_kind_of_patterns),
    ] = "default"
    deltas: Annotated[list[Delta], Field(min_length=1, max_length=100)] = list(_DEFAULTS.deltas)
    resolution: ResolutionFile = ResolutionFile()
