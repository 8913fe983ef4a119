"""The accountant behind a question: imported late, watched by a progress line, its refusals made errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kernels.errors import Refused
from workflow.cli.errors import Refusal
from workflow.cli.figures import exact_fields
from workflow.cli.progress import progress
from workflow.cli.question import Question

if TYPE_CHECKING:
    from kernels.accounting.accountant import Accountant


@contextmanager
def accountant_of(
    question: Question, steps: int | None = None
) -> Iterator[tuple[Accountant, Callable[[], None]]]:
    """The accountant of the question's composition, and a callable that says that one of `steps` is done.

    Raises Refusal as `refusals` does.
    """
    with progress(question.title, steps) as advance, refusals():
        from kernels.accounting.accountant import Accountant

        yield Accountant(question.composition), advance


@contextmanager
def refusals() -> Iterator[None]:
    """Raises Refusal when an accountant refuses, and when one of its checks on its own numbers fails."""
    try:
        yield
    except Refused as error:
        raise Refusal(str(error)) from None
    except (ValueError, ArithmeticError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise Refusal(f"no certain answer; please report this command with its message: {reason}") from error


def answer_fields(command: str, question: Question) -> dict[str, Any]:
    """JSON fields at the head of an answer: the command, the question, its total rho and its lattice."""
    return {"command": command, **question.fields(), **exact_fields("lattice", question.composition.spacing)}
