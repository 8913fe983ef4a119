"""YAML and JSON as trees of mappings, lists and *text*, with the line of every value.

No scalar is interpreted: `1e-10` stays the text "1e-10", `nan`, `yes` and `~` stay text too, so that a
number is read exactly by the one who knows what it means. Duplicate keys are refused. So is every YAML
feature that an input file has no use for: anchors and aliases, tags, keys that are not text, several
documents in one file, deep nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from workflow.errors import ConfigError
from workflow.files import check_regular
from workflow.words import listing, printable, shorten, suggestion, unreadable

MAX_YAML_BYTES = 1 << 20
MAX_JSON_BYTES = 1 << 24
MAX_DEPTH = 16
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF = "holds half a character (a lone surrogate)"

KeyPath = tuple[str | int, ...]
Tree = str | list["Tree"] | dict[str, "Tree"]


@dataclass(frozen=True)
class TextTree:
    """What one file holds, and by key path the line of each value (in a mapping, of its key) if known."""

    file: str
    root: Tree
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def error(self, path: KeyPath, message: str) -> ConfigError:
        """The error to raise for the value, or the missing value, at a key path."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        line = self.lines.get(known)
        where = printable(self.file) + (f":{line}" if line else "")
        if not path:
            return ConfigError(f"{where}: {message}")
        value = self._value(path)
        shown = f" = {shorten(value)}" if isinstance(value, str) else ""
        return ConfigError(f"{where}: {key_path(path)}{shown}: {message}")

    def check_distinct(self, path: KeyPath, values: Iterable[Hashable]) -> None:
        """Raise ConfigError when the list at `path` holds a value twice."""
        first: dict[Hashable, int] = {}
        for i, value in enumerate(values):
            if first.setdefault(value, i) != i:
                raise self.error((*path, i), f"listed twice; the first is {key_path((*path, first[value]))}")

    def check_known(self, path: KeyPath, names: Iterable[str], allowed: Sequence[str], kind: str) -> None:
        """Raise ConfigError when a key of the mapping, or an entry of the list, at `path` is not allowed.

        kind: what the names are names of, in the message.
        """
        listed = isinstance(self._value(path), list)
        for i, name in enumerate(names):
            if name not in allowed:
                message = f"unknown {kind}; {suggestion(name, allowed)}allowed: {listing(allowed)}"
                raise self.error((*path, i if listed else name), message)

    def _value(self, path: KeyPath) -> Tree | None:
        node: Any = self.root
        for key in path:
            try:
                node = node[key]
            except (KeyError, IndexError, TypeError):
                return None
        return node


def read_text_tree(path: str | Path) -> TextTree:
    """Read a file: JSON when its name ends in .json, YAML otherwise. Raises ConfigError."""
    is_json = str(path).endswith(".json")
    return parse_text_tree(read_text(path, MAX_JSON_BYTES if is_json else MAX_YAML_BYTES), str(path), is_json)


def parse_text_tree(text: str, file: str, is_json: bool = False) -> TextTree:
    """Parse YAML (or JSON) text; `file` is the name used in messages. Raises ConfigError."""
    return _parse_json(text, file) if is_json else _parse_yaml(text, file)


def read_text(path: str | Path, limit: int = MAX_YAML_BYTES) -> str:
    """The text of a UTF-8 file of at most `limit` bytes. Raises ConfigError."""
    name = printable(str(path))
    try:
        check_regular(path)
        with open(path, "rb") as stream:
            content = stream.read(limit + 1)
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    except ValueError:
        raise ConfigError(f"{name}: not a file name") from None
    if len(content) > limit:
        raise ConfigError(f"{name}: the file is too large; at most {limit} bytes are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: not UTF-8 text (byte {error.start} of the file)") from None


def key_path(path: KeyPath) -> str:
    """A key path as text: budget.US.rho."age * sex" or deltas[0]."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            plain = len(key) <= 80 and key.isascii() and key.replace("_", "").replace("-", "").isalnum()
            text += ("." if text else "") + (key if plain else shorten(key, quote='"'))
    return text


def _parse_json(text: str, file: str) -> TextTree:
    def mapping(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in items:
            if key in result:
                raise ConfigError(f"{printable(file)}: duplicate key {shorten(key)}")
            result[key] = value
        return result

    def words(value: Any) -> Any:
        if isinstance(value, dict):
            return {_characters(key): words(item) for key, item in value.items()}
        if isinstance(value, list):
            return [words(item) for item in value]
        return _characters(value) if isinstance(value, str) else json.dumps(value)

    try:
        root = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=mapping)
        return TextTree(file, words(root))
    except json.JSONDecodeError as error:
        raise ConfigError(f"{printable(file)}:{error.lineno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{printable(file)}: nested too deeply") from None
    except UnicodeError:
        raise ConfigError(f"{printable(file)}: {_HALF}") from None


def _parse_yaml(text: str, file: str) -> TextTree:
    builder = _Builder(file)
    try:
        for event in YAML(typ="base", pure=True).parse(text):
            builder.take(event)
    except YAMLError as error:
        raise ConfigError(printable(f"{file}{_yaml_problem(error, text)}")) from None
    if builder.root == "":
        raise ConfigError(f"{printable(file)}: the file is empty")
    return TextTree(file, builder.root, builder.lines)


def _yaml_problem(error: YAMLError, text: str) -> str:
    """The line, if known, and the library's own words."""
    mark = begun = None
    problem = " ".join(str(error).split())
    if isinstance(error, MarkedYAMLError):
        mark, begun = error.problem_mark or error.context_mark, error.context_mark
        problem = ", ".join(filter(None, (error.problem, error.context)))
    if begun is not None and mark is not None and begun.line != mark.line:
        problem += f" that begins in line {begun.line + 1}"
    line = mark.line + 1 if mark is not None else text.count("\n", 0, getattr(error, "position", 0)) + 1
    return f":{line}: not valid YAML: {problem}"


def _characters(text: str) -> str:
    """The text with two escaped halves of a character put together. Raises UnicodeError for a lone half."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16") if _SURROGATE.search(text) else text


class _Builder:
    """Builds the tree from the parser's events, with a stack of its own in place of recursion."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Tree = ""
        self.lines: dict[KeyPath, int] = {}
        self.documents = 0
        self.path: list[str | int] = []
        self.open: list[list[Tree] | dict[str, Tree]] = []
        self.key: str | None = None
        self.key_line = 0

    def take(self, event: Any) -> None:
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse(event, "one file holds one document; remove the second '---'")
        elif isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            self.refuse(event, "anchors (&) and aliases (*) are not allowed; write the value out")
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self.open.pop()
            if self.open:
                self.path.pop()
        elif isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent):
            if event.tag is not None:
                self.refuse(event, "tags (!) are not allowed; write the plain value")
            if isinstance(event, ScalarEvent):
                try:
                    event.value = _characters(event.value)
                except UnicodeError:
                    self.refuse(event, _HALF)
            self.add(event)

    def add(self, event: Any) -> None:
        parent = self.open[-1] if self.open else None
        if isinstance(parent, dict) and self.key is None:
            self.take_key(event, parent)
            return
        node: Tree
        if isinstance(event, ScalarEvent):
            node = event.value
        else:
            node = [] if isinstance(event, SequenceStartEvent) else {}
        line = event.start_mark.line + 1
        if isinstance(parent, dict) and self.key is not None:
            step: list[str | int] = [self.key]
            parent[self.key] = node
            self.key, line = None, self.key_line
        elif isinstance(parent, list):
            step = [len(parent)]
            parent.append(node)
        else:
            step = []
            self.root = node
        self.lines[(*self.path, *step)] = line
        if not isinstance(node, str):
            if len(self.open) == MAX_DEPTH:
                self.refuse(event, "nested too deeply")
            self.open.append(node)
            self.path += step

    def take_key(self, event: Any, parent: dict[str, Tree]) -> None:
        if not isinstance(event, ScalarEvent):
            self.refuse(event, "a key must be plain text")
        if event.value in parent:
            self.refuse(event, f"duplicate key {key_path((*self.path, event.value))}")
        self.key, self.key_line = event.value, event.start_mark.line + 1

    def refuse(self, event: Any, message: str) -> NoReturn:
        raise ConfigError(f"{printable(self.file)}:{event.start_mark.line + 1}: {message}")
