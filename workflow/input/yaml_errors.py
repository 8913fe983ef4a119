"""What the YAML parser complains of, in plain words and with the line on which the mistake was made.

The parser notices some mistakes late: a quote or bracket that is not closed on a later line or at the end of
the file, a key without a colon on the line below.
"""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError

_WORDS = {
    "found character '\\t' that cannot start any token": "a tab; only spaces can stand before a key or value",
    "could not find expected ':'": "no ': ' after this key",
    "mapping values are not allowed here": "a ': ' too many, or wrong indentation; text that holds ': ' "
    "needs quotes",
    "found unexpected end of stream": "the quote that opens here is not closed",
    "expected <block end>, but found '<block mapping start>'": "the indentation is that of no line above",
    "expected <block end>, but found '-'": "a list entry ('-') among the keys of a mapping, or wrong "
    "indentation",
    "expected '<document start>', but found ('<block mapping start>',)": "the first key is indented deeper",
}


def yaml_problem(
    error: YAMLError, text: str, quoted: Any = None, opened: int | None = None
) -> tuple[int | None, str]:
    """The line of the mistake, counted from 1, if known, and what is wrong.

    quoted: the last quoted text (a scalar event) that the parser had read. opened: the line on which the
    innermost list or mapping began that it was in.
    """
    if not isinstance(error, MarkedYAMLError):
        position = getattr(error, "position", None)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else None
        return line, " ".join(str(error).replace('in "<unicode string>", position', "at character").split())
    seen, begun = error.problem_mark, error.context_mark
    context, problem = str(error.context or ""), str(error.problem or "")
    if seen is None:
        return (begun.line + 1 if begun else None), " ".join(filter(None, (context, problem)))
    words = next((plain for said, plain in _WORDS.items() if problem.startswith(said)), None)
    if quoted is not None and quoted.start_mark.line < quoted.end_mark.line == seen.line:
        return quoted.start_mark.line + 1, f"the quote that opens here is closed on line {seen.line + 1} only"
    if context in ("while parsing a flow sequence", "while parsing a flow mapping") and begun is not None:
        return _in_brackets(begun.line, seen.line, problem, text)
    if context == "while parsing a flow node" and opened is not None:
        return _in_brackets(opened - 1, seen.line, problem, text)
    late = context.startswith(("while scanning a simple key", "while scanning a quoted scalar"))
    mark = begun if begun is not None and late else seen
    return mark.line + 1, words or " ".join(filter(None, (context, problem)))


def _in_brackets(begun: int, seen: int, problem: str, text: str) -> tuple[int, str]:
    """A bracket is not closed where the text ends, or goes on at or before the indentation of its line."""
    lines = re.split(r"\r\n?|\n", text)
    if "<stream end>" in problem or (
        begun < seen < len(lines) and _indent(lines[seen]) <= _indent(lines[begun])
    ):
        return begun + 1, "the bracket that opens here is not closed"
    return seen + 1, problem + (f", in the brackets that open on line {begun + 1}" if seen > begun else "")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
