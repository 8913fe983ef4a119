"""Profiles name options that exist, and agree on what makes things run again."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.paths import ROOT, TINY
from workflow.pipeline.settings import RunSettings


def read(path: str) -> dict[str, object]:
    return YAML(typ="safe").load((ROOT / path).read_text())


@pytest.mark.parametrize("folder", ["slurm/profile", "slurm/test-cluster/profile"])
def test_cluster_profile_has_the_defaults_and_run_settings_that_are_known(folder: str) -> None:
    """Snakemake does not read workflow/profiles/default beside a profile that is named."""
    profile = read(f"{folder}/config.yaml")
    assert profile.items() >= read("workflow/profiles/default/config.yaml").items()
    assert profile["set-threads"] == {"curves": 1, "scan_curves": 1, "uldp_surveys": 1}, "one core per rank"
    assert profile["show-failed-logs"] is True
    assert profile["configfile"] == "run.yaml"
    settings = RunSettings.model_validate(read(f"{folder}/run.yaml"))
    assert settings.mpi == "srun --mpi=pmi2 --kill-on-bad-exit=1"
    assert settings.shards + 5 <= 30, "sbatch calls: shards, four more stages, the driver"


def test_every_knob_is_documented() -> None:
    text = (ROOT / "slurm" / "README.md").read_text()
    knobs = set(read("slurm/profile/config.yaml")) | set(read("slurm/profile/run.yaml"))
    elsewhere = {"executor", "configfile", *read("workflow/profiles/default/config.yaml")}
    for knob in knobs - elsewhere - {"keep-going", "show-failed-logs", "slurm-keep-successful-logs"}:
        assert f"`{knob}" in text, knob


def test_a_copied_profile_is_read_with_its_own_run_settings(tmp_path: Path) -> None:
    """A site copies slurm/profile and changes run.yaml there."""
    copied = tmp_path / "mine"
    shutil.copytree(ROOT / "slurm" / "profile", copied)
    run = copied / "run.yaml"
    run.write_text(re.sub(r"^shards: \d+", "shards: 3", run.read_text(), flags=re.MULTILINE))
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--profile", copied]
    asked = ["--dry-run", "--quiet", "rules", "--config", f"allocation={TINY}", f"results={tmp_path}/results"]
    done = subprocess.run([*snakemake, *asked], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^curves +3$", done.stdout, re.MULTILINE)
