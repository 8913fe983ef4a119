"""The study through snakemake, on two ranks: from nothing, again, and with a mistake."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests import paths
from tests.workflow.pipeline.pipeline import refusal, snakemake
from tests.workflow.study.studies import TINY, files_in, plan_of, run_shard
from workflow.results.surveys import SurveyFile


def study(folder: Path) -> subprocess.CompletedProcess[str]:
    return snakemake(folder, "uldp", allocation=paths.TINY, study=folder / "tiny_study.yaml", tasks=2)


def test_study_runs_on_two_ranks_and_stays_done(tmp_path: Path) -> None:
    (tmp_path / "tiny_study.yaml").write_text(TINY.read_text())
    (tmp_path / "people.csv").write_text(TINY.with_name("people.csv").read_text())
    done = study(tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "tiny_study"
    for name in ("report.html", "surveys.csv", "limits.csv", "study.h5", "plan.json"):
        assert (folder / name).is_file()
    for name in ("uldp_plan", "surveys/000", "uldp_aggregate", "uldp_report"):
        assert (folder / "logs" / f"{name}.log").is_file()
        assert (folder / "benchmarks" / f"{name}.tsv").is_file()
    assert json.loads((folder / "surveys" / "000.stats.json").read_text())["ranks"] == 2

    run_shard(tmp_path, plan_of(tmp_path))
    with SurveyFile(folder / "study.h5") as two, SurveyFile(files_in(tmp_path).out) as one:
        assert two.digest == one.digest

    (tmp_path / "tiny_study.yaml").write_text("# another comment\n" + TINY.read_text())
    again = study(tmp_path)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stderr

    (tmp_path / "tiny_study.yaml").write_text(TINY.read_text().replace("clients", "cilents"))
    assert "cilents = '50': unknown key; did you mean 'clients'?" in refusal(study(tmp_path))
