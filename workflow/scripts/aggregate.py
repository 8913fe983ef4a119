"""Rule aggregate: all shards into curves.h5, and the tables summary.csv, reductions.csv and attack.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.pipeline.merge import Outputs, aggregate
from workflow.pipeline.plan import read_work_plan
from workflow.script import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mechanisms", required=True, type=Path, help="mechanisms.json")
    Outputs.add_options(parser)
    parser.add_argument("shards", nargs="+", type=Path, help="result files of the shards")
    options = parser.parse_args()

    plan = read_work_plan(options.mechanisms)
    digest = aggregate(plan, options.shards, Outputs.chosen(options))
    print(f"{options.curves}: {len(plan.entries)} groups, digest {digest}")


if __name__ == "__main__":
    run(main)
