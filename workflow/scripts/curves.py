"""Rule curves: one shard of pairs and levels, on all ranks of an MPI world, into one result file.

mpiexec -n 4 python -m mpi4py workflow/scripts/curves.py --tasks 4 ...
"""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

from workflow.census.compute import compute
from workflow.census.plan import CensusPlan
from workflow.pipeline.shard_script import shard_script
from workflow.script import run

if __name__ == "__main__":
    run(lambda: shard_script(__doc__, CensusPlan, compute))
