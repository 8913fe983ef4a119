"""Rule aggregate: all shards into curves.h5, and the tables summary.csv, reductions.csv and attack.csv."""

from workflow.census.plan import CensusPlan
from workflow.pipeline.merge import merge_script
from workflow.script import run

if __name__ == "__main__":
    run(lambda: merge_script(__doc__, CensusPlan, ["summary", "reductions", "attack"]))
