"""Errors that are one line for people: they need no traceback, and end a program with a code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernels.errors import Refused
from workflow.words import one_line

BAD_INPUT, REFUSED, INTERRUPTED = 2, 1, 130  # exit codes; the last is what a shell gives after Ctrl-C


class PlainError(Exception):
    """Something is wrong with the input: one line that says what, and where."""

    exit_code = BAD_INPUT

    def line(self) -> str:
        """The message on one line."""
        return one_line(self)


class ConfigError(PlainError, ValueError):
    """Bad input from a person: file, line, key path, value and what is allowed."""


@contextmanager
def computing(what: str) -> Iterator[None]:
    """Exceptions of the block, refusals of the kernels among them, say what was being computed."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{what}: {error}") from None
    except Exception as error:
        error.add_note(f"while computing {what}")
        raise
