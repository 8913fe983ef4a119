"""Rule uldp_plan: from a study file and its tables to plan.json, which says what each shard does."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.files import write_text
from workflow.origin import Origin
from workflow.script import run
from workflow.study.plan import StudyPlan
from workflow.study.read import find_study, load_study
from workflow.study.tasks import Survey
from workflow.words import how_many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", required=True, help="path of the study file")
    parser.add_argument("--shards", required=True, type=int, help="number of shards")
    parser.add_argument("--out", required=True, type=Path, help="plan.json")
    options = parser.parse_args()

    study = load_study(options.study)
    text = find_study(options.study).read_text(encoding="utf-8")
    plan = StudyPlan.of(study, text, options.shards)
    write_text(options.out, plan.as_file())
    Origin(options.study, study.digest, str(options.out.parent)).record()
    surveys = sum(isinstance(task, Survey) for task in plan.tasks.values())
    print(
        f"{study.file.name}: {how_many(surveys, 'mechanisms')} to survey, "
        f"{how_many(len(plan.tasks) - surveys, 'rows')} of the regime map, "
        f"{how_many(len(plan.shards), 'shards')}, predicted {plan.seconds:.0f} CPU seconds"
    )


if __name__ == "__main__":
    run(main)
