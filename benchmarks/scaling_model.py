"""A model of the workflow's time on many cores.

python -m benchmarks.scaling_model [--check RANKS SECONDS ...]

The constants were measured (docs/scaling.md says how and where); the tables are computed from them. With
--check the model is held against measured wall seconds of the curves stage on so many ranks, in one shard.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Costs:
    """Seconds on one core of the machine measured, and bytes."""

    item: float = 0.0241  # kernels, per distinct composition of the DHC, on average
    longest_item: float = 2.8
    rank_start: float = 1.1  # imports, the plan, compiled code from the cache
    served: float = 0.0045  # rank 0 per item: receive, digest, and its piece of the unfinished shard
    written: float = 0.0039  # rank 0 per group at the end of a shard: write, read back, compare digests
    merged: float = 0.0075  # stage aggregate per group: verify, copy, verify, table rows
    certified: float = 12.7  # stage certify: 100 values of the DHC
    planned: float = 0.0006  # stage mechanisms per pair
    job: float = 9.0  # from sbatch to the script's first line, and until its end is noticed
    group_bytes: int = 71_000


@dataclass(frozen=True)
class Workload:
    """How many distinct compositions, and how much more each costs than one of the DHC."""

    name: str
    items: int
    weight: float = 1.0


WORKLOADS = (
    Workload("DHC, 43 patterns", 835),
    Workload("DHC, items 100 times as heavy", 835, 100.0),
    Workload("10^5 compositions", 100_000),
    Workload("10^6, 100 times as heavy", 1_000_000, 100.0),
)


def curves(costs: Costs, work: Workload, cores: int, shards: int) -> float:
    """Seconds of the curves stage without its job's own time: the ranks' work, or what rank 0 can serve."""
    ranks = max(1, cores // shards)
    items = work.items / shards
    kernels = items * costs.item * work.weight
    # Rank 0 computes too, in the time that serving leaves it.
    shared = (kernels + items * costs.served) / ranks
    served = items * costs.served
    longest = costs.longest_item * work.weight if ranks > 1 else 0.0
    return costs.rank_start + max(shared, served, longest) + items * costs.written


def total(costs: Costs, work: Workload, cores: int, shards: int) -> dict[str, float]:
    """Seconds of every stage, whose jobs run one after the other."""
    return {
        "mechanisms": costs.job + work.items * costs.planned,
        "curves": costs.job + curves(costs, work, cores, shards),
        "aggregate": costs.job + work.items * costs.merged,
        "certify": costs.job + costs.certified,
        "report": costs.job + 2.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", nargs="+", type=float, default=[], metavar="RANKS SECONDS")
    options = parser.parse_args()
    console, costs = Console(width=120), Costs()
    for ranks, seconds in zip(options.check[::2], options.check[1::2], strict=True):
        model = curves(costs, WORKLOADS[0], int(ranks), 1)
        console.print(
            f"{ranks:.0f} ranks: model {model:.1f} s, measured {seconds:.1f} s, {model / seconds:.2f}"
        )
    for work in WORKLOADS:
        table = Table(
            "cores", "shards", "sbatch", "files", "GB", *total(costs, work, 1, 1), "minutes", title=work.name
        )
        for cores in (100, 1_000, 10_000, 100_000):
            shards = min(25, max(1, work.items // 30))
            stages = total(costs, work, cores, shards)
            table.add_row(
                f"{cores:,}",
                str(shards),
                str(shards + 5),
                str(4 * shards + 14),
                f"{2 * work.items * costs.group_bytes / 1e9:.1f}",
                *(f"{seconds:,.0f} s" for seconds in stages.values()),
                f"{sum(stages.values()) / 60:,.1f}",
            )
        console.print(table)
        knee = math.ceil(costs.item * work.weight / costs.served)
        console.print(f"a shard stops getting faster at about {knee} ranks, where rank 0 is busy serving")


if __name__ == "__main__":
    main()
