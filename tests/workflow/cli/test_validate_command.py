"""`exact-census validate`: what an allocation file holds, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_a_file_in_allocations_of_the_directory_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "allocations").mkdir()
    (tmp_path / "allocations" / "tiny.yaml").write_text(Path(TINY).read_text())
    assert "tiny: valid." in table("validate", "tiny")
    asked = ("--pair", "00,10", "--delta", "1e-6")
    assert answer("epsilon", "--allocation", "tiny", *asked) == answer(
        "epsilon", "--allocation", TINY, *asked
    )


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("deltas:", "delta:", ("delta", "did you mean 'deltas'")),
        ("total_rho: 7/4", "total_rho: 9/10", ("total_rho", "7/4")),
        ("total: 1/8", "total: 0", ("budget.County.rho.total", "above 0")),
        ("[1e-6, 1e-10]", "[nan]", ("deltas", "nan")),
        ("levels: [Region, County]", "levels: [Region, Conty]", ("Conty", "did you mean 'County'")),
    ],
)
def test_validate_says_what_is_wrong(tmp_path: Path, right: str, wrong: str, words: tuple[str, ...]) -> None:
    text = Path(TINY).read_text(encoding="utf-8")
    assert right in text
    broken = tmp_path / "tiny.yaml"
    broken.write_text(text.replace(right, wrong), encoding="utf-8")
    line = complaint(2, "validate", str(broken))
    assert "tiny.yaml" in line
    assert all(word in line for word in words), line
