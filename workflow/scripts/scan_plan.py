"""Rule scan_plan: from a scan file to its candidate allocations and to the plan of their first pairs."""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from pathlib import Path

from kernels.accounting.plan_summary import cost
from workflow.allocation.write import write_allocation
from workflow.census.compute import warm_up
from workflow.design.scan import load_scan, scan_plan
from workflow.files import write_text
from workflow.input.tree import MAX_YAML_BYTES, read_text
from workflow.origin import Origin
from workflow.script import options, run
from workflow.words import how_many


def main() -> None:
    asked = options(__doc__, scan=Path, shards=int, candidates=Path, out=Path)
    scan = load_scan(asked.scan)
    for candidate in scan.candidates.values():
        file = asked.candidates / f"{candidate.name}.yaml"
        write_allocation(file, candidate, [candidate.title])
    plan = scan_plan(scan, read_text(asked.scan, MAX_YAML_BYTES), asked.shards, cost)
    warm_up(plan)
    write_text(asked.out, plan.as_file())
    Origin(str(asked.scan), scan.digest, str(asked.out.parent)).record()
    print(f"{scan.name}: {how_many(len(plan.names), 'candidates')}, predicted {plan.seconds:.1f} CPU seconds")


if __name__ == "__main__":
    run(main)
