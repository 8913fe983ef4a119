"""Exact eps of many compositions at one delta, on the cores of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.design.calibration import Epsilons
from kernels.accounting.plan_summary import predicted_cost
from kernels.intervals.interval import Interval
from kernels.numerics.nodes.plan import MOST_ANGLES, foreseen
from workflow.processes import in_processes

Item = TypeVar("Item")

_REPAID = 5.0  # seconds of work that repay what a process takes to start
_MOST_CHUNK = 100  # compositions, however quick they are
_SAMPLE = 8
# As measured: on such lattices so few cells are hard, whatever their nodes.
_FINE, _FEW_CELLS = 10**9, 20


@dataclass(frozen=True, slots=True)
class _Task:
    composition: Composition
    delta: Fraction
    guess: float | None


def exact_epsilons(
    delta: Fraction,
    guess: float | None = None,
    jobs: int | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Epsilons:
    """A function that gives the exact eps at delta of compositions, in order.

    guess: an eps near all of them, for speed; jobs: processes, one per core by default; advance is told how
    many are done, of how many. None of these changes a result.
    """

    def epsilons(compositions: Sequence[Composition]) -> Iterator[Interval]:
        tasks = [_Task(composition, delta, guess) for composition in compositions]
        chunk = max(1, min(_MOST_CHUNK, int(_REPAID / predicted_seconds(sample(compositions)))))
        for done, eps in enumerate(in_processes(_epsilon, tasks, jobs, chunk), start=1):
            advance(done, len(tasks))
            yield eps

    return epsilons


def sample(items: Sequence[Item]) -> Sequence[Item]:
    """A few of the items, evenly spaced."""
    return items[:: max(1, len(items) // _SAMPLE)]


def predicted_seconds(compositions: Sequence[Composition]) -> float:
    """What one of them takes on one core, at most and roughly; the mean over all, at least one."""
    longest = predicted_cost(MOST_ANGLES, MOST_ANGLES, 1)  # as no more nodes are summed
    seconds = 0.0
    for one in compositions:
        _, _, modulus, nodes = foreseen(*zip(*one.cells, strict=True))
        hard = modulus > _FINE and one.size <= _FEW_CELLS
        seconds += longest if hard else min(predicted_cost(nodes, nodes, len(one.cells)), longest)
    return seconds / len(compositions)


def _epsilon(task: _Task) -> Interval:
    return Accountant(task.composition).epsilon(task.delta, task.guess)
