"""Questions that are answered from a result file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.cli.errors import BadInput
from workflow.cli.question import Question

if TYPE_CHECKING:
    from kernels.accounting.tradeoff.tabulated import Curve
    from workflow.results.curves import StoredResult


def stored_curve(file: str, pair: str) -> tuple[Question, Curve]:
    """The stored trade-off function of a pair, PI,PJ in either order, and what it is of.

    Raises BadInput as `stored_result` does.
    """
    from kernels.accounting.tradeoff.tabulated import Curve

    question, stored = stored_result(file, pair)
    return question, Curve(
        stored.threshold_first, stored.threshold_step, stored.alpha, stored.beta, stored.absolute_bound
    )


def stored_result(file: str, pair: str) -> tuple[Question, StoredResult]:
    """All that is stored of a pair, PI,PJ in either order, and what it is of.

    Raises BadInput (one line) when the file cannot be used or has no such pair.
    """
    from kernels.accounting.census.mechanism import mechanism_name, resolve_mechanism
    from workflow.allocation.read import parse_allocation
    from workflow.errors import ConfigError
    from workflow.results.curves import open_results, pair_path
    from workflow.results.file import StoreError

    members = [member.strip() for member in pair.split(",")]
    if len(members) != 2:
        raise BadInput(f"--pair: '{pair}' must name two mechanisms, such as 000000,000000 or M00,M01.")
    try:
        with open_results(file) as results:
            header = results.header()
            allocation = parse_allocation(header.allocation_yaml, f"{file}: allocation_yaml")
            first, second = (resolve_mechanism(allocation, member) for member in members)
            paths = [pair_path(first, second), pair_path(second, first)]
            path = next((one for one in paths if one in results), None)
            if path is None:
                raise BadInput(f"--pair: {file} holds no pair {first},{second}.")
            stored = results.read_verified(path)
    except (StoreError, ConfigError) as error:
        raise BadInput(str(error)) from None
    except ValueError as error:
        raise BadInput(f"--pair: {error}.") from None
    question = Question(
        stored.composition,
        header.neighbours,
        allocation=header.allocation,
        pair=(first, second),
        names=(mechanism_name(allocation, first), mechanism_name(allocation, second)),
    )
    return question, stored
