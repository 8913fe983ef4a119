"""How the cost of one composition grows: with its cells, with the nodes N of the rule, with the thresholds.

python -m benchmarks.cost [--repeats 5] [--write docs/performance.md]

CPU seconds of one batch evaluation on one core, compiled code in the cache; each series by turns.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction

from benchmarks.measure import by_turns, command_line, cpu_seconds, first_pair, ratios, show, spread
from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.plan_summary import PlanSummary
from kernels.accounting.settings import Settings

SPAN = 81.6  # what the nodes N times the step of the lattice come to
CELLS = (10, 100, 1_000, 10_000, 100_000)
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
DECADES = range(5, 21)
FLAT = (10**6, 10**18)
THRESHOLDS = (101, 301, 1_001, 3_001, 20_001)


def with_cells(cells: int) -> Composition:
    """So many cells of total rho 10, ten distinct rhos in proportion 1 to 10."""
    each = cells // 10
    return Composition.from_counts({Fraction(2 * k, 11 * each): each for k in range(1, 11)})


def with_nodes(nodes: int) -> Composition:
    """1,008 cells of total rho about 10, 14 distinct rhos without simple ratios, rounded to multiples of a
    step that makes about so many nodes necessary."""
    below = round(nodes / SPAN)
    odd_ends = [math.isqrt(prime * 10**60) % 10**30 for prime in PRIMES]  # of their roots, to 30 digits
    parts = [6 + k + Fraction(end, 2 * 10**30) for k, end in enumerate(odd_ends)]
    unit = Fraction(10, 72) / sum(parts)
    counts: Counter[Fraction] = Counter()
    for part in parts:
        counts[Fraction(round(unit * part * below), below)] += 72  # two may coincide on a coarse lattice
    return Composition.from_counts(counts)


def evaluation(composition: Composition, settings: Settings) -> Callable[[], float]:
    """Seconds of one evaluation, after one that is not counted."""
    evaluate([composition], settings)
    return lambda: cpu_seconds(lambda: evaluate([composition], settings))


def series(
    compositions: Mapping[str, Composition], repeats: int
) -> tuple[dict[str, PlanSummary], dict[str, list[float]]]:
    """Plans and seconds of every composition."""
    calls = {name: evaluation(one, Settings()) for name, one in compositions.items()}
    plans = {name: Accountant(one).plan_summary() for name, one in compositions.items()}
    return plans, by_turns(calls, repeats)


def main() -> None:
    options = command_line(__doc__, "repeats", "write").parse_args()
    for title, compositions in (
        ("cells", {f"{cells:,}": with_cells(cells) for cells in CELLS}),
        ("nodes", {f"1e{decade}": with_nodes(10**decade) for decade in DECADES}),
    ):
        plans, seconds = series(compositions, options.repeats)
        least = next(iter(seconds))
        rows = [
            [
                *(name, f"{plan.nodes:.2e}", f"{plan.survivors:,}", f"{plan.total_bound:.1e}"),
                *(spread(seconds[name]), ratios(seconds[name], seconds[least])),
            ]
            for name, plan in plans.items()
        ]
        header = [title, "N", "survivors", "bound of a tail", "CPU time", "against the first"]
        show(f"cost by {title}", header, rows, options.write)
        if title == "nodes":
            inside = [
                statistics.median(seconds[name])
                for name, plan in plans.items()
                if FLAT[0] / 2 <= plan.nodes <= FLAT[1] * 2
            ]
            print(f"from N = 1e6 to 1e18: greatest over least {max(inside) / min(inside):.2f}")

    calls = {f"{m:,}": evaluation(first_pair(), Settings(thresholds=m)) for m in THRESHOLDS}
    seconds = by_turns(calls, options.repeats)
    rows = [[name, spread(each), ratios(each, seconds["101"])] for name, each in seconds.items()]
    show("cost by thresholds", ["thresholds", "CPU time", "against the first"], rows, options.write)


if __name__ == "__main__":
    main()
