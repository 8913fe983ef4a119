"""Fields that the models of several kinds of input file share; each turns its text into an exact value."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainValidator, model_validator
from pydantic_core import PydanticCustomError

from workflow.input.rational import parse_count, parse_rational, parse_rho
from workflow.words import suggestion

Number = TypeVar("Number")
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LEVEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
MAX_PROSE = 2000


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
    if text[0] in "=+-@":
        raise ValueError(
            "a query's name does not begin with = + - or @, which make it a formula in spreadsheets"
        )
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


def _file(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be the path of a file, relative to the folder of this file")
    return text


Slug = Annotated[str, AfterValidator(_slug)]
LevelName = Annotated[str, AfterValidator(_level_name)]
QueryName = Annotated[str, AfterValidator(_query_name)]
Prose = Annotated[str, AfterValidator(_prose)]
Rho = Annotated[Fraction, PlainValidator(one(parse_rho))]
Share = Annotated[Fraction, PlainValidator(one(_share))]
Delta = Annotated[Fraction, PlainValidator(one(_delta))]
File = Annotated[str, AfterValidator(_file)]


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
