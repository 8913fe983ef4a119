"""The least that a method of this kind can cost: operations counted, times what each takes on this machine.

python -m benchmarks.floor [--allocation dhc_persons_us] [--sample 200] [--write docs/performance.md]

"Of this kind" means: the surviving nodes are known, every curve has 1,008 thresholds to 1e-35 (arithmetic of
three doubles) and 256 values of delta to 1e-12 (doubles), and an answer at a delta takes two sums that
enclose it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import cpu_seconds, sample, sample_options, show
from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.settings import Settings
from kernels.numerics.arithmetic.elementary import exp, sin_cos_turns
from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import add, multiply

SETTINGS = Settings()
LENGTH = 200_000


@kernel
def _triple_terms(x: np.ndarray) -> float:
    total = (0.0, 0.0, 0.0)
    for i in range(len(x)):
        total = add(total, multiply((x[i], 1e-17, 1e-33), (x[i], 1e-18, 1e-34)))
    return total[0]


@kernel
def _triple_exps(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        total += exp((-x[i], 1e-17, 1e-33))[0]
    return total


@kernel
def _triple_turns(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        sine, cosine = sin_cos_turns((x[i], 1e-17, 1e-33))
        total += sine[0] * cosine[0]
    return total


@kernel
def _double_factors(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        total += math.exp(-x[i] * x[i])
    return total


@kernel
def _double_turns(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        angle = 6.283185307179586 * x[i]
        total += math.sin(angle) * math.cos(angle)
    return total


OPERATIONS: dict[str, Callable[[np.ndarray], float]] = {
    "triple product and sum": _triple_terms,
    "triple exponential": _triple_exps,
    "triple sine and cosine": _triple_turns,
    "double exponential": _double_factors,
    "double sine and cosine": _double_turns,
}


def unit_costs(repeats: int = 7) -> dict[str, float]:
    """Least seconds of each operation."""
    x = np.linspace(0.01, 0.49, LENGTH)
    costs = {}
    for name, operation in OPERATIONS.items():
        operation(x)
        costs[name] = min(cpu_seconds(partial(operation, x)) for _ in range(repeats)) / LENGTH
    return costs


def counted(composition: Composition) -> dict[str, dict[str, float]]:
    """How many operations each part of one composition needs at least."""
    accountant = Accountant(composition, SETTINGS.thresholds)
    plan, rule = accountant.plan, accountant.rule
    distinct, nodes, precise = len(composition.cells), len(plan.nodes.p), rule.precise
    relative, deltas = len(accountant.tilt.nodes.turn), len(SETTINGS.deltas)
    period = plan.grid.period or 2 * plan.grid.limit
    return {
        "coefficients of the absolute tier": {
            "triple product and sum": 2.0 * precise * distinct,
            "triple exponential": precise,
            "triple sine and cosine": precise,
            "double exponential": (nodes - precise) * distinct,
            "double sine and cosine": nodes - precise,
        },
        "curve: folding, fast transform": {
            "triple sine and cosine": precise,
            "double sine and cosine": nodes - precise,
            "triple product and sum": 2.0 * period * math.log2(period),
        },
        "profile": {
            "double exponential": relative * distinct,
            "double sine and cosine": relative * SETTINGS.eps_points,
        },
        "eps and reductions": {
            "double exponential": 2.0 * relative * distinct * deltas,
            "double sine and cosine": 4.0 * relative * deltas,
        },
    }


def main() -> None:
    options = sample_options(__doc__)

    compositions = sample(options.allocation, options.sample)
    costs = unit_costs()
    floor: dict[str, float] = {}
    whole = 0.0
    for one in compositions:
        for part, operations in counted(one).items():
            seconds = sum(number * costs[operation] for operation, number in operations.items())
            floor[part] = floor.get(part, 0.0) + seconds
        evaluate([one], SETTINGS)
        whole += min(cpu_seconds(partial(evaluate, [one], SETTINGS)) for _ in range(2))
    rows = [[part, f"{1000 * seconds / len(compositions):.2f} ms"] for part, seconds in floor.items()]
    least = sum(floor.values())
    rows.append(["together", f"{1000 * least / len(compositions):.2f} ms"])
    rows.append(["measured", f"{1000 * whole / len(compositions):.2f} ms"])
    rows.append(["measured, in floors", f"{whole / least:.1f}"])
    show("the floor", ["part", "CPU time of one composition"], rows, options.write)
    rows = [[name, f"{1e9 * cost:.1f} ns"] for name, cost in costs.items()]
    show("operations", ["operation", "CPU time"], rows, options.write)


if __name__ == "__main__":
    main()
