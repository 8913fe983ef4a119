"""Two files of the same name do not share a folder of results; one that is edited or moved keeps its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.paths import TINY
from tests.refused import refused
from tests.workflow.pipeline.pipeline import snakemake, succeed
from workflow.allocation.read import load_allocation
from workflow.origin import Origin


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder in which results/town was made from a/town.yaml; b/town.yaml is another file."""
    for name in ("a", "b", "results/town"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "town.yaml").touch()
    origin(tmp_path, "a", "1").record()
    return tmp_path


def origin(folder: Path, name: str, digest: str) -> Origin:
    return Origin(str(folder / name / "town.yaml"), digest, str(folder / "results" / "town"))


def test_another_file_with_other_content_is_refused(made: Path) -> None:
    line = refused(origin(made, "b", "2").checked_file)
    assert line.startswith(str(made / "b" / "town.yaml"))
    assert str(made / "a" / "town.yaml") in line
    assert "have the name town" in line


def test_what_is_no_other_file(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file edited, by another path, a copy with the same content, and one that was moved."""
    assert origin(made, "a", "2").checked_file() == str(made / "a" / "town.yaml")
    (made / "link").symlink_to("a")
    origin(made, "link", "2").checked_file()
    with monkeypatch.context() as there:
        there.chdir(made / "a")
        Origin("town.yaml", "2", "../results/town").checked_file()
    origin(made, "b", "1").checked_file()
    (made / "a" / "town.yaml").rename(made / "elsewhere.yaml")
    Origin(str(made / "elsewhere.yaml"), "2", str(made / "results" / "town")).checked_file()


def test_a_folder_may_be_copied_and_its_file_edited(made: Path) -> None:
    copy = Path(shutil.copytree(made, made.parent / "copy"))
    origin(copy, "a", "2").checked_file()
    assert "copy/a/town.yaml in" in refused(origin(copy, "b", "2").checked_file)


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"file": 3, "digest": "1"}', '{"file": "a/town.yaml"}'])
def test_a_folder_of_unknown_origin_is_anybody_s(made: Path, record: str) -> None:
    path = made / "results" / "town" / "origin.json"
    path.write_text(record)
    origin(made, "b", "2").checked_file()
    path.unlink()
    origin(made, "b", "2").checked_file()


def test_the_workflow_refuses_before_any_job(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    other = tmp_path / "other.yaml"
    other.write_text(TINY.read_text().replace("[1e-6, 1e-10]", "[1e-6]"))
    assert succeed(tmp_path, "--until", "mechanisms") == ["mechanisms"]
    plan = tmp_path / "results" / "tiny" / "mechanisms.json"
    before = plan.read_bytes()
    for target in ("all", "tune", "theory"):
        done = snakemake(tmp_path, target, "--quiet", "all", allocation=other)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        told = f"ConfigError: {other}: its results would replace those of {tmp_path}/tiny.yaml in "
        assert done.stderr.count(told) == 1
    assert plan.read_bytes() == before
    (tmp_path / "tiny.yaml").unlink()
    assert succeed(tmp_path, "--until", "mechanisms", allocation=other) == ["mechanisms"]


def test_a_digest_is_recorded_or_not(made: Path) -> None:
    assert origin(made, "a", "1").is_recorded()
    assert not origin(made, "a", "2").is_recorded()
    origin(made, "a", "2").record()
    assert origin(made, "a", "2").is_recorded()
    (made / "results" / "town" / "origin.json").unlink()
    assert not origin(made, "a", "2").is_recorded()


def test_a_changed_promise_is_noticed_where_only_results_were_kept(tmp_path: Path) -> None:
    """So is an edited allocation, though the stage before it has recorded the edit already."""
    allocation = tmp_path / "tiny.yaml"
    allocation.write_text(TINY.read_text())
    asked = {"tune_eps": "12", "tune_delta": "1e-6"}
    assert succeed(tmp_path, "tune", **asked) == ["tune"]
    shutil.rmtree(tmp_path / ".snakemake")
    assert succeed(tmp_path, "tune", **asked) == []
    asked["tune_eps"] = "13"
    shutil.rmtree(tmp_path / ".snakemake")
    assert succeed(tmp_path, "tune", **asked) == ["tune"]
    tuned = tmp_path / "results" / "tiny" / "tiny_tuned.yaml"
    assert "eps 13" in tuned.read_text().splitlines()[0]
    allocation.write_text(allocation.read_text().replace("[1e-6, 1e-10]", "[1e-6]"))
    assert succeed(tmp_path, "--until", "mechanisms") == ["mechanisms"]
    shutil.rmtree(tmp_path / ".snakemake")
    assert succeed(tmp_path, "tune", **asked) == ["tune"]
    assert load_allocation(tuned).deltas == load_allocation(allocation).deltas


def test_an_edited_file_is_noticed_where_only_results_were_kept(tmp_path: Path) -> None:
    """Snakemake's own records are gone. A comment is no edit, whatever the file's age."""
    allocation = tmp_path / "tiny.yaml"
    allocation.write_text(TINY.read_text())
    assert succeed(tmp_path, "--until", "curves") == ["mechanisms", "curves"]
    for said, made_again in (("deltas: [1e-6]", ["mechanisms", "curves"]), ("deltas: [1e-6] # one", [])):
        allocation.write_text(re.sub("^deltas:.*", said, allocation.read_text(), flags=re.MULTILINE))
        shutil.rmtree(tmp_path / ".snakemake")
        assert succeed(tmp_path, "--until", "curves") == made_again
