"""Where the CPU time of the curves stage goes, part by part.

python -m benchmarks.parts [--allocation dhc_persons_us] [--sample 200] [--write docs/performance.md]

A sample of pairs, evenly spaced over the list, in one process; every part is what one call of the accountant
adds when the parts before it are done.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import command_line, cpu_seconds, show
from kernels.accounting.accountant import Accountant
from kernels.accounting.census.mechanism import pair_composition, pairs
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import eps_grid, evaluate
from kernels.accounting.inverse import log_fraction
from kernels.accounting.settings import Settings
from kernels.numerics.absolute.grid import grid_tails
from workflow.allocation.read import load_allocation

SETTINGS = Settings()
COLD = "import kernels.accounting.evaluate"


def sample(name: str, size: int) -> list[Composition]:
    """Compositions of so many pairs of an allocation, evenly spaced over the list; all if it has fewer."""
    allocation = load_allocation(name)
    every = pairs(allocation)
    size = min(size, len(every))
    return [pair_composition(allocation, *every[i * len(every) // size]) for i in range(size)]


class Parts:
    """CPU seconds by part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def measured(self, part: str, call: Callable[[], Any]) -> Any:
        """What the call returns; its CPU seconds are added to the part."""
        start = time.process_time()
        result = call()
        self.seconds[part] = self.seconds.get(part, 0.0) + time.process_time() - start
        return result


def dissect(composition: Composition, parts: Parts) -> tuple[int, int, int]:
    """One composition, part by part; its survivors, those in triple-double arithmetic, and distinct rhos."""
    accountant = Accountant(composition, SETTINGS.thresholds)
    plan = parts.measured("plan: lattice, survivors, bounds", lambda: accountant.tiers.plan)
    rule = parts.measured("coefficients", lambda: accountant.tiers.rule)
    parts.measured("curve: folding and transform", lambda: grid_tails([plan], [rule]))
    parts.measured("relative tier: selection", lambda: accountant.tiers.tilt)
    eps = eps_grid(composition.zcdp_rho, SETTINGS.eps_points)
    logs, _ = parts.measured("profile on 256 eps", lambda: accountant.log_profile(eps))
    guesses = np.interp([-log_fraction(delta) for delta in SETTINGS.deltas], -logs, eps)
    for delta, guess in zip(SETTINGS.deltas, guesses, strict=True):
        parts.measured("exact eps at 3 deltas", partial(accountant.epsilon, delta, guess))
        parts.measured("variance reduction at 3 deltas", partial(accountant.reduction, delta))
    return len(plan.nodes.p), rule.precise, len(composition.cells)


def start_up(repeats: int = 5) -> float:
    """Least CPU seconds of a process that imports the kernels."""
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", COLD], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    parser = command_line(__doc__, "allocation", "write")
    parser.add_argument("--sample", type=int, default=200, help="how many pairs")
    options = parser.parse_args()
    compositions = sample(options.allocation, options.sample)
    imported = start_up()
    start = time.process_time()
    evaluate(compositions[:1], SETTINGS)
    first = time.process_time() - start
    for one in compositions[:5]:  # transforms of every period, and what else is kept
        evaluate([one], SETTINGS)

    parts, sizes, whole = Parts(), [], 0.0
    for one in compositions:
        sizes.append(dissect(one, parts))
        whole += cpu_seconds(partial(evaluate, [one], SETTINGS))
    parts.seconds["tables, and all else"] = whole - sum(parts.seconds.values())
    rows = [
        [part, f"{1000 * seconds / len(compositions):.2f} ms", f"{100 * seconds / whole:.1f} %"]
        for part, seconds in parts.seconds.items()
    ]
    rows.append(["one composition", f"{1000 * whole / len(compositions):.2f} ms", "100 %"])
    rows.append(["once a process: imports", f"{imported:.2f} s", ""])
    rows.append(["once a process: compiled code from the cache, first composition", f"{first:.2f} s", ""])
    show("where the time goes", ["part", "CPU time", "share"], rows, options.write)
    survivors, precise, distinct = np.mean(sizes, axis=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(compositions)} pairs; on average {survivors:.0f} survivors with theta > 0, {precise:.0f} of "
        f"them in triple-double arithmetic, {distinct:.1f} distinct rhos; peak memory {peak:.0f} MiB"
    )


if __name__ == "__main__":
    main()
