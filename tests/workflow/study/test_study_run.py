"""Shards of a study in one process: keys, reuse, checkpoints, the same content in any split."""

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
from workflow.pipeline.journal import Journal
from workflow.pipeline.merge import IncompleteError, merge
from workflow.pipeline.plan import PlanError
from workflow.results.surveys import ARRAYS, StudyResult, SurveyFile
from workflow.study.plan import StudyPlan
from workflow.study.tasks import MapRow, Survey, from_json, to_json


def stats(folder: Path, shard: str = "000") -> tuple[int, int]:
    """Tasks computed and reused by the last run of a shard."""
    found = json.loads((folder / f"{shard}.stats.json").read_text())
    return found["computed"], found["reused"]


def digest(path: Path) -> str:
    with SurveyFile(path) as results:
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
    with SurveyFile(files_in(finished).out) as results:
        assert [row["path"] for row in results.index()] == list(plan.tasks)
        assert list(plan.tasks)[:2] == ["/surveys/grid/6,1,1over2/uBD", "/surveys/grid/6,1,1over2/uSS"]
        header = results.header()
        assert header.labels["people"][2] == ["blue", "65+"]
        assert header.study_yaml == plan.text
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
    outputs = tmp_path / "study.h5", {"surveys": tmp_path / "s.csv", "limits": tmp_path / "l.csv"}
    merge(plan, files, *outputs)
    assert digest(tmp_path / "study.h5") == digest(files_in(finished).out)
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 1 + 10
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 1 + 5 * 4
    with pytest.raises(IncompleteError, match="shard 002 cannot be used: its file was not named"):
        merge(plan, files[:2], *outputs)
    other = plan_of(tmp_path, shards=3, seed="2")
    with pytest.raises(IncompleteError, match=r"shard \d* must be made again: .* set aside"):
        merge(other, files, *outputs)


def test_a_damaged_shard_is_set_aside_and_made_again(finished: Path, tmp_path: Path) -> None:
    plan, out = plan_of(tmp_path), files_in(tmp_path).out
    out.parent.mkdir()
    content = files_in(finished).out.read_bytes()
    out.write_bytes(content[: len(content) // 2])
    outputs = tmp_path / "study.h5", {"surveys": tmp_path / "s.csv"}
    with pytest.raises(IncompleteError, match="shard 000 must be made again"):
        merge(plan, [out], *outputs)
    assert not out.exists()
    run_shard(tmp_path, plan)
    merge(plan, [out], *outputs)
    assert digest(tmp_path / "study.h5") == digest(files_in(finished).out)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "surveys").mkdir()
    (tmp_path / "surveys" / ".000.unfinished").write_text("a file where the folder of the journal should be")
    run_shard(tmp_path, plan_of(tmp_path), checkpoint=0)
    assert stats(tmp_path) == (15, 0)


def test_a_checkpoint_writes_only_what_is_new(finished: Path, tmp_path: Path) -> None:
    with SurveyFile(files_in(finished).out) as results:
        records = [results.read(row["path"]) for row in results.index()][:3]
        journal = Journal(SurveyFile, tmp_path / "journal", results.header(), 0.0)
    for record in records:
        journal.add(record)
    written = []
    for path in journal.files():
        with SurveyFile(path) as kept:
            written += [row["path"] for row in kept.index()]
    assert written == [record.path for record in records]


def test_plan_survives_its_file(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, shards=2)
    path = tmp_path / "plan.json"
    path.write_text(plan.as_file())
    assert StudyPlan.read(path) == plan
    with pytest.raises(PlanError, match="no shard"):
        plan.shard("007")
    for text, told in (
        ("{}", "damaged"),
        ("[" * 100_000, "damaged"),
        (plan.as_file().replace('"eps": "1/2"', '"eps": "1/0"'), "damaged"),
        (plan.as_file().replace('"eps": "1/2"', '"eps": "1e999999999"'), "damaged"),
        (plan.as_file().replace('"clients": 50', '"clients": "50"'), "str in place of int"),
        (plan.as_file().replace('"/map/5,1"', '"/map/5,2"'), "every task once"),
        (plan.as_file().replace("uldp plan 2", "uldp plan 0"), "not a file of the format"),
        (plan.as_file().replace('"uldp_version": "', '"uldp_version": "x'), "run the workflow again"),
    ):
        path.write_text(text)
        with pytest.raises(PlanError, match=told):
            StudyPlan.read(path)


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
