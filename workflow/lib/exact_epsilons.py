"""Exact eps of many compositions at one delta, on the cores of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from workflow.lib.processes import in_processes

if TYPE_CHECKING:
    from kernels.accounting.calibration import Epsilons
    from kernels.accounting.certified import Certified
    from kernels.accounting.composition import Composition

_CHUNK = 100  # compositions that repay what a process takes to start


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

    def epsilons(compositions: Sequence[Composition]) -> Iterator[Certified]:
        tasks = [_Task(composition, delta, guess) for composition in compositions]
        for done, eps in enumerate(in_processes(_epsilon, tasks, jobs, _CHUNK), start=1):
            advance(done, len(tasks))
            yield eps

    return epsilons


def _epsilon(task: _Task) -> Certified:
    from kernels.accounting.accountant import Accountant

    return Accountant(task.composition).epsilon(task.delta, task.guess)
