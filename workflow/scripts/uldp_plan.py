"""Rule uldp_plan: from a study file and its tables to plan.json, which says what each shard does."""

from __future__ import annotations

from pathlib import Path

from workflow.files import write_text
from workflow.origin import Origin
from workflow.script import options, run
from workflow.study.plan import StudyPlan
from workflow.study.read import find_study, load_study
from workflow.study.tasks import Survey
from workflow.words import how_many


def main() -> None:
    asked = options(__doc__, study=str, shards=int, out=Path)
    study = load_study(asked.study)
    text = find_study(asked.study).read_text(encoding="utf-8")
    plan = StudyPlan.of(study, text, asked.shards)
    write_text(asked.out, plan.as_file())
    Origin(asked.study, study.digest, str(asked.out.parent)).record()
    surveys = sum(isinstance(task, Survey) for task in plan.tasks.values())
    print(
        f"{study.file.name}: {how_many(surveys, 'mechanisms')} to survey, "
        f"{how_many(len(plan.tasks) - surveys, 'rows')} of the regime map, "
        f"{how_many(len(plan.shards), 'shards')}, predicted {plan.seconds:.0f} CPU seconds"
    )


if __name__ == "__main__":
    run(main)
