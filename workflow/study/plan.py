"""plan.json: what a study computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from kernels.uldp import ULDP_VERSION
from kernels.uldp.domain import Domain
from workflow.origin import versions
from workflow.pipeline.plan import Plan, Table, divided, read_shards
from workflow.results.surveys import StudyHeader, StudyResult, SurveyFile
from workflow.results.values import expect
from workflow.study.read import Study
from workflow.study.tables import LimitRow, SurveyRow
from workflow.study.tasks import GRID, MapRow, Survey, Task, from_json, to_json


@dataclass(frozen=True)
class StudyPlan(Plan[Task, StudyHeader, StudyResult]):
    """All surveys and rows of the regime map of a study, in the study's order.

    labels: by table, the values of its columns for every symbol, sensitive ones first.
    """

    labels: dict[str, list[list[str]]]

    stage = "surveys"
    format = "exact-census uldp plan 2"
    version = ("uldp_version", ULDP_VERSION)
    files = SurveyFile
    merged = "study.h5"

    @classmethod
    def of(cls, study: Study, text: str, shards: int) -> Self:
        """The plan of a study, whose tables are read here; `text` is its file's. Raises ConfigError."""
        file = study.file
        numbers = (file.clients, file.repetitions, file.seed)
        tasks: list[Task] = [
            Survey(GRID, domain, eps, name, None, *numbers)
            for domain, eps in file.points
            for name in file.mechanisms
        ]
        labels = {}
        for table in file.tables:
            counts = study.counts(table)
            labels[table.name] = [list(label) for label in counts.labels]
            domain = Domain(len(counts.labels), counts.sensitive)
            tasks += [
                Survey(table.name, domain, eps, name, counts.counts, *numbers)
                for eps in table.eps
                for name in file.mechanisms
            ]
        symbols = file.map.symbols
        tasks += [MapRow(Domain(symbols, v), file.map.eps.values) for v in range(1, symbols + 1)]
        by_path = {task.path: task for task in tasks}
        return cls(file.name, text, by_path, divided(tasks, shards), labels)

    def header(self) -> StudyHeader:
        """The header of result files made from the plan."""
        return StudyHeader(self.name, self.text, self.labels, created_by=versions())

    def tables(self) -> dict[str, Table]:
        """surveys.csv and limits.csv."""
        return {"surveys": Table(SurveyRow, SurveyRow.rows_of), "limits": Table(LimitRow, LimitRow.rows_of)}

    def as_json(self) -> dict[str, Any]:
        """Labels and tasks."""
        tasks = [to_json(task) for task in self.tasks.values()]
        return {"study": self.name, "labels": self.labels, "tasks": tasks, "study_yaml": self.text}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The plan that as_json described."""
        tasks = [from_json(values) for values in document["tasks"]]
        return cls(
            name=expect(document["study"], str),
            text=expect(document["study_yaml"], str),
            tasks={task.path: task for task in tasks},
            shards=read_shards(document),
            labels=expect(document["labels"], dict),
        )
