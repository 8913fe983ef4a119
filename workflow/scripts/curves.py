"""Rule curves: one shard of pairs and levels, on all ranks of an MPI world, into one result file.

mpiexec -n 4 python -m mpi4py workflow/scripts/curves.py --tasks 4 ...
"""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from pathlib import Path
from typing import Any

from workflow.pipeline.plan import read_work_plan
from workflow.pipeline.shard import follow, run_shard
from workflow.pipeline.shard_script import run_ranks
from workflow.script import run


def lead(communicator: Any, plan: Path, *rest: Any) -> None:
    """Rank 0."""
    run_shard(communicator, read_work_plan(plan), *rest)


def main() -> None:
    run_ranks(__doc__, "mechanisms.json", follow, lead)


if __name__ == "__main__":
    run(main)
