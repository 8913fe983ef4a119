"""YAML and JSON as text: nothing is interpreted, and every mistake is one line with file and line."""

from __future__ import annotations

import re

import pytest

from workflow.errors import ConfigError
from workflow.input.tree import parse_text_tree


def test_no_scalar_is_interpreted() -> None:
    words = ["1e-10", "0.10", "nan", "yes", "~", "null", "0x1f", "00", "2020-04-01", "1_000"]
    assert parse_text_tree(f"[{', '.join(words)}]", "a.yaml").root == words
    assert parse_text_tree('[1e-10, 0.10, NaN, true, null, "x"]', "a.json", is_json=True).root == [
        "1e-10", "0.10", "NaN", "true", "null", "x",
    ]  # fmt: skip


#: Text, the line that is named, and a word of the message.
MISTAKES = {
    "tab": ("a: 1\n\tb: 2\nc: 3\n", 2, "cannot start any token"),
    "tab after CRLF": ("a: 1\r\n\tb: 2\r\nc: 3\r\n", 2, "cannot start any token"),
    "indented too little": ("a:\n    b: 1\n  c: 2\nd: 1\n", 3, "expected <block end>"),
    "quote open": ('a: 1\nc: 3\nb: "x\n', 4, "begins in line 3"),
    "text after a quote": ('a: 1\nb: "x" y\nc: 3\n', 2, "<scalar>"),
    "bracket open": ("a: 1\nb: [1, 2\nc: 3\nd: 4\n", 3, "begins in line 2"),
    "brace open at the end": ("a: 1\nb: {x: 1\n", 3, "begins in line 2"),
    "nothing but a brace": ("{", 1, "flow"),
    "bracket too many": ("a: 1\nb: [1]]\nc: 3\n", 2, "']'"),
    "no colon": ("a: 1\nb 2\nc: 3\n", 3, "expected ':'"),
    "colon in a text": ("a: 1\ntitle: A: B\nc: 3\n", 2, "mapping values"),
    "list among keys": ("a: 1\n- b\nc: 3\n", 2, "'-'"),
    "control character": ("a: 1\nb: \x01\nc: 3\n", 2, "#x0001"),
    "null": ("a: \x00\n", 1, "#x0000"),
    "reserved character": ("a: 1\nb: @x\nc: 3\n", 2, "'@'"),
    "escape": ('a: 1\nb: "\\q"\nc: 3\n', 2, "escape"),
    "half a character": ('a: 1\nb: "\\ud800"\n', 2, "surrogate"),
    "duplicate key": ("# c\n\na: 1\n# d\na: 3\n", 5, "duplicate key a"),
    "duplicate key deeper": ("a:\n  x: 1\n  y: 1\n  x: 1\nc: 1\n", 4, "duplicate key a.x"),
    "duplicate key in braces": ("a: {x: 1,\n    x: 2}\n", 2, "duplicate key a.x"),
    "anchor": ("a: 1\nb: &x 2\nc: 3\n", 2, "anchors"),
    "anchor of a mapping": ("a: 1\nb: &x\n  d: 2\nc: 3\n", 2, "anchors"),
    "billion laughs": ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", 1, "anchors"),
    "alias": ("a: 1\nb: 2\nc: *x\n", 3, "aliases"),
    "tag": ("a: 1\nb: !!str 2\nc: 3\n", 2, "tags"),
    "python tag": ("title: !!python/object/apply:os.system [ls]\n", 1, "tags"),
    "two documents": ("a: 1\nb: 1\n---\nc: 3\n", 3, "one document"),
    "key that is a list": ("a: 1\n[x]: 1\nb: 1\n", 2, "plain text"),
    "complex key": ("? [a, b]\n: c\n", 1, "plain text"),
    "deep brackets": ("[" * 100_000, 1, "nested too deeply"),
    "deep dashes": ("- " * 100_000, 1, "nested too deeply"),
    "deep braces": ("{a: " * 100_000, 1, "nested too deeply"),
}


def refused(text: str, file: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_text_tree(text, file, file.endswith(".json"))
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize(("text", "line", "word"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_yaml_is_one_line(text: str, line: int, word: str) -> None:
    message = refused(text, "a.yaml")
    assert re.match(rf"a\.yaml:{line}: ", message), message
    assert word in message


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": 1,\n "b": }', ":2: not valid JSON"),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("[" * 1_000_000, "nested too deeply"),
    ],
)
def test_a_mistake_in_json_is_one_line(text: str, word: str) -> None:
    message = refused(text, "a.json")
    assert message.startswith("a.json:")
    assert word in message


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n...\n"])
def test_an_empty_file_is_named_as_such(text: str) -> None:
    assert refused(text, "a\n.yaml") == "a\\n.yaml: the file is empty"
