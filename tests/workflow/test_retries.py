"""A job that is tried again asks for more memory and time; what stays damaged is not tried again."""

from __future__ import annotations

import re
from pathlib import Path

from tests.workflow.pipeline import TINY, snakemake, stats, succeed
from workflow.lib.store import open_results


def test_each_try_of_a_shard_asks_for_more(tmp_path: Path) -> None:
    """The launcher here is one that always fails, as the scheduler's limits would make it."""
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    arguments = ("--retries", "2", "--until", "curves")
    done = snakemake(tmp_path, *arguments, tasks=2, mpi="false", mem_mb_per_task=300, runtime=7)
    assert done.returncode != 0
    asked = [
        dict(re.findall(r"(\w+)=([^,]*)", line)) for line in done.stderr.splitlines() if "tasks=2, " in line
    ]
    assert [[int(one[key]) for key in ("mem_mb", "mem_mb_per_cpu", "runtime")] for one in asked] == [
        [600, 300, 7],
        [1200, 600, 14],
        [1800, 900, 21],
    ]


def test_damaged_shard_is_named_and_made_again_by_the_same_command(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    succeed(tmp_path, "--until", "aggregate", shards=2)
    folder = tmp_path / "results" / "tiny"
    with open_results(folder / "curves.h5") as results:
        digest = results.digest
    shard = folder / "curves" / "001.h5"
    shard.write_bytes(b"")

    done = snakemake(tmp_path, "--retries", "2", "--until", "aggregate", shards=2)
    assert done.returncode != 0
    said = (folder / "logs" / "aggregate.log").read_text()
    assert "shard 001 must be made again: results/tiny/curves/001.h5: the file is empty (0 bytes)" in said
    assert (folder / "curves.partial.h5").exists()
    assert done.stderr.count("Error in rule aggregate:") == 1, "trying again at once cannot help"

    assert "curves" in succeed(tmp_path, "--until", "aggregate", shards=2)
    assert stats(tmp_path, "001")["computed"] == 0, "all of it is in the merged file"
    with open_results(folder / "curves.h5") as results:
        assert results.digest == digest
    assert not (folder / "curves.partial.h5").exists()
