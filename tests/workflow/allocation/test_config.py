"""Allocation files: read exactly, and found by name or path."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import pytest

from kernels.accounting.census.mechanism import pairs
from tests.paths import TINY
from tests.workflow.allocation.made_up_allocation import BASE, changed, problem, write
from workflow.allocation.read import (
    ConfigError,
    allocation_folders,
    find_allocation,
    load_allocation,
    parse_allocation,
)
from workflow.origin import Origin


def test_shares_and_rhos_are_read_exactly() -> None:
    allocation = parse_allocation(BASE, "a.yaml")
    assert allocation.rho == {
        "State": {"age": F(1, 20), "detailed": F(9, 20)},
        "County": {"total": F(3, 20), "age": F(3, 40), "detailed": F(3, 40)},
        "Block": {"total": F(1, 10), "age": F(1, 20), "detailed": F(1, 20)},
    }
    assert allocation.total_rho == 1
    assert allocation.levels == ("State", "County", "Block")
    assert allocation.absorbing_levels == ("State", "County")
    assert allocation.fixed_digits == {"State": 0}
    assert allocation.patterns == ("00", "01")
    assert allocation.deltas == (F(1, 10**6), F(1, 10**10))
    assert (allocation.resolution.thresholds, allocation.resolution.eps_points) == (2001, 64)
    assert (allocation.name, allocation.title, allocation.source) == ("made_up", "Made up", "this test")
    assert allocation.neighbours == "bounded"


def test_defaults() -> None:
    text = BASE[: BASE.index("deltas")]
    allocation = parse_allocation(text, "a.yaml")
    assert allocation.deltas == (F(1, 10**6), F(1, 10**10), F(1, 10**11))
    assert (allocation.resolution.thresholds, allocation.resolution.eps_points) == (1001, 256)


def test_levels_and_queries_are_matched_by_name_not_by_position() -> None:
    start, end = BASE.index("  County:"), BASE.index("  Block:")
    county = BASE[start:end]
    moved = BASE.replace(county, "").replace("bypass:\n", county + "bypass:\n", 1)
    moved = moved.replace("{age: 1/10, detailed: 0.9}", "{detailed: 0.9, age: 1/10}")
    assert parse_allocation(moved, "a.yaml") == parse_allocation(BASE, "a.yaml")


def test_own_patterns_keep_their_order_and_need_no_quotes() -> None:
    own = changed("  fixed: {State: 0}\n  patterns: complete", "  patterns: [00, 11, 01]")
    assert parse_allocation(own, "a.yaml").patterns == ("00", "11", "01")


def test_patterns_may_name_the_levels_that_bypass() -> None:
    named = changed("patterns: complete", "patterns: [[], [County]]")
    assert parse_allocation(named, "a.yaml").patterns == ("00", "01")
    fixed_at_1 = changed("{State: 0}\n  patterns: complete", "{State: 1}\n  patterns: [[], [State, County]]")
    assert parse_allocation(fixed_at_1, "a.yaml").patterns == ("10", "11")
    twice = changed("patterns: complete", "patterns: [01, [County]]")
    assert problem(twice) == "a.yaml:21: bypass.patterns[1]: listed twice; the first is bypass.patterns[0]"


def test_the_tiny_allocation_has_ten_pairs() -> None:
    allocation = load_allocation(TINY)
    assert allocation.patterns == ("00", "01", "10", "11")
    assert len(pairs(allocation)) == 10


SHIPPED = sorted(
    path
    for path in allocation_folders()[0].glob("*.yaml")
    if not path.stem.startswith("uldp")  # studies
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_allocation_is_found_by_its_name(path: Path) -> None:
    assert find_allocation(path.stem) == path
    assert load_allocation(path.stem).name == path.stem


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    cases = {
        write(tmp_path, "latin.yaml", b"title: caf\xe9"): "not UTF-8 text (byte 10 of the file)",
        write(
            tmp_path, "huge.yaml", b"#" * (2 << 20)
        ): "the file is too large; at most 1048576 bytes are read",
        write(tmp_path, "empty.yaml", b""): "the file is empty",
        tmp_path / "missing.yaml": "cannot be read: No such file or directory",
        tmp_path: "cannot be read: Is a directory",
    }
    for path, reason in cases.items():
        with pytest.raises(ConfigError) as caught:
            load_allocation(path)
        assert str(caught.value) == f"{path}: {reason}"
    with pytest.raises(ConfigError, match="not a file name"):
        load_allocation("a\0b.yaml")


def test_a_byte_order_mark_is_not_part_of_the_first_key(tmp_path: Path) -> None:
    assert load_allocation(write(tmp_path, "bom.yaml", b"\xef\xbb\xbf" + BASE.encode())).name == "made_up"


def test_an_allocation_is_found_in_the_working_directory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "allocations").mkdir()
    write(tmp_path / "allocations", "made_up.yaml", BASE)
    assert load_allocation("made_up").name == "made_up"
    write(tmp_path / "allocations", "renamed.yaml", BASE)
    with pytest.raises(
        ConfigError, match="name = 'made_up': must be renamed, the name by which the file is found"
    ):
        load_allocation("renamed")
    assert load_allocation("allocations/renamed.yaml").name == "made_up"
    with pytest.raises(
        ConfigError, match="'made_op': no such allocation; did you mean 'made_up'\\? allowed: "
    ):
        load_allocation("made_op")
    with pytest.raises(ConfigError, match=r"\.\./made_up: cannot be read: No such file"):
        load_allocation("../made_up")


def test_the_name_of_a_file_that_is_found_only_by_its_path_is_answered_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "made_up.yaml", BASE)
    with pytest.raises(
        ConfigError, match=r"'made_up': no such allocation; did you mean the file 'made_up\.yaml'\?"
    ):
        load_allocation("made_up")


def test_a_name_that_only_results_have_is_answered_with_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("own", "results/made_up"):
        Path(folder).mkdir(parents=True)
    file = write(Path("own"), "made_up.yaml", BASE)
    Origin(str(file), "0", "results/made_up").record()
    with pytest.raises(
        ConfigError, match=r"'made_up': no such allocation; did you mean the file 'own/made_up\.yaml'\?"
    ):
        load_allocation("made_up")
    file.write_text("w: 10\n")  # a study's file, say
    with pytest.raises(ConfigError, match=r"'made_up': no such allocation; allowed: "):
        load_allocation("made_up")
    file.unlink()
    with pytest.raises(ConfigError, match=r"'made_up': no such allocation; allowed: "):
        load_allocation("made_up")


def test_a_missing_name_is_answered_with_allocations_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "allocations"
    folder.mkdir()
    (folder / "unreadable.yaml").write_text("levels: [")
    (folder / "mine.yaml").write_text(TINY.read_text())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        find_allocation("uldp_defalt")
    line = str(caught.value)
    assert "uldp_default" not in line
    assert "did you mean" not in line
    assert {"dhc_persons_us", "joint_persons_us", "mine", "unreadable"} <= set(line.replace(",", " ").split())
