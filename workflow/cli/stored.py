"""Questions that are answered from a result file."""

from __future__ import annotations

from workflow.allocation.read import parse_allocation
from workflow.cli.question import Asked, Question, listed_name, members
from workflow.errors import ConfigError
from workflow.results.curves import StoredResult, open_results, pair_path


def stored_result(asked: Asked) -> tuple[Question, StoredResult]:
    """All that is stored of a pair, PI,PJ in either order, and what it is of.

    Raises a PlainError when the file cannot be used or has no such pair.
    """
    file, pair = asked.stored()
    with open_results(file) as results:
        header = results.header()
        allocation = parse_allocation(header.allocation_yaml, f"{file}: allocation_yaml")
        first, second = members(allocation, pair)
        path = next(
            (path for path in (pair_path(first, second), pair_path(second, first)) if path in results), None
        )
        if path is None:
            raise ConfigError(f"--pair: {file} holds no pair {first},{second}.")
        stored = results.read_verified(path)
    question = Question(
        stored.composition,
        header.neighbours,
        allocation=header.allocation,
        pair=(first, second),
        names=(listed_name(allocation, first), listed_name(allocation, second)),
    )
    return question, stored
