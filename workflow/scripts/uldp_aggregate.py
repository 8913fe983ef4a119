"""Rule uldp_aggregate: all shards of the study into study.h5, and the tables surveys.csv and limits.csv."""

from workflow.pipeline.merge import merge_script
from workflow.script import run
from workflow.study.plan import StudyPlan

if __name__ == "__main__":
    run(lambda: merge_script(__doc__, StudyPlan, ["surveys", "limits"]))
