"""Words for messages: the name that was meant, a number of things, and a list of names on one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from workflow.input.tree import shorten


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
