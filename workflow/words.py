"""Words for messages: names and values on one line, the name that was meant, a number of things, lists."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from pathlib import Path


def suggestion(name: str, allowed: Iterable[str]) -> str:
    """The words "did you mean 'x'? " when an allowed name is close to `name`, else nothing."""
    spelt = {known.casefold(): known for known in allowed}
    close = difflib.get_close_matches(name[:200].casefold(), list(spelt), n=1)
    return f"did you mean {shorten(spelt[close[0]])}? " if close else ""


def how_many(number: int, things: str, one: str = "") -> str:
    """The number and what it counts: 2 pairs, 1 pair. `one` is the singular, where it is not without an s."""
    return f"{number} {one or things.removesuffix('s') if number == 1 else things}"


def listing(names: Iterable[str]) -> str:
    """The names on one line, separated by commas; of a long list only the beginning."""
    every = [shorten(name, quote="") for name in names]
    more = f" and {len(every) - 20} more" if len(every) > 20 else ""
    return ", ".join(every[:20]) + more


def shorten(text: str, quote: str = "'", limit: int = 80) -> str:
    """Text in quotes on one line, cut when long."""
    return quote + printable(text if len(text) <= limit else text[: limit - 3] + "...") + quote


def printable(text: str) -> str:
    """Text on one line, control characters and lone surrogates escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(text: object) -> str:
    """The text with every run of white space, line breaks included, made one space, and what does not print
    written out."""
    return printable(" ".join(str(text).split()))


def unreadable(path: str | Path, error: OSError) -> str:
    """Says of a file that is named by a user why it cannot be read."""
    return f"{file_name(path, error)}: cannot be read: {error.strerror}"


def file_name(path: str | Path, error: OSError) -> str:
    """The name of a file that the system could not find or open, on one line; cut when it is too long for
    any file."""
    return shorten(str(path), quote="") if error.errno == errno.ENAMETOOLONG else printable(str(path))
