"""`exact-census patterns`: the bypass patterns of a table of geounits, counted and as a list to copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.allocation.small_geography import ALLOCATION, GEOCODES, TABLE
from tests.workflow.cli.command_line import answer, complaint, table


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "g.csv").write_text(TABLE)
    (tmp_path / "codes.csv").write_text(GEOCODES)
    (tmp_path / "a.yaml").write_text(ALLOCATION.replace("{geounits: g.csv}", "['00', '10']"))
    return str(tmp_path / "g.csv"), str(tmp_path / "a.yaml")


def test_the_command_counts_paths(files: tuple[str, str]) -> None:
    geounits, allocation = files
    document = answer("patterns", "--geounits", geounits, "--allocation", allocation)
    assert document["patterns"] == ["00", "01", "11"]
    assert document["paths"] == document["paths_lower"] == "4"
    assert [(row["pattern"], row["mechanism"], row["paths"]) for row in document["rows"]] == [
        ("00", "M00", "2"),
        ("01", None, "1"),
        ("11", None, "1"),
    ]
    assert document["rows"][2]["bypassed"] == ["State", "County"]
    codes = ("--geocodes", geounits.replace("g.csv", "codes.csv"), "--digits", "State=1, County=2,Block=1")
    assert answer("patterns", *codes, "--allocation", allocation)["rows"] == document["rows"]


def test_the_command_prints_a_list_to_copy(files: tuple[str, str]) -> None:
    geounits, allocation = files
    text = table("patterns", "--geounits", geounits, "--allocation", allocation)
    assert "4 paths from US to Block." in text
    assert "Geounits with a single child: State 1 of 2, County 2 of 3." in text
    assert (
        "3 bypass patterns, 6 pairs; made_up lists 2, of which 1 do not occur, and lacks 2 that do." in text
    )
    assert text.endswith("patterns: [00, 01, 11]\n")


def test_what_cannot_be_asked_is_one_line(files: tuple[str, str], tmp_path: Path) -> None:
    geounits, allocation = files
    (tmp_path / "joint.yaml").write_text(
        "name: j\ntitle: j\nneighbours: bounded\njoint: [a.yaml, dhc_persons_us]\n"
    )
    for arguments, expected in {
        (): "Name one table",
        ("--geounits", geounits, "--digits", "State=1"): "Name one table",
        ("--geocodes", geounits): "Name one table",
        ("--geocodes", geounits, "--digits", "State"): "--digits: 'State': must be LEVEL=N, each level once.",
        ("--geocodes", geounits, "--digits", "State=x"): "--digits: State = 'x': must be a whole number",
        ("--geocodes", geounits, "--digits", "State=1"): "digits: County is missing",
        ("--geounits", geounits + "x"): "cannot be read: No such file or directory",
    }.items():
        assert expected in complaint(2, "patterns", *arguments, "--allocation", allocation)
    line = complaint(2, "patterns", "--geounits", geounits, "--allocation", str(tmp_path / "joint.yaml"))
    assert "j is joint; name one of its products: made_up, dhc_persons_us." in line


def test_geography_against_a_fixed_digit_is_one_line(files: tuple[str, str], tmp_path: Path) -> None:
    fixed = ALLOCATION.replace("  patterns:", "  fixed: {State: 0}\n  patterns:")
    (tmp_path / "fixed.yaml").write_text(fixed.replace("{geounits: g.csv}", "complete"))
    line = complaint(2, "patterns", "--geounits", files[0], "--allocation", str(tmp_path / "fixed.yaml"))
    assert "g.csv: State '1' has a single child" in line
