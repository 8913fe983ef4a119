"""Computing the census's tasks. Loads the compiled kernels."""

from __future__ import annotations

from kernels.accounting.evaluate import evaluate
from workflow.census.plan import CensusPlan, CurveTask
from workflow.errors import computing
from workflow.results.curves import StoredResult


def compute(task: CurveTask) -> StoredResult:
    """The record of a task. Raises Refused when the kernels refuse; exceptions name the pair or level."""
    with computing(task.path):
        (result,) = evaluate([task.composition], task.settings)
    return StoredResult(
        **vars(result),
        identity=task.identity,
        key=task.key,
        composition=task.composition,
        deltas=task.settings.deltas,
        cpu_seconds=0.0,
    )


def warm_up(plan: CensusPlan) -> None:
    """Compile the kernels into the cache: by the lightest level and the lightest pair, since a level's
    few distinct rho do not need all of them."""
    for kind in ("level", "pair"):
        tasks = [task for task in plan.tasks.values() if task.identity.kind == kind]
        if tasks:
            compute(min(tasks, key=lambda task: task.cost))
