"""Mistakes in YAML: told with the line on which they were made, in words that help."""

from __future__ import annotations

import re

import pytest

from workflow.errors import ConfigError
from workflow.input.tree import parse_text_tree

MISTAKES = {
    "tab": ("a: 1\n\tb: 2\nc: 3\n", 2, "a tab"),
    "tab deeper": ("a:\n  b: 1\n\tc: 2\nd: 1\n", 3, "a tab"),
    "tab after CRLF": ("a: 1\r\n\tb: 2\r\nc: 3\r\n", 2, "a tab"),
    "indented too far": ("a:\n  b: 1\n   c: 2\nd: 1\n", 3, "indentation"),
    "indented too little": ("a:\n    b: 1\n  c: 2\nd: 1\n", 3, "indentation"),
    "first key indented": ("  a: 1\nb: 2\nc: 3\n", 2, "first key is indented"),
    "double quote open": ('a: 1\nb: "x\nc: 3\nd: 4\n', 2, "quote that opens here is not closed"),
    "single quote open": ("a: 1\nb: 'x\nc: 3\nd: 4\n", 2, "quote that opens here is not closed"),
    "quote open at the end": ('a: 1\nc: 3\nb: "x\n', 3, "quote that opens here is not closed"),
    "quote closed by a later one": ('a: 1\nb: "x\nc: "3"\nd: 4\n', 2, "closed on line 3 only"),
    "quote open in brackets": ('a: 1\nb: ["x, y]\nc: ["z"]\n', 2, "closed on line 3 only"),
    "text after a quote": ('a: 1\nb: "x" y\nc: 3\n', 2, "<scalar>"),
    "bracket open": ("a: 1\nb: [1, 2\nc: 3\nd: 4\n", 2, "bracket that opens here is not closed"),
    "bracket open at the end": ("a: 1\nc: 3\nb: [1, 2\n", 3, "bracket that opens here is not closed"),
    "brace open": ("a: 1\nb: {x: 1, y: 2\nc: 3\nd: 4\n", 2, "bracket that opens here is not closed"),
    "brace open deeper": ("a:\n  b: {x: 1\n  c: {y: 2}\n", 2, "bracket that opens here is not closed"),
    "bracket open after a comma": ("a: 1\nb: [1,\n", 2, "bracket that opens here is not closed"),
    "nothing but a brace": ("{", 1, "bracket that opens here is not closed"),
    "bracket open over lines": ("a: [1,\n    2,\nb: [3]\n", 1, "bracket that opens here is not closed"),
    "carriage returns": ("a: 1\rb: [1, 2\rc: 3\r", 2, "not closed"),
    "bracket too many": ("a: 1\nb: [1]]\nc: 3\n", 2, "']'"),
    "other bracket": ("a: 1\nb: [1}\nc: 3\n", 2, "'}'"),
    "no comma": ("a: 1\nb: [\n  {x: 1} {y: 2},\n  2 ]\nc: 3\n", 3, "expected ','"),
    "no colon": ("a: 1\nb 2\nc: 3\n", 2, "no ': '"),
    "no colon at the end": ("a: 1\nb 2\n", 2, "no ': '"),
    "no space after the colon": ("a: 1\nb:2\nc: 3\n", 2, "no ': '"),
    "colon in a text": ("a: 1\ntitle: A: B\nc: 3\n", 2, "needs quotes"),
    "list among keys": ("a: 1\n- b\nc: 3\n", 2, "list entry"),
    "control character": ("a: 1\nb: \x01\nc: 3\n", 2, "unacceptable character"),
    "reserved character": ("a: 1\nb: @x\nc: 3\n", 2, "'@'"),
    "escape": ('a: 1\nb: "\\q"\nc: 3\n', 2, "escape"),
    "duplicate key": ("# c\n\na: 1\n# d\na: 3\n", 5, "duplicate key a"),
    "duplicate key deeper": ("a:\n  x: 1\n  y: 1\n  x: 1\nc: 1\n", 4, "duplicate key a.x"),
    "duplicate key in braces": ("a: {x: 1,\n    x: 2}\n", 2, "duplicate key a.x"),
    "anchor": ("a: 1\nb: &x 2\nc: 3\n", 2, "anchors"),
    "anchor of a mapping": ("a: 1\nb: &x\n  d: 2\nc: 3\n", 2, "anchors"),
    "alias": ("a: 1\nb: 2\nc: *x\n", 3, "aliases"),
    "tag": ("a: 1\nb: !!str 2\nc: 3\n", 2, "tags"),
    "two documents": ("a: 1\nb: 1\n---\nc: 3\n", 3, "one document"),
    "key that is a list": ("a: 1\n[x]: 1\nb: 1\n", 2, "plain text"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_the_line_is_that_of_the_mistake(kind: str) -> None:
    text, line, words = MISTAKES[kind]
    with pytest.raises(ConfigError) as caught:
        parse_text_tree(text, "a.yaml")
    found = str(caught.value)
    assert re.match(r"a\.yaml:(\d+): ", found), found
    assert (int(found.split(":")[1]), words in found) == (line, True), found
    assert "\n" not in found
