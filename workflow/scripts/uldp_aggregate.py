"""Rule uldp_aggregate: all shards of the study into study.h5, and the tables surveys.csv and limits.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.script import run
from workflow.study.aggregate import aggregate_study
from workflow.study.plan import read_study_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", required=True, type=Path, help="plan.json")
    parser.add_argument("--results", required=True, type=Path, help="merged result file to write")
    parser.add_argument("--surveys", required=True, type=Path, help="surveys.csv to write")
    parser.add_argument("--limits", required=True, type=Path, help="limits.csv to write")
    parser.add_argument("shards", nargs="+", type=Path, help="result files of the shards")
    options = parser.parse_args()

    plan = read_study_plan(options.plan)
    digest = aggregate_study(plan, options.shards, options.results, options.surveys, options.limits)
    print(f"{options.results}: {len(plan.tasks)} groups, digest {digest}")


if __name__ == "__main__":
    run(main)
