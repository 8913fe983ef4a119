"""One shard without MPI: a killed run is taken up, damage is told, equal cells are computed once."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from kernels.accounting.composition import Composition
from tests.paths import TINY
from tests.refused import refused
from tests.workflow.results.stored import stored
from workflow.allocation.read import load_allocation, parse_allocation
from workflow.census import compute as census
from workflow.census.plan import CensusPlan, CurveTask
from workflow.pipeline.merge import IncompleteError, merge
from workflow.pipeline.plan import PlanError
from workflow.pipeline.shard import ShardFiles, run_shard
from workflow.results.curves import StoredResult, open_results


class Killed(BaseException):
    """Ends a run as a kill would: nothing handles it."""


@pytest.fixture
def plan() -> CensusPlan:
    allocation = load_allocation(TINY)
    return CensusPlan.of(allocation, TINY.read_text(), 1, lambda composition: float(composition.total_rho))


class Computed:
    """Stands in for the kernels: made-up results, a list of what was asked for, and a kill after some."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.kill_after: int | None = None

    def __call__(self, task: CurveTask) -> StoredResult:
        if len(self.paths) == self.kill_after:
            raise Killed
        self.paths.append(task.path)
        seed = int(task.composition.digest()[:8], 16)
        made, cells = stored(task.identity, seed), task.composition
        figures = replace(made.summary, distinct_rhos=len(cells.cells), cells=cells.size)
        return replace(made, summary=figures, key=task.key, composition=cells)


@pytest.fixture
def computed() -> Computed:
    return Computed()


def run(plan: CensusPlan, compute: Computed, folder: Path, shard: str = "000") -> dict[str, int]:
    curves = folder / "curves"
    curves.mkdir(parents=True, exist_ok=True)
    stats = curves / f"{shard}.stats.json"
    files = ShardFiles(curves / f"{shard}.h5", stats, folder / "log")
    run_shard(None, plan, compute, shard, files, "lines", 0.0)
    return json.loads(stats.read_text())


def digest(folder: Path) -> str:
    with open_results(folder / "curves" / "000.h5") as results:
        return results.digest


def test_equal_cells_are_computed_once(computed: Computed, tmp_path: Path) -> None:
    """Where two bypasses do not touch each other, [M00, M03] and [M01, M02] hold the same cells."""
    text = (
        "{name: x, title: x, source: x, neighbours: bounded, total_rho: 2, levels: [A, B, C, D],"
        "queries: [q, r],"
        "budget: {A: {rho: {q: 1/3, r: 1/6}}, B: {rho: {q: 1/4, r: 1/4}}, C: {rho: {q: 1/5, r: 3/10}},"
        "D: {rho: {q: 2/5, r: 1/10}}}, bypass: {levels: [A, C], patterns: complete}, deltas: [1e-6, 1e-300]}"
    )
    plan = CensusPlan.of(parse_allocation(text, "x"), text, 1, lambda composition: 1.0)
    distinct = {task.key for task in plan.tasks.values()}
    assert len(distinct) < len(plan.tasks)
    cost = run(plan, computed, tmp_path)
    assert (cost["computed"], cost["reused"]) == (len(distinct), 0)
    assert len(computed.paths) == len(distinct)
    with open_results(tmp_path / "curves" / "000.h5") as results:
        assert [row["path"] for row in results.index()] == list(plan.tasks)
        results.verify()


def test_heavy_work_comes_first(plan: CensusPlan, computed: Computed, tmp_path: Path) -> None:
    run(plan, computed, tmp_path)
    costs = [plan.tasks[path].cost for path in computed.paths]
    assert costs == sorted(costs, reverse=True)


def test_killed_run_is_taken_up_where_it_stopped(
    plan: CensusPlan, computed: Computed, tmp_path: Path
) -> None:
    computed.kill_after = 5
    with pytest.raises(Killed):
        run(plan, computed, tmp_path)
    assert not (tmp_path / "curves" / "000.h5").exists()
    computed.kill_after = None
    cost = run(plan, computed, tmp_path)
    assert cost["reused"] == 5
    assert len(computed.paths) == len(set(computed.paths)) == 5 + cost["computed"]
    assert sorted(path.name for path in (tmp_path / "curves").iterdir()) == ["000.h5", "000.stats.json"]
    run(plan, computed, tmp_path / "undisturbed")
    assert digest(tmp_path) == digest(tmp_path / "undisturbed")


def test_finished_shard_is_reused_whole(plan: CensusPlan, computed: Computed, tmp_path: Path) -> None:
    run(plan, computed, tmp_path)
    count = len(computed.paths)
    assert run(plan, computed, tmp_path)["computed"] == 0
    assert len(computed.paths) == count


def test_damaged_file_is_passed_over_and_told(
    plan: CensusPlan, computed: Computed, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run(plan, computed, tmp_path)
    file = tmp_path / "curves" / "000.h5"
    file.write_bytes(file.read_bytes()[:5000])
    with caplog.at_level(logging.WARNING):
        assert run(plan, computed, tmp_path)["reused"] == 0
    assert str(file) in caplog.text
    with open_results(file) as results:
        results.verify()


def test_failure_names_the_pair(plan: CensusPlan) -> None:
    task = next(iter(plan.tasks.values()))
    broken = replace(task, composition=None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError) as caught:
        census.compute(broken)
    assert caught.value.__notes__ == [f"while computing {task.path}"]


def outputs(folder: Path) -> tuple[Path, dict[str, Path]]:
    """The merged file and the tables."""
    return folder / "curves.h5", {
        name: folder / f"{name}.csv" for name in ("summary", "reductions", "attack")
    }


def damage(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    if how == "missing":
        file.unlink()
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "half":
        file.write_bytes(content[: len(content) // 2])
    elif how == "noise":
        file.write_bytes(b"noise " * 1000)
    elif how == "one bit":
        with open_results(file) as results:
            alpha = results.read(results.index()[0]["path"]).alpha.tobytes()
        content[content.index(alpha) + 1001] ^= 1
        file.write_bytes(content)


@pytest.mark.parametrize("how", ["missing", "empty", "half", "noise", "one bit"])
def test_aggregate_goes_on_past_a_bad_shard_and_names_it(
    computed: Computed, tmp_path: Path, how: str
) -> None:
    plan = CensusPlan.of(load_allocation(TINY), TINY.read_text(), 3, lambda composition: 1.0)
    for shard in plan.shards:
        run(plan, computed, tmp_path, shard)
    files = [tmp_path / "curves" / f"{shard}.h5" for shard in plan.shards]
    results_file, tables = outputs(tmp_path)
    final = [results_file, *tables.values()]
    expected = merge(plan, files, results_file, tables)
    before = {path: path.read_bytes() for path in final}
    damage(files[1], how)

    with pytest.raises(IncompleteError, match="shard 001") as caught:
        merge(plan, files, results_file, tables)
    assert caught.value.exit_code == 3
    assert str(files[1]) in str(caught.value)
    assert {path: path.read_bytes() for path in final} == before, "the final files stay"
    with open_results(tmp_path / "curves.partial.h5") as results:
        results.verify()
        assert {row["path"] for row in results.index()} == set(plan.shards["000"] + plan.shards["002"])
    assert not files[1].exists(), "so that the next run makes it again"

    for path in final:
        path.unlink()
    recomputed = run(plan, computed, tmp_path, "001")["computed"]
    assert recomputed == (1 if how == "one bit" else len(plan.shards["001"])), "what is whole is used again"
    assert merge(plan, files, results_file, tables) == expected
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        path.name for path in final
    )
    assert not list(tmp_path.glob("curves/*.damaged"))


def test_aggregate_tells_outdated_results(plan: CensusPlan, computed: Computed, tmp_path: Path) -> None:
    run(plan, computed, tmp_path)
    text = TINY.read_text().replace("{total: 1/8, detailed: 3/8}", "{total: 2/8, detailed: 2/8}")
    (tmp_path / "other.yaml").write_text(text)
    other = CensusPlan.of(load_allocation(tmp_path / "other.yaml"), text, 1, lambda composition: 1.0)
    with pytest.raises(IncompleteError, match=r"000\.h5: /levels/County is outdated"):
        merge(other, [tmp_path / "curves" / "000.h5"], *outputs(tmp_path))


def test_plan_comes_back_from_its_file(plan: CensusPlan, tmp_path: Path) -> None:
    path = tmp_path / "mechanisms.json"
    path.write_text(plan.as_file())
    assert CensusPlan.read(path) == plan


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "else"}'])
def test_damaged_plan_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mechanisms.json"
    path.write_text(text)
    assert "mechanisms.json" in refused(CensusPlan.read, path, error=PlanError)


def test_unknown_shard_is_told(plan: CensusPlan) -> None:
    with pytest.raises(PlanError, match="no shard '007'"):
        plan.shard("007")


def test_costs_are_predicted_once_per_composition(tmp_path: Path) -> None:
    asked: list[Composition] = []

    def cost(composition: Composition) -> float:
        asked.append(composition)
        return 1.0

    plan = CensusPlan.of(load_allocation(TINY), "", 3, cost)
    assert len(asked) == len(set(asked)) == len({task.key for task in plan.tasks.values()})
    assert sum(len(paths) for paths in plan.shards.values()) == len(plan.tasks)
    assert all(task.composition.total_rho > Fraction(0) for task in plan.tasks.values())
