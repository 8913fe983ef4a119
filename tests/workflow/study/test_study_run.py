"""Shards of a study in one process: keys, reuse, damaged and unfinished files, the same content in any
split."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import h5py
import numpy as np
import pytest

from kernels.uldp.domain import Domain
from tests.workflow.study.studies import files_in, plan_of, run_shard
from workflow.results.file import DamagedError, StoreError
from workflow.results.survey_result import ARRAYS, StudyResult
from workflow.results.surveys import StudyResults, write_study
from workflow.study import shard as shard_module
from workflow.study.aggregate import aggregate_study
from workflow.study.plan import StudyPlanError, plan_text, read_study_plan
from workflow.study.tasks import MapRow, Survey, from_json, to_json


def stats(folder: Path, shard: str = "000") -> tuple[int, int]:
    """Tasks computed and reused by the last run of a shard."""
    found = json.loads((folder / f"{shard}.stats.json").read_text())
    return found["computed"], found["reused"]


def digest(path: Path) -> str:
    with StudyResults(path) as results:
        return results.digest


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the finished shard of the tiny study."""
    folder = tmp_path_factory.mktemp("finished")
    run_shard(folder, plan_of(folder))
    return folder


def test_every_task_is_done_once_and_described(finished: Path) -> None:
    plan = plan_of(finished)
    assert stats(finished) == (15, 0)
    with StudyResults(files_in(finished).out) as results:
        assert [row["path"] for row in results.index()] == list(plan.tasks)
        assert list(plan.tasks)[:2] == ["/surveys/grid/6,1,1over2/uBD", "/surveys/grid/6,1,1over2/uSS"]
        header = results.header()
        assert header.labels["people"][2] == ["blue", "65+"]
        assert header.study_yaml == plan.study_yaml
        for path, task in plan.tasks.items():
            result = results.read(path)
            assert result.key == task.key
            assert set(result.arrays) <= set(ARRAYS)
            if isinstance(task, Survey):
                assert result.attributes["seed"] == str(task.seed)
                assert result.attributes["gap"] <= 1e-10
                assert result.arrays["distribution"].sum() == pytest.approx(1)
    with h5py.File(files_in(finished).out) as file:
        dataset = file["map/5,3/shares"]
        assert dataset.attrs["dims"] == b"eps, size"
        assert dataset.shape[0] == 4


def test_second_run_reuses_everything(finished: Path) -> None:
    before = digest(files_in(finished).out)
    run_shard(finished, plan_of(finished))
    assert stats(finished) == (0, 15)
    assert digest(files_in(finished).out) == before


def test_changed_study_does_only_what_is_new(finished: Path, tmp_path: Path) -> None:
    out = files_in(tmp_path).out
    out.parent.mkdir()
    out.write_bytes(files_in(finished).out.read_bytes())
    run_shard(tmp_path, plan_of(tmp_path, mechanisms="[uBD, uSS, uRR]"))
    assert stats(tmp_path) == (5, 15)
    run_shard(tmp_path, plan_of(tmp_path, seed="2"))
    assert stats(tmp_path) == (10, 5)


def test_shards_do_not_change_the_content(finished: Path, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, shards=3)
    files = [run_shard(tmp_path, plan, name).out for name in plan.shards]
    aggregate_study(plan, files, tmp_path / "study.h5", tmp_path / "s.csv", tmp_path / "l.csv")
    assert digest(tmp_path / "study.h5") == digest(files_in(finished).out)
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 1 + 10
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 1 + 5 * 4
    with pytest.raises(StoreError, match="the file of shard 002 is missing"):
        aggregate_study(plan, files[:2], tmp_path / "study.h5", tmp_path / "s.csv", tmp_path / "l.csv")
    other = plan_of(tmp_path, shards=3, seed="2")
    with pytest.raises(StoreError, match="is outdated; delete the file to have shard"):
        aggregate_study(other, files, tmp_path / "study.h5", tmp_path / "s.csv", tmp_path / "l.csv")


def test_run_that_ends_early_keeps_what_it_has_done(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(tmp_path)
    done = shard_module.do
    seen: list[str] = []

    def stops(task: Survey | MapRow) -> StudyResult:
        seen.append(task.path)
        if len(seen) == 8:
            raise KeyboardInterrupt
        return done(task)

    monkeypatch.setattr(shard_module, "do", stops)
    with pytest.raises(KeyboardInterrupt):
        run_shard(tmp_path, plan)
    monkeypatch.setattr(shard_module, "do", done)
    assert not files_in(tmp_path).out.exists()
    run_shard(tmp_path, plan, checkpoint=0)
    assert stats(tmp_path) == (8, 7)
    assert digest(files_in(tmp_path).out) == digest(files_in(finished).out)
    assert [path.name for path in (tmp_path / "surveys").iterdir()] == ["000.h5"]


def test_damaged_file_is_told_and_made_again(finished: Path, tmp_path: Path) -> None:
    out = files_in(tmp_path).out
    out.parent.mkdir()
    content = files_in(finished).out.read_bytes()
    for damaged in (b"", content[: len(content) // 2], b"not HDF5"):
        out.write_bytes(damaged)
        with pytest.raises(DamagedError):
            StudyResults(out)
    out.write_bytes(content)
    with h5py.File(out, "r+") as file:
        file["surveys/people/6,3,1/uBD/mean"][0] += 1e-9
    with StudyResults(out) as results, pytest.raises(DamagedError, match="does not match its digest"):
        results.read("/surveys/people/6,3,1/uBD")
    run_shard(tmp_path, plan_of(tmp_path))
    assert digest(out) == digest(files_in(finished).out)


def test_results_are_written_once_each(finished: Path, tmp_path: Path) -> None:
    with StudyResults(files_in(finished).out) as results:
        result, header = results.read("/map/5,1"), results.header()
        with pytest.raises(StoreError, match="holds no /map/5,9"):
            results.read("/map/5,9")
    with pytest.raises(StoreError, match="two results for /map/5,1"):
        write_study(tmp_path / "x.h5", header, [(result, 0.0), (result, 0.0)])
    assert list(tmp_path.iterdir()) == []


def test_plan_survives_its_file(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, shards=2)
    path = tmp_path / "plan.json"
    path.write_text(plan_text(plan))
    assert read_study_plan(path) == plan
    with pytest.raises(StudyPlanError, match="no shard"):
        plan.shard("007")
    for text, told in (
        ("{}", "damaged"),
        (plan_text(plan).replace("uldp plan 1", "uldp plan 0"), "not a file of the format"),
        (plan_text(plan).replace('"uldp_version": "', '"uldp_version": "x'), "run the workflow again"),
    ):
        path.write_text(text)
        with pytest.raises(StudyPlanError, match=told):
            read_study_plan(path)


def test_keys_and_seeds_depend_on_what_is_computed_only() -> None:
    one = Survey("grid", Domain(6, 4), Fraction(1), "uBD", None, 50, 20, 1)
    same = replace(one, source="people")
    assert (same.key, same.seed) == (one.key, one.seed)
    others = [
        replace(one, domain=Domain(6, 3)),
        replace(one, eps=Fraction(2)),
        replace(one, mechanism="uSS"),
        replace(one, persons=(1,) * 6),
        replace(one, repetitions=21),
        replace(one, study_seed=2),
    ]
    assert len({task.key for task in (one, *others)}) == 7
    assert len({task.seed for task in (one, *others)}) == 7
    assert all(0 <= task.seed < 1 << 64 for task in others)
    for task in (one, others[3], MapRow(Domain(6, 4), (Fraction(1, 3), Fraction(2)))):
        assert from_json(json.loads(json.dumps(to_json(task)))) == task


def test_digest_notices_every_kind_of_change() -> None:
    arrays = {"mean": np.array([0.25, 0.75]), "size": np.array([1, 2])}
    result = StudyResult("/a", "k", {"n_mse": 1.0, "bits": 3, "source": "grid"}, arrays)
    changed = [
        replace(result, path="/b"),
        replace(result, key="l"),
        replace(result, attributes={**result.attributes, "n_mse": np.nextafter(1.0, 2.0).item()}),
        replace(result, arrays={**arrays, "mean": np.array([0.25, np.nextafter(0.75, 1)])}),
        replace(result, arrays={**arrays, "size": np.array([1, 3])}),
    ]
    assert len({each.digest for each in (result, *changed)}) == 6
