"""Errors that are one line for people: what raises them needs no traceback, and ends a script with a code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernels import errors


class PlainError(Exception):
    """One line that says what is wrong with the input, and where."""

    exit_code = 2


class ConfigError(PlainError, ValueError):
    """Bad input, told in one line: file, line, key path, value and what is allowed."""


class Refused(PlainError):
    """A computation that was refused, because its answer could not be certified or is out of reach."""

    exit_code = 1


def refusal(error: Exception) -> Refused | None:
    """The same error in plain form when it is one by which the kernels refuse, else None."""
    return Refused(str(error)) if isinstance(error, errors.Refused) else None


@contextmanager
def computing(what: str) -> Iterator[None]:
    """Exceptions say what was being computed. Raises Refused when the kernels refuse it."""
    try:
        yield
    except Exception as error:
        refused = refusal(error)
        if refused is not None:
            raise Refused(f"{what}: {refused}") from None
        error.add_note(f"while computing {what}")
        raise
