"""docs/uldp.md names every key of a study file and every column of the tables."""

from __future__ import annotations

from tests.paths import ROOT
from workflow.study.schema import MapFile, StudyFile, TableFile
from workflow.study.tables import LimitRow, SurveyRow


def test_every_key_and_column_is_documented() -> None:
    text = (ROOT / "docs" / "uldp.md").read_text(encoding="utf-8")
    for model in (StudyFile, TableFile, MapFile):
        assert all(f"`{key}`" in text for key in model.model_fields)
    assert all(f"`{column}`" in text for column in (*SurveyRow.columns(), *LimitRow.columns()))
