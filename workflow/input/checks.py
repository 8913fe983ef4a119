"""Checks that every kind of input file shares; each mistake is one ConfigError."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from workflow.errors import ConfigError
from workflow.input.tree import KeyPath, TextTree, key_path
from workflow.words import how_many, listing, suggestion

_KINDS = {
    "string_type": "must be one text",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "too_long": "must have at most {max_length} entries",
}
_RANK = {"unknown_key": 0, "missing": 2}


def first_problem(
    tree: TextTree, error: ValidationError, hints: Mapping[KeyPath, str] = MappingProxyType({})
) -> ConfigError:
    """The most telling of pydantic's complaints: a misspelt key first, the key missing for it last.

    hints: what to add where the value at a key path is missing, of the wrong kind, too short or too long.
    """
    problems = error.errors(include_url=False)
    problem = min(problems, key=lambda item: (_RANK.get(item["type"], 1), -len(item["loc"])))
    kind, context = problem["type"], problem.get("ctx", {})
    path = _as_written(tree, problem["loc"], missing=kind == "missing")
    if kind == "unknown_key":
        return tree.error((*path, context["key"]), context["message"])
    hint = f"; {hints[path]}" if path in hints else ""
    if kind == "missing":
        return tree.error(path, f"missing; this key is required{hint}")
    if kind == "value_error":
        return tree.error(path, str(context["error"]))
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        return tree.error(path, f"{suggestion(str(problem['input']), choices)}allowed: {listing(choices)}")
    if kind in _KINDS:
        return tree.error(path, _KINDS[kind].format(**context) + hint)
    if kind == "too_short":
        least = how_many(context["min_length"], "entries", one="entry")
        return tree.error(path, f"must have at least {least}{hint}")
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


def check_list(tree: TextTree, path: KeyPath, values: Sequence[Any]) -> None:
    """Raise ConfigError when the list at `path` holds a value twice."""
    first: dict[Any, int] = {}
    for i, value in enumerate(values):
        if first.setdefault(value, i) != i:
            raise tree.error((*path, i), f"listed twice; the first is {key_path((*path, first[value]))}")


def check_known(
    tree: TextTree, path: KeyPath, names: Sequence[str], allowed: Sequence[str], kind: str
) -> None:
    """Raise ConfigError, with a suggestion, when a name below `path` is not an allowed `kind`."""
    for name in names:
        if name not in allowed:
            message = f"unknown {kind}; {suggestion(name, allowed)}allowed: {listing(allowed)}"
            raise tree.error((*path, name), message)
