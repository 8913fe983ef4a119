"""Rule uldp_surveys: one shard of the study, on all ranks of an MPI world, into one result file.

mpiexec -n 4 python -m mpi4py workflow/scripts/uldp_surveys.py --tasks 4 ...
"""

from workflow.lib.threads import limit_threads

limit_threads()  # before numpy is imported

import argparse
import logging
from pathlib import Path

from workflow.lib import farm
from workflow.lib.script import run
from workflow.lib.shard_run import ShardFiles
from workflow.lib.termination import end_early_on_sigterm, outlive_sigterm
from workflow.lib.uldp.plan import StudyPlanError, read_study_plan
from workflow.lib.uldp.shard import follow, run_study_shard


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", required=True, type=Path, help="plan.json")
    parser.add_argument("--shard", required=True, help="name of the shard")
    parser.add_argument("--tasks", type=int, help="number of ranks that were asked for, to be checked")
    parser.add_argument("--progress", choices=("auto", "bar", "lines"), default="auto")
    parser.add_argument("--checkpoint", type=float, default=20.0, help="seconds between keeping results")
    parser.add_argument("--log", required=True, type=Path)
    parser.add_argument("--stats", required=True, type=Path, help="cost of this run, JSON")
    parser.add_argument("--out", required=True, type=Path, help="result file of the shard")
    options = parser.parse_args()

    communicator = farm.world(options.tasks)
    if communicator is not None and communicator.rank > 0:
        outlive_sigterm()
        follow(communicator, options.log)
        return
    logging.basicConfig(filename=options.log, level=logging.INFO, format="%(asctime)s %(message)s")
    end_early_on_sigterm()
    files = ShardFiles(options.out, options.stats, options.log)
    plan = read_study_plan(options.plan)
    run_study_shard(communicator, plan, options.shard, files, options.progress, options.checkpoint)


if __name__ == "__main__":
    run(main, StudyPlanError)
