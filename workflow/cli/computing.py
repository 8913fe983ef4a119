"""The accountant behind a question, and a progress line while it computes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from kernels.accounting.composition import Composition

if TYPE_CHECKING:  # the compiler behind it is loaded only when something is computed
    from kernels.accounting.accountant import Accountant

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def accountant_of(composition: Composition) -> Accountant:
    """The accountant of a composition."""
    # The compiler takes a second to load; help and complaints do not wait for it.
    from kernels.accounting.accountant import Accountant

    return Accountant(composition)


def each(title: str, items: Sequence[Item], answer: Callable[[Item], Answer]) -> list[Answer]:
    """answer(item) of every item, with a progress line."""
    answers: list[Answer] = []
    with progress(title) as advance:
        for item in items:
            advance(len(answers), len(items))
            answers.append(answer(item))
    return answers


@contextmanager
def progress(message: str) -> Iterator[Callable[[int, int], None]]:
    """A progress line on stderr, where a person is watching (stderr is a terminal).

    The callable handed out is told how many are done, of how many.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from workflow.cli.layout import bar  # rich takes 0.1 s to load, for which nothing else waits

    with bar(message) as advance:
        yield advance
