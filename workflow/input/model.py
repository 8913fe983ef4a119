"""Typed models of input files: closed at every level, each field turning its text into an exact value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from workflow.errors import ConfigError
from workflow.input.rational import parse_count, parse_rational, parse_rho
from workflow.input.tree import KeyPath, TextTree
from workflow.words import how_many, listing, suggestion

MAX_PROSE = 2000
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LEVEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_NO_HINTS: Mapping[KeyPath, str] = MappingProxyType({})

#: Messages for the kinds of pydantic's complaints that need other words.
_MESSAGES = {
    "string_type": "must be one text",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "missing": "missing; this key is required",
    "too_long": "must have at most {max_length} entries",
}
#: Which complaint is told first: a misspelt key, and last the key that is missing for it.
_RANK = {"unknown_key": 0, "missing": 2}


def is_slug(text: str) -> bool:
    """Whether text can name an allocation, and so a file and a folder: letters, digits, _ and -."""
    return _SLUG.fullmatch(text) is not None


def _checked(allowed: Callable[[str], object], message: str) -> AfterValidator:
    """A validator of texts that are allowed."""

    def check(text: str) -> str:
        if not allowed(text):
            raise ValueError(message)
        return text

    return AfterValidator(check)


def number(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """A validator: `parse` for a text, an error for a list or a mapping."""

    def parsed(text: Any) -> Any:
        if not isinstance(text, str):
            raise PydanticCustomError("not_a_number", "must be one number")
        return parse(text)

    return parsed


def rational(allowed: Callable[[Fraction], bool], message: str) -> PlainValidator:
    """A validator of exact numbers that are allowed."""

    def parse(text: str) -> Fraction:
        value = parse_rational(text)
        if not allowed(value):
            raise ValueError(message)
        return value

    return PlainValidator(number(parse))


def count(low: int, high: int) -> BeforeValidator:
    """A validator of whole numbers from low to high."""
    return BeforeValidator(number(lambda text: parse_count(text, low, high)))


def _prose(text: str) -> str:
    words = " ".join(text.split())
    if not words.isprintable() or not 1 <= len(words) <= MAX_PROSE:
        raise ValueError(f"must be 1 to {MAX_PROSE} printable characters")
    return words


Slug = Annotated[str, _checked(is_slug, "must be a plain name: at most 64 letters, digits, _ and -, no path")]
LevelName = Annotated[
    str,
    _checked(
        _LEVEL.fullmatch,
        "a level's name has at most 128 letters, digits, _, - and ., none of the last three first",
    ),
]
QueryName = Annotated[
    str,
    _checked(
        lambda text: text.isprintable() and text == text.strip() and 1 <= len(text) <= 200,
        "a query's name has 1 to 200 printable characters, no space at either end",
    ),
    _checked(
        lambda text: text[0] not in "=+-@",
        "a query's name does not begin with = + - or @, which make it a formula in spreadsheets",
    ),
]
Prose = Annotated[str, AfterValidator(_prose)]
File = Annotated[
    str,
    _checked(
        lambda text: text.strip() and text.isprintable(),
        "must be the path of a file, relative to the folder of this file",
    ),
]
Rho = Annotated[Fraction, PlainValidator(number(parse_rho))]
Share = Annotated[Fraction, rational(lambda share: 0 < share <= 1, "must be above 0 and at most 1")]
Delta = Annotated[
    Fraction, rational(lambda delta: 0 < delta < 1, "must be above 0 and below 1, such as 1e-10")
]


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


Model = TypeVar("Model", bound=Closed)


def validated(
    tree: TextTree, model: type[Model], kind: str, hints: Mapping[KeyPath, str] = _NO_HINTS
) -> Model:
    """What the file holds, as its model; `kind` is what it is called, such as "a scan file".

    hints: what to add where the value at a key path is missing, of the wrong kind, too short or too long.
    Raises ConfigError for the most telling of all mistakes.
    """
    if not isinstance(tree.root, dict):
        raise tree.error((), f"{kind} is a mapping: " + ", ".join(model.model_fields))
    try:
        return model.model_validate(tree.root)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise _told(tree, min(problems, key=_rank), hints) from None


def _rank(problem: ErrorDetails) -> tuple[int, int]:
    return _RANK.get(problem["type"], 1), -len(problem["loc"])


def _told(tree: TextTree, problem: ErrorDetails, hints: Mapping[KeyPath, str]) -> ConfigError:
    """One of pydantic's complaints in plain words."""
    kind, context = problem["type"], problem.get("ctx", {})
    path = _as_written(tree, problem["loc"], missing=kind == "missing")
    hint = f"; {hints[path]}" if path in hints else ""
    if kind == "unknown_key":
        return tree.error((*path, context["key"]), context["message"])
    if kind == "value_error":
        return tree.error(path, str(context["error"]))
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        return tree.error(path, f"{suggestion(str(problem['input']), choices)}allowed: {listing(choices)}")
    if kind == "too_short":
        least = how_many(context["min_length"], "entries", one="entry")
        return tree.error(path, f"must have at least {least}{hint}")
    if kind in _MESSAGES:
        return tree.error(path, _MESSAGES[kind].format(**context) + hint)
    return tree.error(path, problem["msg"])


def _as_written(tree: TextTree, location: tuple[str | int, ...], missing: bool) -> KeyPath:
    """pydantic's location without its own marks, such as "[key]": only steps that lead through the file."""
    path: list[str | int] = []
    node: Any = tree.root
    for step in location:
        inside = step in node if isinstance(node, dict) else isinstance(node, list) and isinstance(step, int)
        if inside:
            node = node[step]
            path.append(step)
    return (*path, location[-1]) if missing else tuple(path)
