"""Google's dp-accounting on one composition: JSON on standard input, JSON on standard output.

Runs in the environment of benchmarks/requirements.txt; imports nothing of this repository.

In: {"cells": [[sigma, count], ...], "eps": [...], "grid": 1e-4}. Out, for its two ways to discretise: CPU
seconds of the composition alone, and delta at every eps.
"""

from __future__ import annotations

import json
import sys
import time

from dp_accounting.pld import privacy_loss_distribution


def compose(
    cells: list[list[float]], grid: float, dots: bool
) -> privacy_loss_distribution.PrivacyLossDistribution:
    """All cells, equal ones by self-composition; pessimistic, every other setting as the library has it."""
    total = None
    for sigma, count in cells:
        one = privacy_loss_distribution.from_discrete_gaussian_mechanism(
            sigma, sensitivity=1, value_discretization_interval=grid, use_connect_dots=dots
        )
        family = one.self_compose(int(count))
        total = family if total is None else total.compose(family)
    return total


def main() -> None:
    question = json.load(sys.stdin)
    answer = {}
    for name, dots in (("privacy buckets", False), ("connect the dots", True)):
        start = time.process_time()
        total = compose(question["cells"], question["grid"], dots)
        seconds = time.process_time() - start
        delta = [float(total.get_delta_for_epsilon(eps)) for eps in question["eps"]]
        answer[name] = {"seconds": seconds, "delta": delta}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
