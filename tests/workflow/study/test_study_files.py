"""Study files and tables of counts: what they mean, and one clear line for every mistake."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from kernels.uldp.blocks import block_design
from kernels.uldp.closed_forms import single_size_until
from kernels.uldp.domain import Domain
from kernels.uldp.mechanism import odds_of
from kernels.uldp.saddle import solve
from tests.paths import ROOT
from tests.refused import refused
from tests.workflow.study.studies import TINY
from workflow.pipeline.settings import RunSettings
from workflow.study.compute import make_mechanism
from workflow.study.counts import read_counts
from workflow.study.read import find_study, load_study, parse_study
from workflow.study.run import configure_study
from workflow.study.schema import MapFile, StudyFile, TableFile
from workflow.study.tables import LimitRow, SurveyRow

F = Fraction


def test_default_study_is_found_by_its_name_and_reads_its_tables() -> None:
    study = load_study("uldp_default")
    assert find_study("uldp_default").name == "uldp_default.yaml"
    assert study.file.mechanisms == ["uBD", "uRR", "uSS", "uHR", "uOUE", "uOLH"]
    sizes = {
        table.name: (len(study.counts(table).labels), study.counts(table).sensitive)
        for table in study.file.tables
    }
    assert sizes == {"income_married": (12, 4), "educ_age": (64, 32)}
    assert [sum(study.counts(table).counts) for table in study.file.tables] == [1000, 1000]
    assert len(study.file.points) == len(set(study.file.points)) == 18


def test_on_the_default_grid_no_baseline_beats_the_block_design() -> None:
    """By exact errors: at the least favourable P and in the worst case; uSS strictly where one size is
    optimal."""
    strict = 0
    for domain, eps in load_study("uldp_default").file.points:
        saddle = solve(domain, float(eps))
        error = block_design(saddle, odds_of(float(eps))).error
        alpha = F(saddle.alpha)
        assert float(error.worst) == pytest.approx(saddle.m_star, rel=1e-12)
        for name in ("uRR", "uSS", "uHR", "uOUE", "uOLH"):
            other = make_mechanism(name, saddle, eps).error
            assert other.worst >= error.worst * (1 - F(1, 10**12))
            assert other.at_uniform(alpha) >= error.at_uniform(alpha) * (1 - F(1, 10**12))
            if name == "uSS" and domain.others and odds_of(float(eps)) < single_size_until(domain):
                assert other.worst > error.worst
                strict += 1
    assert strict == 5


def test_tiny_study_means_what_it_says(tmp_path: Path) -> None:
    study = parse_study(TINY.read_text(), TINY)
    assert study.file.points == [(Domain(6, v), eps) for v in (1, 4) for eps in (F(1, 2), F(2))]
    assert study.file.map.eps.values == (F(1, 2), F(5, 3), F(17, 6), F(4))
    counts = study.counts(study.file.tables[0])
    assert counts.labels == (
        *(("red", "0-17"), ("red", "18-64"), ("blue", "65+")),
        *(("green", "18-64"), ("green", "blank"), ("blue", "0-17")),
    )
    assert counts.sensitive == 3
    assert counts.distribution == (F(1, 6),) * 6


def test_digest_ignores_comments_and_layout() -> None:
    text = TINY.read_text()
    same = parse_study("# a comment\n" + text.replace("seed: 1", "seed:   1"), TINY)
    assert same.digest == parse_study(text, TINY).digest
    assert parse_study(text.replace("seed: 1", "seed: 2"), TINY).digest != same.digest


def test_counts_of_repeated_rows_add_up_and_bands_may_be_fractions(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,n\n0.2,3\n0.4,4\n0.7,5\n1,6\n")
    counts = read_counts(path, ["x"], "n", {"x": [F(0), F(1, 2), F(1)]}, [{"x": ["1+"]}])
    assert counts.labels == (("1+",), ("0 to below 1/2",), ("1/2 to below 1",))
    assert (counts.counts, counts.sensitive) == ((6, 7, 5), 1)


BAD_STUDIES = {
    "misspelt key": ("clients: 50", "clint: 50", "clint = '50': unknown key; did you mean 'clients'?"),
    "no number": ("seed: 1", "seed: one", "seed = 'one': must be a whole number"),
    "seed of 65 bits": ("seed: 1", "seed: 18446744073709551616", "seed = "),
    "no clients": ("clients: 50", "clients: 0", "clients = '0'"),
    "unknown mechanism": ("[uBD, uSS]", "[uBD, uXX]", "mechanisms[1] = 'uXX': allowed: uBD, uRR"),
    "mechanism twice": ("[uBD, uSS]", "[uBD, uBD]", "mechanisms[1] = 'uBD': listed twice"),
    "more sensitive than symbols": ("[1, 4]", "[1, 7]", "grid[0].sensitive[1] = '7': there are only 6"),
    "eps 0": ("eps: [0.5, 2]", "eps: [0, 2]", "grid[0].eps[0] = '0': eps must lie between 1/1000 and 20"),
    "eps nan": ("eps: [0.5, 2]", "eps: [nan, 2]", "grid[0].eps[0] = 'nan'"),
    "eps twice": ("eps: [0.5, 2]", "eps: [0.5, 1/2]", "grid[0].eps[1] = '1/2': listed twice"),
    "unknown column": ("{colour: red}", "{color: red}", "color = 'red': unknown column"),
    "unknown banded column": ("{age: [0", "{aeg: [0", "aeg"),
    "edges that fall": ("[0, 18, 65]", "[0, 65, 18]", "tables[0].bands.age: the edges must ascend"),
    "empty range": ("most: 4", "most: 0.5", "map.eps.most = '0.5': must be above least"),
    "no map": ("map:\n  symbols: 5\n  eps: {least: 0.5, most: 4, points: 4}\n", "", "map: missing"),
}


@pytest.mark.parametrize("problem", BAD_STUDIES)
def test_bad_study_is_told_in_one_line(problem: str) -> None:
    old, new, told = BAD_STUDIES[problem]
    text = TINY.read_text()
    assert old in text
    assert told in refused(parse_study, text.replace(old, new), TINY)


BAD_TABLES = {
    "no file": (None, "cannot be read"),
    "no column": ("id,color,age\n1,red,17\n", "column colour is missing; is it called 'color'?"),
    "not a number": ("id,colour,age\n1,red,old\n", ":2: age = 'old': must be an exact number"),
    "below the bands": ("id,colour,age\n1,red,-1\n", ":2: age = '-1': is below the first band"),
    "value that does not occur": (
        "id,colour,age\n1,rde,1\n2,blue,70\n3,green,1\n",
        "no colour is 'red', which is to be sensitive; did you mean 'rde'?",
    ),
    "condition that fits none": (
        "id,colour,age\n1,red,70\n2,blue,1\n",
        "no row fits the condition for sensitive values",
    ),
    "nobody": ("id,colour,age\n", "0 different symbols and 0 persons"),
    "short row": ("id,colour,age\n1,red\n", ":2: 2 values, but the header has 3 columns"),
}


@pytest.mark.parametrize("problem", BAD_TABLES)
def test_bad_table_is_told_in_one_line(tmp_path: Path, problem: str) -> None:
    content, told = BAD_TABLES[problem]
    if content is not None:
        (tmp_path / "people.csv").write_text(content)
    study = parse_study(TINY.read_text(), tmp_path / "tiny_study.yaml")
    assert told in refused(study.counts, study.file.tables[0])


def test_counts_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,n\na,3\nb,-4\n")
    line = refused(read_counts, path, ["x"], "n", {}, [{"x": ["a"]}])
    assert "n = '-4': must be a whole number" in line
    path.write_text("x\n" + "\n".join(f"v{i}" for i in range(1001)))
    line = refused(read_counts, path, ["x"], None, {}, [{"x": ["v1"]}])
    assert "more than 1000 combinations of x; choose fewer columns" in line


def test_run_is_checked_before_any_job(tmp_path: Path) -> None:
    (tmp_path / "tiny_study.yaml").write_text(TINY.read_text())
    settings = RunSettings(study=str(tmp_path / "tiny_study.yaml"))
    assert "people.csv: cannot be read" in refused(configure_study, settings)
    (tmp_path / "people.csv").write_text("colour\n")
    assert "column age is missing" in refused(configure_study, settings)
    (tmp_path / "people.csv").write_text(TINY.with_name("people.csv").read_text())
    run = configure_study(settings)
    assert (run.folder, run.tables) == ("results/tiny_study", [str(tmp_path / "people.csv")])
    line = refused(configure_study, RunSettings(study="no_such_study"))
    assert line.endswith("no such study; allowed: the path of a file, or one of uldp_default")


def test_every_key_and_column_is_documented() -> None:
    text = (ROOT / "docs" / "uldp.md").read_text(encoding="utf-8")
    for model in (StudyFile, TableFile, MapFile):
        assert all(f"`{key}`" in text for key in model.model_fields)
    assert all(f"`{column}`" in text for column in (*SurveyRow.columns(), *LimitRow.columns()))
