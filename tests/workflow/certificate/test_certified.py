"""A certificate that still stands is kept, and what demands another one is noticed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.paths import TINY
from tests.workflow.pipeline.pipeline import succeed
from workflow.certificate.keep import USUAL_SAMPLE, certifying_code, stands


def written(path: Path, asked: int | None, **changed: object) -> Path:
    """A certificate, as far as it says what it is."""
    fields = {"code": certifying_code(), "file_digest": "d", "sample": {"asked": asked}}
    path.write_text(json.dumps(fields | changed))
    return path


@pytest.mark.parametrize(
    ("asked", "demanded", "kept"),
    [
        (2000, None, True),
        (None, None, True),  # every value
        (USUAL_SAMPLE, None, True),
        (USUAL_SAMPLE - 1, None, False),
        (2000, 2000, True),
        (2000, USUAL_SAMPLE, False),
        (USUAL_SAMPLE, 2000, False),
    ],
)
def test_a_sample_stands_where_it_is_as_asked_for_or_large_enough(
    tmp_path: Path, asked: int | None, demanded: int | None, kept: bool
) -> None:
    assert stands(written(tmp_path / "certificate.json", asked), demanded) is kept


def test_other_code_other_results_and_no_certificate_do_not_stand(tmp_path: Path) -> None:
    path = written(tmp_path / "certificate.json", 2000)
    assert stands(path, None, "d")
    assert not stands(path, None, "e")
    assert not stands(written(path, 2000, code="other"), None)
    path.write_text("[]")
    assert not stands(path, None)
    path.unlink()
    assert not stands(path, None)


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
    certificate.write_text(certificate.read_text().replace(certifying_code(), "0" * 64))
    assert succeed(tmp_path, shards=2) == ["certify", "report", "all"]
    assert size() == USUAL_SAMPLE
    assert succeed(tmp_path, shards=2, certify_sample=5) == ["certify", "report", "all"]
    assert size() == 5
    (tmp_path / "tiny.yaml").write_text(TINY.read_text().replace("[1e-6, 1e-10]", "[1e-6]"))
    assert succeed(tmp_path, shards=2)[-3:] == ["certify", "report", "all"]
    assert size() == USUAL_SAMPLE
