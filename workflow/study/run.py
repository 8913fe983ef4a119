"""What the rules of the study need to know about a run."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.uldp import ULDP_VERSION
from workflow.input.csv_rows import csv_rows
from workflow.origin import Origin
from workflow.pipeline.settings import RunSettings
from workflow.study.read import Study, find_study, load_study


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A study, its file, the files of its tables, and the folder of its results."""

    study: Study
    file: str
    tables: list[str]
    folder: str
    version: str = ULDP_VERSION

    @property
    def origin(self) -> Origin:
        """The study file and its folder."""
        return Origin(self.file, self.study.digest, self.folder)


def configure_study(settings: RunSettings) -> StudyRun:
    """Check the study file and that its tables have their columns. Raises ConfigError."""
    study = load_study(settings.study)
    for table in study.file.tables:
        next(csv_rows(study.path(table), [*table.columns, *([table.count] if table.count else [])]), None)
    return StudyRun(
        study=study,
        file=str(find_study(settings.study)),
        tables=[str(study.path(table)) for table in study.file.tables],
        folder=f"{settings.results}/{study.file.name}",
    )
