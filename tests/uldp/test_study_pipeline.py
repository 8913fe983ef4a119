"""The study through snakemake, on two ranks: from nothing, again, and with a mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.uldp.studies import TINY, files_in, plan_of, run_shard
from workflow.lib.uldp.store import StudyResults

ROOT = Path(__file__).parents[2]
STAGES = ("uldp_plan", "uldp_surveys", "uldp_aggregate", "uldp_report")


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"),
        *("--workflow-profile", str(ROOT / "workflow" / "profiles" / "default"), "--directory", str(folder)),
        *("--config", f"study={folder / 'tiny_study.yaml'}", "tasks=2", *arguments, "--", "uldp"),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_study_runs_on_two_ranks_and_stays_done(tmp_path: Path) -> None:
    (tmp_path / "tiny_study.yaml").write_text(TINY.read_text())
    (tmp_path / "people.csv").write_text(TINY.with_name("people.csv").read_text())
    done = snakemake(tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "tiny_study"
    for name in ("report.html", "surveys.csv", "limits.csv", "study.h5", "plan.json"):
        assert (folder / name).is_file()
    for name in ("uldp_plan", "surveys/000", "uldp_aggregate", "uldp_report"):
        assert (folder / "logs" / f"{name}.log").is_file()
        assert (folder / "benchmarks" / f"{name}.tsv").is_file()
    assert json.loads((folder / "surveys" / "000.stats.json").read_text())["ranks"] == 2

    run_shard(tmp_path, plan_of(tmp_path))
    with StudyResults(folder / "study.h5") as two, StudyResults(files_in(tmp_path).out) as one:
        assert two.digest == one.digest

    (tmp_path / "tiny_study.yaml").write_text("# another comment\n" + TINY.read_text())
    again = snakemake(tmp_path)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stderr

    (tmp_path / "tiny_study.yaml").write_text(TINY.read_text().replace("clients", "cilents"))
    refused = snakemake(tmp_path)
    assert refused.returncode != 0
    lines = [line for line in refused.stderr.splitlines() if not line.startswith("Using workflow specific")]
    assert len(lines) == 1
    assert "cilents = '50': unknown key; did you mean 'clients'?" in lines[0]


@pytest.mark.parametrize("name", STAGES)
def test_every_rule_declares_what_it_uses(name: str) -> None:
    text = (ROOT / "workflow" / "rules" / f"{name}.smk").read_text()
    for part in ("log:", "benchmark:", "threads:", "resources:", "mem_mb=", "runtime="):
        assert part in text


def test_every_key_and_column_is_documented() -> None:
    from workflow.lib.uldp.study_model import MapFile, StudyFile, TableFile
    from workflow.lib.uldp.tables import LIMITS, SURVEYS

    text = (ROOT / "docs" / "uldp.md").read_text(encoding="utf-8")
    for model in (StudyFile, TableFile, MapFile):
        assert all(f"`{key}`" in text for key in model.model_fields)
    known = {
        "m_star_lower",
        "m_star_upper",
        "n_mse_error",
        "projected_n_mse_error",
        "symbols",
        "sensitive",
        "eps",
    }
    assert all(f"`{column}`" in text for column in (*SURVEYS, *LIMITS) if column not in known)
