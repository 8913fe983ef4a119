"""Errors a user can cause are one line on stderr; exit code 2 for bad input, 1 for a refused computation."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

BAD_INPUT = 2
REFUSED = 1
INTERRUPTED = 130


class CommandError(click.ClickException):
    """An error that remembers the command it came from."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.ctx = click.get_current_context(silent=True)


class BadInput(CommandError):
    """Input that cannot be used; the message names the option or file, the value and what is allowed."""

    exit_code = BAD_INPUT


class Refusal(CommandError):
    """A computation that was refused because its answer could not be guaranteed, or is out of reach here."""

    exit_code = REFUSED


def one_line(text: object) -> str:
    """The text with every run of white space, line breaks included, made one space, and escape sequences
    and other characters that do not print written out."""
    from workflow.words import printable

    return printable(" ".join(str(text).split()))


def run(call: Callable[[], object], program: str) -> int:
    """Run a click command that lets its exceptions out, print any error as one line, return the exit code."""
    try:
        code = call()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        _complain(context.command_path if context else program, error.format_message())
        return error.exit_code
    except click.Abort:
        _complain(program, "interrupted")
        return INTERRUPTED
    except MemoryError:
        _complain(program, "this computation needs more memory than there is")
        return REFUSED
    except OSError as error:
        from workflow.words import file_name

        _complain(program, f"{file_name(error.filename or 'output', error)}: {error.strerror or error}")
        return REFUSED


def warning(message: str) -> None:
    """Say something on stderr, as one line, and go on."""
    context = click.get_current_context(silent=True)
    _complain(context.command_path if context else "exact-census", message)


def _complain(where: str, message: str) -> None:
    click.echo(f"{where}: {one_line(message)}", err=True)
