"""`exact-census info`: what a result file holds, and whether it verifies."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import pytest

from kernels import KERNEL_VERSION
from tests.workflow.cli.command_line import TINY, answer, complaint, invoke, table
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result file of the tiny allocation, with made-up figures."""
    folder = tmp_path_factory.mktemp("results")
    write_results(folder, load_allocation(TINY))
    return folder / "curves.h5"


def test_info_says_what_a_file_holds(result_file: Path) -> None:
    document = answer("info", str(result_file))
    known = {"allocation": "tiny", "neighbours": "bounded", "pairs": "10", "verified": True}
    known |= {"levels": ["Region", "County", "Block"], "mechanisms": ["00", "01", "10", "11"]}
    known |= {"settings": {"deltas": ["1e-6", "1e-10"], "thresholds": "101", "eps_points": "32"}}
    assert document | known == document
    assert document["versions"]["kernels"] == KERNEL_VERSION
    assert len(document["digest"]) == 64
    assert [(row["kind"], row["results"]) for row in document["rows"]] == [("pair", "10"), ("level", "3")]
    printed = table("info", str(result_file))
    assert document["digest"] in printed
    assert "bounded (one record replaced by another)" in printed


def test_info_says_when_a_file_does_not_verify(result_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "curves.h5"
    damaged.write_bytes(result_file.read_bytes())
    with h5py.File(damaged, "r+") as file:
        file["pairs/00,01/tradeoff/alpha"][0, 0] += 0.5
    result = invoke("info", str(damaged), "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["verified"] is False
    assert "/pairs/00,01" in result.stderr
    assert result.stderr.count("\n") == 1


def test_info_refuses_what_is_not_a_result_file(result_file: Path, tmp_path: Path) -> None:
    cut, empty, other = (tmp_path / name for name in ("cut.h5", "empty.h5", "other.h5"))
    cut.write_bytes(result_file.read_bytes()[:5000])
    empty.touch()
    with h5py.File(other, "w") as file:
        file["x"] = 1
    for path in (cut, empty, other, tmp_path, tmp_path / "missing.h5", Path(TINY)):
        assert path.name in complaint(2, "info", str(path))
