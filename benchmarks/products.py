"""All shipped products: how fine their lattices are, how small the bounds, what a whole run costs.

python -m benchmarks.products [--tasks 2] [--write docs/performance.md] [NAME ...]

Each runs from nothing in a temporary folder, one after the other: about an hour on two cores.
"""

from __future__ import annotations

import csv
import statistics
import tempfile
from decimal import Decimal
from pathlib import Path

from benchmarks.measure import command_line, show
from benchmarks.stages import run, stage_cost
from kernels.intervals.text import up
from kernels.numerics.nodes.layout import TOLERANCE
from workflow.allocation.read import find_allocation

PRODUCTS = tuple(
    f"{product}_{place}"
    for product in ("dhc_persons", "dhc_households", "pl94_persons", "pl94_units")
    for place in ("us", "pr")
)
HEADER = (
    *("allocation", "pairs", "largest N", "pairs right to 1e-35", "median bound", "largest bound"),
    *("widest interval of eps", "curves, CPU s", "whole command, s"),
)


def row(name: str, tasks: int) -> list[str]:
    """One product, run from nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        seconds = run(find_allocation(name).resolve(), tasks, Path(scratch))
        folder = Path(scratch) / "results" / name
        with (folder / "summary.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        curves = stage_cost(folder, "curves")[1]
    bounds = list({(one["first"], one["second"]): Decimal(one["absolute_bound"]) for one in rows}.values())
    widest = max(Decimal(one["eps_upper"]) - Decimal(one["eps_lower"]) for one in rows)
    return [
        *(f"`{name}`", str(len(bounds)), f"{max(float(one['nodes']) for one in rows):.1e}"),
        *(str(sum(float(bound) <= TOLERANCE for bound in bounds)), up(statistics.median(bounds), 2).lower()),
        *(up(max(bounds), 2).lower(), up(widest, 1).lower(), f"{curves:.0f}", f"{seconds:.0f}"),
    ]


def main() -> None:
    parser = command_line(__doc__, "tasks", "write")
    parser.add_argument("names", nargs="*", default=[*PRODUCTS, "joint_persons_us"], metavar="NAME")
    options = parser.parse_args()
    show("products", HEADER, [row(name, options.tasks) for name in options.names], options.write)


if __name__ == "__main__":
    main()
