"""plan.json: what a study computes, and which shard does what."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels.uldp import ULDP_VERSION
from kernels.uldp.domain import Domain
from workflow.errors import PlainError
from workflow.pipeline.shards import Work, shard_names, split
from workflow.study.read import Study
from workflow.study.tasks import GRID, MapRow, Survey, Task, from_json, to_json
from workflow.words import shorten

FORMAT = "exact-census uldp plan 1"


class StudyPlanError(PlainError):
    """One line that names the file and says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """All tasks of a study by path, in the study's order, and the shards that they are divided into.

    labels: by table, the values of its columns for every symbol, sensitive ones first.
    """

    study: str
    study_yaml: str
    labels: dict[str, list[list[str]]]
    tasks: dict[str, Task]
    shards: dict[str, list[str]]

    def shard(self, name: str) -> list[Task]:
        """The tasks of one shard. Raises StudyPlanError for an unknown name."""
        if name not in self.shards:
            raise StudyPlanError(f"no shard {shorten(name)}; there are " + ", ".join(self.shards))
        return [self.tasks[path] for path in self.shards[name]]


def make_study_plan(study: Study, text: str, shards: int) -> StudyPlan:
    """The plan of a study, whose tables are read here; `text` is its file's. Raises ConfigError."""
    tasks: list[Task] = []
    labels: dict[str, list[list[str]]] = {}
    for domain, eps in study.grid:
        tasks += [
            Survey(GRID, domain, eps, name, None, study.clients, study.repetitions, study.seed)
            for name in study.mechanisms
        ]
    for table in study.tables:
        counts = table.read()
        labels[table.name] = [list(label) for label in counts.labels]
        domain = Domain(len(counts.labels), counts.sensitive)
        tasks += [
            Survey(
                *(table.name, domain, eps, name, counts.counts),
                *(study.clients, study.repetitions, study.seed),
            )
            for eps in table.eps
            for name in study.mechanisms
        ]
    symbols = study.map.symbols
    tasks += [MapRow(Domain(symbols, v), study.map.eps) for v in range(1, symbols + 1)]
    work = [Work(task.path, task.cost, task.key) for task in tasks]
    return StudyPlan(
        study=study.name,
        study_yaml=text,
        labels=labels,
        tasks={task.path: task for task in tasks},
        shards=dict(zip(shard_names(shards), split(work, shards), strict=True)),
    )


def plan_text(plan: StudyPlan) -> str:
    """The text of plan.json."""
    document = {
        "format": FORMAT,
        "uldp_version": ULDP_VERSION,
        "study": plan.study,
        "labels": plan.labels,
        "tasks": [to_json(task) for task in plan.tasks.values()],
        "shards": plan.shards,
        "study_yaml": plan.study_yaml,
    }
    return json.dumps(document, indent=1) + "\n"


def read_study_plan(path: Path) -> StudyPlan:
    """The plan in a plan.json. Raises StudyPlanError when it is missing, damaged or of other kernels."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise StudyPlanError(f"{path}: not a file of the format {FORMAT!r}")
        if document["uldp_version"] != ULDP_VERSION:
            made = f"made for version {document['uldp_version']} of the kernels, these are {ULDP_VERSION}"
            raise StudyPlanError(f"{path}: {made}; run the workflow again")
        tasks = [from_json(values) for values in document["tasks"]]
        return StudyPlan(
            study=document["study"],
            study_yaml=document["study_yaml"],
            labels=document["labels"],
            tasks={task.path: task for task in tasks},
            shards=document["shards"],
        )
    except OSError as error:
        raise StudyPlanError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise StudyPlanError(f"{path}: damaged ({error}); delete it and run the workflow again") from None
