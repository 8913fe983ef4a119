"""The tiny study of the tests: its file, and runs of it in one process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workflow.pipeline import shard as pipeline
from workflow.pipeline.shard import ShardFiles
from workflow.results.surveys import StudyResult
from workflow.study.compute import compute
from workflow.study.plan import StudyPlan
from workflow.study.read import parse_study
from workflow.study.tasks import Task

TINY = Path(__file__).with_name("tiny_study.yaml")


def plan_of(folder: Path, shards: int = 1, **changes: str) -> StudyPlan:
    """The plan of the tiny study in a folder, after texts in its file were changed."""
    text = TINY.read_text()
    for old, new in changes.items():
        assert f"{old}: " in text
        text = "\n".join(
            f"{old}: {new}" if line.startswith(f"{old}: ") else line for line in text.splitlines()
        )
    (folder / "people.csv").write_text(TINY.with_name("people.csv").read_text())
    return StudyPlan.of(parse_study(text, folder / "tiny_study.yaml"), text, shards)


def files_in(folder: Path, shard: str = "000") -> ShardFiles:
    return ShardFiles(
        folder / "surveys" / f"{shard}.h5", folder / f"{shard}.stats.json", folder / f"{shard}.log"
    )


def run_shard(
    folder: Path,
    plan: StudyPlan,
    shard: str = "000",
    checkpoint: float = 1e9,
    work: Callable[[Task], StudyResult] = compute,
) -> ShardFiles:
    """Run one shard in this process."""
    files = files_in(folder, shard)
    pipeline.run_shard(None, plan, work, shard, files, "lines", checkpoint)
    return files
