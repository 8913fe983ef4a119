"""The study's page: opens alone, prints the results' own figures, trusts no text, says when it was beaten."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.workflow.study.studies import TINY, plan_of, run_shard
from workflow.pages.study_findings import longest_series, on_grid, points_of
from workflow.pages.study_page import build_study_report, mixture_text
from workflow.pages.template import significant
from workflow.pipeline.merge import merge
from workflow.results.surveys import SurveyFile
from workflow.results.tables import ReportError
from workflow.study.read import Study, parse_study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Study]:
    """A folder with the results of the tiny study, and the study."""
    folder = tmp_path_factory.mktemp("report")
    plan = plan_of(folder)
    files = run_shard(folder, plan)
    tables = {"surveys": folder / "surveys.csv", "limits": folder / "limits.csv"}
    merge(plan, [files.out], folder / "study.h5", tables)
    return folder, parse_study(TINY.read_text(), folder / "tiny_study.yaml")


def page(made: tuple[Path, Study], study: Study | None = None) -> str:
    folder, usual = made
    build_study_report(folder, study or usual, folder / "report.html")
    return (folder / "report.html").read_text(encoding="utf-8")


def test_page_is_whole_and_alone(made: tuple[Path, Study]) -> None:
    text = page(made)
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<svg") == text.count("</svg>") == 5
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", text.replace("xlink:href", "link"))
    assert "<script" not in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert page(made) == text


def test_every_figure_is_a_stored_one(made: tuple[Path, Study]) -> None:
    with SurveyFile(made[0] / "study.h5") as stored:
        results = [stored.read(row["path"]) for row in stored.index()]
    known = {value for result in results for value in result.attributes.values() if isinstance(value, float)}
    known |= {
        result.attributes[name] / result.attributes["m_star"]
        for result in results
        if result.attributes["kind"] == "survey"
        for name in ("n_mse", "exact_n_mse", "worst_n_mse")
    }
    shown = re.findall(r'<data value="([^"]+)">([^<]+)</data>', page(made))
    assert len(shown) > 30
    for digits, text in shown:
        assert float(digits) in known
        assert float(text) == pytest.approx(float(digits), rel=1e-2)


def test_text_of_the_study_is_escaped(made: tuple[Path, Study]) -> None:
    hostile = made[1].file.model_copy(update={"title": '<script>alert("x")</script>'})
    text = page(made, replace(made[1], file=hostile))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_beaten_design_is_admitted(made: tuple[Path, Study], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no other mechanism does better" in page(made)

    def flattering(results: object) -> list[object]:
        points = points_of(results)  # type: ignore[arg-type]
        point = points[0]
        better = replace(point.surveys["uSS"], n_mse=0.1, n_mse_error=0.0005)
        return [replace(point, surveys={**point.surveys, "uSS": better}), *points[1:]]

    monkeypatch.setattr("workflow.pages.study_page.points_of", flattering)
    assert "In 1 comparisons another mechanism did better" in page(made)


def test_results_without_block_design_are_refused(made: tuple[Path, Study], tmp_path: Path) -> None:
    plan = plan_of(tmp_path, mechanisms="[uRR]")
    files = run_shard(tmp_path, plan)
    tables = {"surveys": tmp_path / "surveys.csv", "limits": tmp_path / "l.csv"}
    merge(plan, [files.out], tmp_path / "study.h5", tables)
    with pytest.raises(ReportError, match="no surveys by uBD"):
        build_study_report(tmp_path, made[1], tmp_path / "report.html")


def test_series_for_the_plots(made: tuple[Path, Study]) -> None:
    with SurveyFile(made[0] / "study.h5") as stored:
        points = on_grid(points_of([stored.read(row["path"]) for row in stored.index()]))
    assert [point.at.eps for point in longest_series(points, "eps")] == [Fraction(1, 2), Fraction(2)]
    assert [point.at.sensitive for point in longest_series(points, "sensitive")] == [1, 4]


def test_numbers_in_words() -> None:
    assert [significant(value, 3) for value in (1.0, 0.12345, 123.456, 1e-9, 123456.0)] == [
        *("1.00", "0.123", "123", "1.00e-09", "1.23e+05")
    ]
    assert mixture_text({2: 1.0}) == "k = 2"
    assert mixture_text({1: 0.883, 2: 0.117}) == "k = 1: 88.3\u00a0%, k = 2: 11.7\u00a0%"
