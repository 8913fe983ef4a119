"""`exact-census tradeoff` from a result file: bounds that hold the exact ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.certificate.small import TEXT, compute, write
from tests.workflow.cli.command_line import answer, complaint


def test_a_file_answers_with_bounds_on_the_exact_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "curves.h5", compute())
    ask = ("tradeoff", "--curves", str(path), "--alpha", "0.01,1/3")
    rows, named = (answer(*ask, "--pair", pair)["rows"] for pair in ("00,10", "M01,M00"))
    assert rows == named
    allocation = tmp_path / "small.yaml"
    allocation.write_text(TEXT)
    ask = ("tradeoff", "--allocation", str(allocation), "--pair", "00,10", "--alpha", "0.01,1/3")
    for stored, exact in zip(rows, answer(*ask)["rows"], strict=True):
        assert float(stored["beta_lower"]) <= float(exact["beta"]) <= float(stored["beta_upper"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pair", "00,11"], "11"),
        (["--pair", "00"], "two"),
        ([], "--pair"),
        (["--pair", "00,10", "--allocation", "dhc_persons_us"], "--curves"),
    ],
)
def test_what_cannot_be_asked_of_a_file(tmp_path: Path, arguments: list[str], words: str) -> None:
    path = write(tmp_path / "curves.h5", compute())
    assert words in complaint(2, "tradeoff", "--curves", str(path), "--alpha", "0.1", *arguments)
