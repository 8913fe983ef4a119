"""`exact-census validate`: what an allocation file holds, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from tests.workflow.cli.command_line import TINY, answer, complaint, table


def test_validate_says_what_a_file_holds() -> None:
    document = answer("validate", TINY)
    assert document["valid"] is True
    assert document["pairs"] == "10"
    assert document["mechanisms"] == ["00", "01", "10", "11"]
    assert [row["rho"] for row in document["rows"]] == ["0.75", "0.5", "0.5"]
    assert f"{TINY}: valid." in table("validate", TINY)


def test_one_mechanism_is_no_plural(tmp_path: Path) -> None:
    text = Path(TINY).read_text(encoding="utf-8")
    assert text.count("patterns: complete") == 1
    single = tmp_path / "tiny.yaml"
    single.write_text(text.replace("patterns: complete", "patterns: [00]"), encoding="utf-8")
    assert "1 mechanism (bypass pattern), 1 pair." in table("validate", str(single))
    assert "4 mechanisms (bypass patterns), 10 pairs." in table("validate", TINY)


def test_validate_says_what_is_wrong(tmp_path: Path) -> None:
    broken = tmp_path / "tiny.yaml"
    broken.write_text(Path(TINY).read_text(encoding="utf-8").replace("deltas:", "delta:"))
    line = complaint(2, "validate", str(broken))
    assert "tiny.yaml:23: delta" in line
    assert "did you mean 'deltas'?" in line
