"""Rule uldp_surveys: one shard of the study, on all ranks of an MPI world, into one result file.

mpiexec -n 4 python -m mpi4py workflow/scripts/uldp_surveys.py --tasks 4 ...
"""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from workflow.pipeline.shard_script import shard_script
from workflow.script import run
from workflow.study.compute import compute
from workflow.study.plan import StudyPlan

if __name__ == "__main__":
    run(lambda: shard_script(__doc__, StudyPlan, compute))
