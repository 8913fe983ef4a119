"""Rule uldp_surveys: one shard of the study, on all ranks of an MPI world, into one result file.

mpiexec -n 4 python -m mpi4py workflow/scripts/uldp_surveys.py --tasks 4 ...
"""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from pathlib import Path
from typing import Any

from workflow.pipeline.shard_script import run_ranks
from workflow.script import run
from workflow.study.plan import read_study_plan
from workflow.study.shard import follow, run_study_shard


def lead(communicator: Any, plan: Path, *rest: Any) -> None:
    """Rank 0."""
    run_study_shard(communicator, read_study_plan(plan), *rest)


def main() -> None:
    run_ranks(__doc__, "plan.json", follow, lead)


if __name__ == "__main__":
    run(main)
