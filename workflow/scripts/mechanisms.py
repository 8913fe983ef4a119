"""Rule mechanisms: from an allocation file to mechanisms.json, which says what each shard computes.

It also compiles the kernels, once, before many processes want them at the same time.
"""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from pathlib import Path

from kernels.accounting.plan_summary import cost
from workflow.allocation.read import load_allocation
from workflow.allocation.write import standalone_text
from workflow.census.compute import warm_up
from workflow.census.plan import CensusPlan
from workflow.digests import allocation_digest
from workflow.files import write_text
from workflow.origin import Origin
from workflow.script import options, run
from workflow.words import how_many


def main() -> None:
    asked = options(__doc__, allocation=str, shards=int, out=Path)
    allocation = load_allocation(asked.allocation)
    plan = CensusPlan.of(allocation, standalone_text(asked.allocation), asked.shards, cost)
    warm_up(plan)
    write_text(asked.out, plan.as_file())
    Origin(asked.allocation, allocation_digest(allocation), str(asked.out.parent)).record()
    print(
        f"{allocation.name}: {how_many(len(plan.names), 'mechanisms')}, {len(plan.tasks)} pairs and levels, "
        f"{how_many(len(plan.distinct), 'distinct compositions')}, {how_many(len(plan.shards), 'shards')}, "
        f"predicted {plan.seconds:.1f} CPU seconds"
    )


if __name__ == "__main__":
    run(main)
