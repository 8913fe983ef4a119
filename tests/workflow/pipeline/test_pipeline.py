"""The pipeline through snakemake on a tiny allocation: from nothing, again, changed, on several ranks."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition, pairs
from tests.paths import TINY
from tests.workflow.pipeline.pipeline import refusal, snakemake, stats, succeed
from workflow.allocation.read import load_allocation
from workflow.results.curves import level_path, open_results, pair_path

STAGES = ("mechanisms", "curves", "aggregate", "certify", "report")


def moved(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run elsewhere, with the ages of its files."""
    return Path(shutil.copytree(finished, tmp_path / "moved"))


def digest(folder: Path) -> str:
    with open_results(folder / "results" / "tiny" / "curves.h5") as results:
        return results.digest


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the workflow has run from nothing, on one rank."""
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "tiny.yaml").write_text(TINY.read_text())
    assert succeed(folder) == [*STAGES, "all"]
    return folder


@pytest.fixture(scope="module")
def tiny() -> Allocation:
    return load_allocation(TINY)


def test_result_file_holds_every_pair_and_level(finished: Path, tiny: Allocation) -> None:
    with open_results(finished / "results" / "tiny" / "curves.h5") as results:
        results.verify()
        assert list(results.pairs()) == pairs(tiny)
        assert list(results.levels()) == list(tiny.levels)
        assert results.header().allocation == "tiny"
        assert results.header().allocation_yaml == (finished / "tiny.yaml").read_text()
        for first, second in pairs(tiny):
            expected = pair_composition(tiny, first, second)
            assert results.read(pair_path(first, second)).composition == expected
        for level in tiny.levels:
            assert results.read(level_path(level)).composition == tiny.level_composition(level)


def test_tables_have_one_row_per_result_and_delta(finished: Path, tiny: Allocation) -> None:
    folder = finished / "results" / "tiny"
    summary, reductions = rows(folder / "summary.csv"), rows(folder / "reductions.csv")
    attacks = [(row["first"], row["second"], row["alpha"]) for row in rows(folder / "attack.csv")]
    assert attacks == [(*pair, alpha) for pair in pairs(tiny) for alpha in ("0.01", "0.05", "0.1")]
    expected = [(first, second, delta) for first, second in pairs(tiny) for delta in tiny.deltas]
    assert [(row["first"], row["second"], Fraction(row["delta"])) for row in summary] == expected
    assert Counter(row["kind"] for row in reductions) == {"pair": 20, "level": 6}
    for row in summary:
        assert Decimal(row["eps_lower"]) <= Decimal(row["eps"]) <= Decimal(row["eps_cks20"])
        assert Decimal(row["eps_cks20"]) <= Decimal(row["eps_zcdp"])
        assert Decimal(row["absolute_bound"]) <= Decimal("1e-35")
    for row in reductions:
        assert 0 < Decimal(row["reduction"]) <= Decimal(row["reduction_upper"]) < 1
        assert Decimal(row["scale"]) >= 1


def test_tables_are_rounded_to_the_safe_side_of_the_results(finished: Path) -> None:
    folder = finished / "results" / "tiny"
    with open_results(folder / "curves.h5") as results:
        for row in rows(folder / "summary.csv"):
            result = results.read(pair_path(row["first"], row["second"]))
            i = result.deltas.index(Fraction(row["delta"]))
            value, lower, upper = (Decimal(float(x)) for x in result.epsilon[i])
            assert Decimal(row["eps_lower"]) <= lower <= value <= upper <= Decimal(row["eps"])
            assert Decimal(row["eps"]) - value < Decimal("1e-9")
        for row in rows(folder / "reductions.csv"):
            path = (
                level_path(row["name"]) if row["kind"] == "level" else pair_path(row["first"], row["second"])
            )
            result = results.read(path)
            i = result.deltas.index(Fraction(row["delta"]))
            assert Decimal(row["reduction"]) <= Decimal(float(result.reduction[i, 1]))
            assert Decimal(row["scale"]) <= Decimal(float(result.scale[i, 1]))


def test_cost_of_the_curves_is_recorded(finished: Path) -> None:
    cost = stats(finished)
    assert (cost["computed"], cost["reused"], cost["ranks"]) == (13, 0, 1)
    assert cost["cpu_seconds"] >= cost["kernel_cpu_seconds"] > 0
    for stage in ("mechanisms", "curves/000", "aggregate", "report"):
        assert (finished / "results" / "tiny" / "benchmarks" / f"{stage}.tsv").is_file()
        assert (finished / "results" / "tiny" / "logs" / f"{stage}.log").is_file()


def test_moved_folder_with_other_comments_has_nothing_to_do(finished: Path, tmp_path: Path) -> None:
    folder = moved(finished, tmp_path)
    file = folder / "tiny.yaml"
    file.write_text("# another comment\n" + file.read_text().replace("1/4", "0.25") + "\n")
    done = snakemake(folder)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stderr


@pytest.mark.parametrize(("tasks", "shards"), [(3, 1), (7, 2)])
def test_ranks_and_shards_do_not_change_the_digest(
    finished: Path, tmp_path: Path, tasks: int, shards: int
) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    succeed(tmp_path, "--until", "aggregate", tasks=tasks, shards=shards)
    assert digest(tmp_path) == digest(finished)
    for name in ("summary.csv", "reductions.csv", "attack.csv"):
        table = (tmp_path / "results" / "tiny" / name).read_bytes()
        assert table == (finished / "results" / "tiny" / name).read_bytes()


def test_changed_allocation_recomputes_what_it_touches(finished: Path, tmp_path: Path) -> None:
    """Moving budget between queries of County leaves alone what does not hold it: the other levels, and the
    pairs of mechanisms in which Region has absorbed County."""
    folder = moved(finished, tmp_path)
    text = TINY.read_text().replace("{total: 1/8, detailed: 3/8}", "{total: 2/8, detailed: 2/8}")
    (folder / "tiny.yaml").write_text(text)
    assert succeed(folder, "--until", "aggregate") == ["mechanisms", "curves", "aggregate"]
    cost = stats(folder)
    assert (cost["reused"], cost["computed"]) == (5, 7)
    assert digest(folder) != digest(finished)


@pytest.fixture(scope="module")
def two_shards(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the finished run, run again in two shards."""
    folder = moved(finished, tmp_path_factory.mktemp("two_shards"))
    succeed(folder, "--until", "aggregate", shards=2)
    return folder


def test_more_shards_reuse_the_results_of_fewer(finished: Path, two_shards: Path) -> None:
    assert [stats(two_shards, shard)["computed"] for shard in ("000", "001")] == [0, 0]
    assert digest(two_shards) == digest(finished)


def test_damaged_shard_is_named_and_made_again_by_the_same_command(two_shards: Path, tmp_path: Path) -> None:
    """What stays damaged is not tried again."""
    run = moved(two_shards, tmp_path)
    folder = run / "results" / "tiny"
    (folder / "curves" / "001.h5").write_bytes(b"")

    done = snakemake(run, "--retries", "2", "--until", "aggregate", shards=2)
    assert done.returncode != 0
    said = (folder / "logs" / "aggregate.log").read_text()
    assert "shard 001 must be made again: results/tiny/curves/001.h5: the file is empty (0 bytes)" in said
    assert (folder / "curves.partial.h5").exists()
    assert done.stderr.count("Error in rule aggregate:") == 1, "trying again at once cannot help"

    assert "curves" in succeed(run, "--until", "aggregate", shards=2)
    assert stats(run, "001")["computed"] == 0, "all of it is in the merged file"
    assert digest(run) == digest(two_shards)
    assert not (folder / "curves.partial.h5").exists()


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


def test_bad_setting_and_bad_allocation_stop_before_any_job(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text().replace("{total: 1/8,", "{total: 0,"))
    assert "allocaton" in refusal(snakemake(tmp_path, "--dry-run", allocaton="tiny"))
    assert "rho.total" in refusal(snakemake(tmp_path))
    assert not (tmp_path / "results").exists()


def test_tuning_is_a_target_of_its_own(finished: Path, tiny: Allocation) -> None:
    options = {"tune_eps": "12", "tune_delta": "1e-6"}
    assert succeed(finished, "tune", **options) == ["tune"]
    tuned = finished / "results" / "tiny" / "tiny_tuned.yaml"
    made = load_allocation(tuned)
    assert made.total_rho > tiny.total_rho
    assert succeed(finished, "tune", **options) == []
    [promise] = tuned.parent.glob("tuned-*.txt")
    assert promise.read_text().startswith("eps 12 at delta 1e-06, allocation ")
    assert "--target-eps" in snakemake(finished, "tune").stderr
