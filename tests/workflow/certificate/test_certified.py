"""A certificate that still stands is kept, and what demands another one is noticed."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.paths import TINY
from tests.workflow.pipeline.pipeline import succeed
from workflow.certificate.keep import USUAL_SAMPLE, Certified


def made(folder: Path, code: str, sample: int | None) -> Certified:
    certified = Certified(folder / "certificate.json", code, sample)
    certified.replace('{"file_digest": "d"}')
    return certified


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("certified-*")}


@pytest.mark.parametrize(
    ("before", "demanded", "stands"),
    [
        (None, None, True),
        (2000, None, True),
        (USUAL_SAMPLE, None, True),
        (USUAL_SAMPLE - 1, None, False),
        (2000, 2000, True),
        (2000, USUAL_SAMPLE, False),
        (None, USUAL_SAMPLE, True),
        (None, 2000, False),
    ],
)
def test_a_sample_stands_where_it_is_as_asked_for_or_large_enough(
    tmp_path: Path, before: int | None, demanded: int | None, stands: bool
) -> None:
    made(tmp_path, "a", before)
    wanted = Certified(tmp_path / "certificate.json", "a", demanded)
    assert wanted.record.exists() == wanted.stands("d") == stands


def test_other_code_other_results_and_no_certificate_do_not_stand(tmp_path: Path) -> None:
    usual = made(tmp_path, "a", None)
    assert not replace(usual, code="b").stands("d")
    assert not replace(usual, code="b").record.exists()
    assert not usual.stands("e")
    usual.certificate.write_text("[]")
    assert not usual.stands("d")
    usual.certificate.unlink()
    assert not usual.stands("d")


def test_what_is_kept_is_newer_and_says_again_what_it_is(tmp_path: Path) -> None:
    made(tmp_path, "a", 2000)
    usual = Certified(tmp_path / "certificate.json", "a")
    usual.record.unlink()  # as Snakemake does
    os.utime(usual.certificate, (1, 1))
    assert usual.stands("d")
    usual.keep()
    assert names(tmp_path) == {"certified-a.txt", "certified-a-2000.txt"}
    assert usual.certificate.stat().st_mtime > 1
    made(tmp_path, "b", 7)
    assert names(tmp_path) == {"certified-b-7.txt"}


def test_the_workflow_keeps_a_larger_certificate(tmp_path: Path) -> None:
    """Through a run without a sample, and through shards that lead to the same curves. A sample that is asked
    for is taken, and certifying code that changed is noticed where Snakemake's records are gone."""
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    certificate = tmp_path / "results" / "tiny" / "certificate.json"

    def size() -> int:
        return json.loads(certificate.read_text())["sample"]["size"]

    succeed(tmp_path)
    assert size() == USUAL_SAMPLE
    assert succeed(tmp_path, certify_sample=120) == ["certify", "report", "all"]
    assert succeed(tmp_path) == []
    assert "certify" in succeed(tmp_path, shards=2)
    assert size() == 120
    shutil.rmtree(tmp_path / ".snakemake")
    assert succeed(tmp_path, shards=2) == []
    for record in certificate.parent.glob("certified-*.txt"):
        record.rename(record.with_name("certified-0123456789abcdef.txt"))
    assert succeed(tmp_path, shards=2) == ["certify", "report", "all"]
    assert size() == USUAL_SAMPLE
    assert succeed(tmp_path, shards=2, certify_sample=5) == ["certify", "report", "all"]
    assert size() == 5
    (tmp_path / "tiny.yaml").write_text(TINY.read_text().replace("[1e-6, 1e-10]", "[1e-6]"))
    assert succeed(tmp_path, shards=2)[-3:] == ["certify", "report", "all"]
    assert size() == USUAL_SAMPLE
