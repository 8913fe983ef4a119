"""Rule scan_plan: from a scan file to its candidate allocations and to the plan of their first pairs."""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

import argparse
from pathlib import Path

from kernels.accounting.plan_summary import cost
from workflow.allocation.write import write_allocation
from workflow.census.compute import warm_up
from workflow.design.scan import load_scan, scan_plan
from workflow.files import write_text
from workflow.input.tree import MAX_YAML_BYTES, read_text
from workflow.origin import Origin
from workflow.script import run
from workflow.words import how_many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", required=True, type=Path, help="the scan file")
    parser.add_argument("--shards", required=True, type=int, help="number of shards")
    parser.add_argument("--candidates", required=True, type=Path, help="folder for the candidates' files")
    parser.add_argument("--out", required=True, type=Path, help="mechanisms.json")
    options = parser.parse_args()

    scan = load_scan(options.scan)
    for candidate in scan.candidates.values():
        file = options.candidates / f"{candidate.name}.yaml"
        write_allocation(file, candidate, [candidate.title])
    plan = scan_plan(scan, read_text(options.scan, MAX_YAML_BYTES), options.shards, cost)
    warm_up(plan)
    write_text(options.out, plan.as_file())
    Origin(str(options.scan), scan.digest, str(options.out.parent)).record()
    print(f"{scan.name}: {how_many(len(plan.names), 'candidates')}, predicted {plan.seconds:.1f} CPU seconds")


if __name__ == "__main__":
    run(main)
