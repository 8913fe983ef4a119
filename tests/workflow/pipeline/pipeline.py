"""The workflow through snakemake, for tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT


def snakemake(folder: Path, *arguments: str, **config: object) -> subprocess.CompletedProcess[str]:
    """Run the workflow in a folder of its own, on its tiny.yaml unless `config` says otherwise."""
    settings = {"allocation": folder / "tiny.yaml", "tasks": 1, **config}
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "3"),
        *("--workflow-profile", str(ROOT / "workflow" / "profiles" / "default")),
        *("--directory", str(folder), *arguments),
        *("--config", *(f"{key}={value}" for key, value in settings.items())),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def succeed(folder: Path, *arguments: str, **config: object) -> list[str]:
    """Run the workflow and return the rules that ran."""
    done = snakemake(folder, *arguments, **config)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stderr.splitlines()]
    return [words[1].rstrip(":") for words in lines if len(words) == 2 and words[0] in ("rule", "localrule")]


def stats(folder: Path, shard: str = "000") -> dict[str, object]:
    """What a shard of tiny.yaml cost."""
    return json.loads((folder / "results" / "tiny" / "curves" / f"{shard}.stats.json").read_text())


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a run that must be refused before any job."""
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Using workflow specific")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("ConfigError: ")
    return lines[0]
