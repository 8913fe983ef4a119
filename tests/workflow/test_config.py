"""Allocation files and cells files: read exactly, and every mistake told in one line."""

from __future__ import annotations

import json
from fractions import Fraction as F
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.accounting.composition import Composition
from kernels.accounting.mechanism import pairs
from workflow.lib.config import (
    ConfigError,
    allocation_folders,
    find_allocation,
    load_allocation,
    parse_allocation,
    read_cells,
)

BASE = """\
name: made_up
title: Made up
source: this test
neighbours: bounded
total_rho: 1
levels: [State, County, Block]
queries: [total, age, detailed]
budget:
  State:
    share: 0.5
    queries: {age: 1/10, detailed: 0.9}
    not_asked: [total]
  County:
    share: 3/10
    queries: {total: 1/2, age: 1/4, detailed: 1/4}
  Block:
    rho: {total: 1/10, age: 0.05, detailed: 5e-2}
bypass:
  levels: [State, County]
  fixed: {State: 0}
  patterns: complete
deltas: [1e-6, 1/10000000000]
resolution: {thresholds: 2001, eps_points: 64}
"""


def problem(text: str) -> str:
    """The one line that an allocation file with this text is refused with."""
    with pytest.raises(ConfigError) as caught:
        parse_allocation(text, "a.yaml")
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("a.yaml")
    return line


def changed(old: str, new: str) -> str:
    """BASE with one piece of it changed."""
    assert BASE.count(old) == 1
    return BASE.replace(old, new)


def without(key: str) -> str:
    """BASE without the line of a key."""
    kept = [line for line in BASE.splitlines() if not line.lstrip().startswith(f"{key}:")]
    assert len(kept) == len(BASE.splitlines()) - 1
    return "\n".join(kept) + "\n"


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


def test_the_shipped_allocation_is_the_production_run() -> None:
    allocation = load_allocation("dhc_persons_us")
    assert allocation.total_rho == F(24811, 5000)
    assert len(allocation.patterns) == 43
    assert len(pairs(allocation)) == 946
    assert [len(queries) for queries in allocation.rho.values()] == [10] * 8
    by_level = {level: allocation.level_rho(level) for level in allocation.levels}
    assert by_level == {
        "US": F(949, 10000),
        "State": F(12987, 10000),
        "County": F(496, 1000),
        "Prim": F(3107, 5000),
        "Tract_Subset_Group": F(3107, 5000),
        "Tract_Subset": F(3472, 2500),
        "Block_Group": F(430, 1000),
        "Block": F(11, 1000),
    }
    assert allocation.rho["County"]["popSehsdTargetsRelship"] == F(31, 250)
    assert allocation.rho["Prim"]["popSehsdTargetsRelship"] == F(239, 5000)
    assert "DAS_2020_DHC_Production_Code@38ea5f2a70c3ce8e3d683833f687cdde6fa1fd25" in allocation.source
    assert allocation.deltas == (F(1, 10**6), F(1, 10**10), F(1, 10**11))


def test_the_tiny_allocation_has_ten_pairs() -> None:
    allocation = load_allocation(Path(__file__).parents[1] / "data" / "tiny.yaml")
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


BAD_VALUES = {
    "share sum 9/10": (
        ("{age: 1/10, detailed: 0.9}", "{age: 1/10, detailed: 0.8}"),
        "a.yaml:11: budget.State.queries: the shares add up to 9/10 (0.9), 1/10 (0.1) too little; "
        "they must add up to exactly 1",
    ),
    "total": (
        ("total_rho: 1\n", "total_rho: 1.5\n"),
        "a.yaml:5: total_rho = '1.5': the rhos of all levels and queries add up to 7/5 (1.4), "
        "1/10 (0.1) too little; they must add up to exactly 3/2 (1.5)",
    ),
    "rho 0": (("total: 1/10", "total: 0"), "a.yaml:17: budget.Block.rho.total = '0': must be above 0"),
    "rho negative": (("0.05", "-0.05"), "a.yaml:17: budget.Block.rho.age = '-0.05': must be above 0"),
    "rho huge": (
        ("0.05", "1e31"),
        "a.yaml:17: budget.Block.rho.age = '1e31': must lie between 1e-30 and 1e30",
    ),
    "rho not a number": (
        ("0.05", "nan"),
        "a.yaml:17: budget.Block.rho.age = 'nan': must be an exact number such as 1e-10, 0.1 or 11/10000",
    ),
    "rho over zero": (
        ("0.05", "1/0"),
        "a.yaml:17: budget.Block.rho.age = '1/0': the denominator of a fraction must not be 0",
    ),
    "rho a list": (("0.05", "[1, 2]"), "a.yaml:17: budget.Block.rho.age: must be one number"),
    "share above 1": (
        ("share: 0.5", "share: 3/2"),
        "a.yaml:10: budget.State.share = '3/2': must be above 0 and at most 1",
    ),
    "share empty": (
        ("share: 0.5", "share:"),
        "a.yaml:10: budget.State.share = '': must be an exact number such as 1e-10, 0.1 or 11/10000",
    ),
    "delta nan": (
        ("deltas: [1e-6, 1/10000000000]", "deltas: [1e-6, nan]"),
        "a.yaml:22: deltas[1] = 'nan': must be an exact number such as 1e-10, 0.1 or 11/10000",
    ),
    "delta 1": (("1e-6", "1"), "a.yaml:22: deltas[0] = '1': must be above 0 and below 1, such as 1e-10"),
    "delta 0": (("1e-6", "0"), "a.yaml:22: deltas[0] = '0': must be above 0 and below 1, such as 1e-10"),
    "delta twice": (
        ("1e-6", "1e-10"),
        "a.yaml:22: deltas[1] = '1/10000000000': listed twice; the first is deltas[0]",
    ),
    "deltas one text": (("[1e-6, 1/10000000000]", "1e-6"), "a.yaml:22: deltas = '1e-6': must be a list"),
    "deltas none": (("[1e-6, 1/10000000000]", "[]"), "a.yaml:22: deltas: must have at least 1 entries"),
    "unknown level in fixed": (
        ("{State: 0}", "{Stat: 0}"),
        "a.yaml:20: bypass.fixed.Stat = '0': unknown level of bypass.levels; did you mean 'State'? "
        "allowed: State, County",
    ),
    "fixed digit 2": (
        ("{State: 0}", "{State: 2}"),
        "a.yaml:20: bypass.fixed.State = '2': must be a whole number from 0 to 1, in plain digits",
    ),
    "unknown bypass level": (
        ("levels: [State, County]\n", "levels: [State, Conty]\n"),
        "a.yaml:19: bypass.levels[1] = 'Conty': not a level that has children; did you mean 'County'? "
        "allowed: State, County",
    ),
    "last level absorbs": (
        ("levels: [State, County]\n", "levels: [State, Block]\n"),
        "a.yaml:19: bypass.levels[1] = 'Block': not a level that has children; allowed: State, County",
    ),
    "bypass order": (
        ("levels: [State, County]\n", "levels: [County, State]\n"),
        "a.yaml:19: bypass.levels: must be in the order of `levels`, root first",
    ),
    "bypass level twice": (
        ("levels: [State, County]\n", "levels: [State, State]\n"),
        "a.yaml:19: bypass.levels[1] = 'State': listed twice; the first is bypass.levels[0]",
    ),
    "no bypass levels": (
        ("levels: [State, County]\n", "levels: []\n"),
        "a.yaml:19: bypass.levels: must have at least 1 entries",
    ),
    "pattern length": (
        ("patterns: complete", "patterns: [00, 001]"),
        "a.yaml:21: bypass.patterns[1] = '001': a pattern has 2 digits 0 or 1, one for each of State, County",
    ),
    "unknown level in a pattern": (
        ("patterns: complete", "patterns: [[], [Conty]]"),
        "a.yaml:21: bypass.patterns[1][0] = 'Conty': unknown level in a pattern; did you mean 'County'? "
        "allowed: State, County",
    ),
    "level twice in a pattern": (
        ("patterns: complete", "patterns: [[County, County]]"),
        "a.yaml:21: bypass.patterns[0][1] = 'County': listed twice; the first is bypass.patterns[0][0]",
    ),
    "level with a fixed digit in a pattern": (
        ("patterns: complete", "patterns: [[State]]"),
        "a.yaml:21: bypass.patterns[0]: the digit of State is fixed at 0",
    ),
    "pattern a mapping": (
        ("patterns: complete", "patterns: [{County: 1}]"),
        "a.yaml:21: bypass.patterns[0]: a pattern is a text of digits 0 and 1 or a list of the "
        "levels that bypass",
    ),
    "pattern against a fixed digit": (
        ("patterns: complete", "patterns: [01, 10]"),
        "a.yaml:21: bypass.patterns[1] = '10': the digit of State is fixed at 0",
    ),
    "pattern twice": (
        ("patterns: complete", "patterns: [00, 01, 00]"),
        "a.yaml:21: bypass.patterns[2] = '00': listed twice; the first is bypass.patterns[0]",
    ),
    "patterns default elsewhere": (
        ("patterns: complete", "patterns: default"),
        "a.yaml:21: bypass.patterns = 'default': the default list holds patterns over State, County, Prim, "
        "Tract_Subset_Group, Tract_Subset, Block_Group only; use the complete set or an own list",
    ),
    "patterns misspelt": (
        ("patterns: complete", "patterns: al"),
        "a.yaml:21: bypass.patterns = 'al': must be default, complete or a list of 1 to 4096 patterns",
    ),
    "unknown query": (
        ("{age: 1/10, detailed: 0.9}", "{age: 1/10, detail: 0.9}"),
        "a.yaml:11: budget.State.queries.detail = '0.9': unknown query; did you mean 'detailed'? "
        "allowed: total, age, detailed",
    ),
    "missing query": (
        ("{total: 1/2, age: 1/4, detailed: 1/4}", "{total: 1/2, age: 1/2}"),
        "a.yaml:15: budget.County.queries.detailed: missing; give it here or list it in "
        "budget.County.not_asked",
    ),
    "asked and not asked": (
        ("not_asked: [total]", "not_asked: [total, age]"),
        "a.yaml:12: budget.State.not_asked[1] = 'age': is not asked here, yet budget.State.queries holds it",
    ),
    "unknown query not asked": (
        ("not_asked: [total]", "not_asked: [totl]"),
        "a.yaml:12: budget.State.not_asked[0] = 'totl': unknown query; did you mean 'total'? "
        "allowed: total, age, detailed",
    ),
    "nothing asked": (
        ("rho: {total: 1/10, age: 0.05, detailed: 5e-2}", "rho: {}\n    not_asked: [total, age, detailed]"),
        "a.yaml:17: budget.Block.rho: must ask at least one query",
    ),
    "rho and share": (
        ("    rho: {total", "    share: 1\n    rho: {total"),
        "a.yaml:16: budget.Block: give either rho, or share and queries, not both",
    ),
    "share without queries": (
        ("    rho: {total: 1/10, age: 0.05, detailed: 5e-2}", "    share: 1/5"),
        "a.yaml:16: budget.Block: give either rho, or both of share and queries",
    ),
    "unknown level": (
        ("  Block:\n", "  Blok:\n"),
        "a.yaml:16: budget.Blok: unknown level; did you mean 'Block'? allowed: State, County, Block",
    ),
    "missing level": (
        ("[State, County, Block]", "[State, County, Tract, Block]"),
        "a.yaml:8: budget.Tract: missing; every level of `levels` needs its budget",
    ),
    "level twice": (
        ("[State, County, Block]", "[State, County, State]"),
        "a.yaml:6: levels[2] = 'State': listed twice; the first is levels[0]",
    ),
    "one level": (("[State, County, Block]", "[State]"), "a.yaml:6: levels: must have at least 2 entries"),
    "level a path": (
        ("[State, County, Block]", "[State, ../x, Block]"),
        "a.yaml:6: levels[1] = '../x': a level's name has at most 128 letters, digits, _, - and ., "
        "none of the last three first",
    ),
    "query twice": (
        ("[total, age, detailed]", "[total, age, age]"),
        "a.yaml:7: queries[2] = 'age': listed twice; the first is queries[1]",
    ),
    "query without name": (
        ("[total, age, detailed]", "[total, age, '']"),
        "a.yaml:7: queries[2] = '': a query's name has 1 to 200 printable characters, no space at either end",
    ),
    "name a path": (
        ("name: made_up", "name: ../x"),
        "a.yaml:1: name = '../x': must be a plain name: at most 64 letters, digits, _ and -, no path",
    ),
    "name empty": (
        ("name: made_up", "name:"),
        "a.yaml:1: name = '': must be a plain name: at most 64 letters, digits, _ and -, no path",
    ),
    "title empty": (
        ("title: Made up", "title: ' '"),
        "a.yaml:2: title = ' ': must be 1 to 2000 printable characters",
    ),
    "title a list": (("title: Made up", "title: [a]"), "a.yaml:2: title: must be one text"),
    "title with control characters": (
        ("title: Made up", 'title: "a\\eb"'),
        "a.yaml:2: title = 'a\\x1bb': must be 1 to 2000 printable characters",
    ),
    "neighbours": (
        ("neighbours: bounded", "neighbours: all"),
        "a.yaml:4: neighbours = 'all': allowed: bounded",
    ),
    "neighbours misspelt": (
        ("neighbours: bounded", "neighbours: boundd"),
        "a.yaml:4: neighbours = 'boundd': did you mean 'bounded'? allowed: bounded",
    ),
    "patterns misspelt in capitals": (
        ("patterns: complete", "patterns: COMPLET"),
        "a.yaml:21: bypass.patterns = 'COMPLET': did you mean 'complete'? "
        "must be default, complete or a list of 1 to 4096 patterns",
    ),
    "thresholds": (
        ("thresholds: 2001", "thresholds: 1e3"),
        "a.yaml:23: resolution.thresholds = '1e3': must be a whole number from 2 to 1000000, in plain digits",
    ),
    "thresholds a list": (
        ("thresholds: 2001", "thresholds: []"),
        "a.yaml:23: resolution.thresholds: must be one number",
    ),
    "resolution a text": (
        ("{thresholds: 2001, eps_points: 64}", "fine"),
        "a.yaml:23: resolution = 'fine': must be a mapping",
    ),
    "misspelt key": (
        ("deltas:", "delta:"),
        "a.yaml:22: delta: unknown key; did you mean 'deltas'? allowed: name, title, source, neighbours, "
        "total_rho, levels, queries, budget, bypass, deltas, resolution",
    ),
    "misspelt required key": (
        ("queries: [total, age", "quieres: [total, age"),
        "a.yaml:7: quieres: unknown key; did you mean 'queries'? allowed: name, title, source, neighbours, "
        "total_rho, levels, queries, budget, bypass, deltas, resolution",
    ),
    "misspelt inner key": (
        ("share: 0.5", "shrae: 0.5"),
        "a.yaml:10: budget.State.shrae = '0.5': unknown key; did you mean 'share'? "
        "allowed: rho, share, queries, not_asked",
    ),
    "YAML merge": (
        ("name: made_up", "<<: {name: made_up}"),
        "a.yaml:1: <<: unknown key; allowed: name, title, source, neighbours, total_rho, levels, "
        "queries, budget, "
        "bypass, deltas, resolution",
    ),
    "anchor": (
        ("levels: [State, County]\n", "levels: &x [State, County]\n"),
        "a.yaml:19: anchors (&) and aliases (*) are not allowed; write the value out",
    ),
    "tag": (("1e-6", "!!float 1e-6"), "a.yaml:22: tags (!) are not allowed; write the plain value"),
    "python tag": (
        ("title: Made up", "title: !!python/object/apply:os.system [ls]"),
        "a.yaml:2: tags (!) are not allowed; write the plain value",
    ),
    "duplicate key": (("title: Made up", "name: other"), "a.yaml:2: duplicate key name"),
    "duplicate level": (("  Block:\n", "  State:\n"), "a.yaml:16: duplicate key budget.State"),
    "two documents": (
        ("deltas:", "---\ndeltas:"),
        "a.yaml:22: one file holds one document; remove the second '---'",
    ),
    "not YAML": (
        ("[1e-6, ", "[1e-6 "),
        None,
    ),
}


@pytest.mark.parametrize(("change", "line"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_a_mistake_is_told_in_one_line(change: tuple[str, str], line: str | None) -> None:
    found = problem(changed(*change))
    if line is not None:
        assert found.replace('"<<"', "<<") == line


@pytest.mark.parametrize(
    "key", ["name", "title", "source", "neighbours", "total_rho", "queries: [total, age, detailed]"]
)
def test_a_missing_key_is_named(key: str) -> None:
    text = without(key) if ":" not in key else changed(key + "\n", "")
    assert problem(text) == f"a.yaml:1: {key.partition(':')[0]}: missing; this key is required"


def test_shares_of_all_levels_must_add_up_to_one() -> None:
    text = changed(
        "rho: {total: 1/10, age: 0.05, detailed: 5e-2}",
        "share: 1/10\n    queries: {total: 1/2, age: 1/4, detailed: 1/4}",
    )
    assert problem(text) == (
        "a.yaml:8: budget: the levels' shares add up to 9/10 (0.9), 1/10 (0.1) too little; "
        "they must add up to exactly 1"
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n...\n"])
def test_an_empty_file_is_named_as_such(text: str) -> None:
    assert problem(text) == "a.yaml: the file is empty"


def test_an_empty_mapping_lacks_its_first_key() -> None:
    assert problem("{}") == "a.yaml:1: name: missing; this key is required"


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "[]", '""'])
def test_a_file_that_is_no_mapping_is_refused(text: str) -> None:
    assert problem(text).startswith("a.yaml:1: an allocation file is a mapping: name, title, source")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "a.yaml:1: nested too deeply"),
        ("- " * 100_000, "a.yaml:1: nested too deeply"),
        ("{a: " * 100_000, "a.yaml:1: nested too deeply"),
        (
            "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
            "a.yaml:1: anchors (&) and aliases (*) are not allowed",
        ),
        ("? [a, b]\n: c\n", "a.yaml:1: a key must be plain text"),
        ("a: \x00\n", "a.yaml:1: not valid YAML: "),
        ("a: 'b\n", "a.yaml:1: not valid YAML: the quote that opens here is not closed"),
    ],
)
def test_hostile_yaml_ends_at_once(text: str, reason: str) -> None:
    assert problem(text).startswith(reason)


def test_numbers_that_would_grow_without_bound_are_refused() -> None:
    assert "the exponent of a number must lie between -4000 and 4000" in problem(
        changed("1e-6", "1e-999999999")
    )
    assert "a number has at most 200 characters" in problem(changed("1e-6", "0." + "1" * 300))
    long = [f"{10**95}/{10**96 + k}" for k in (1, 3, 7)]
    text = changed(
        "{total: 1/10, age: 0.05, detailed: 5e-2}", "{{total: {}, age: {}, detailed: {}}}".format(*long)
    )
    line = "a.yaml:5: total_rho = '1': the common denominator of these numbers has more than 200 digits"
    assert problem(text) == line + "; use rounder numbers"


def test_long_values_and_long_lists_are_cut_in_messages() -> None:
    assert len(problem(changed("name: made_up", "name: " + "x" * 100_000))) < 300
    many = ", ".join(f"q{k}" for k in range(1000))
    assert "q19 and 980 more" in problem(changed("[total, age, detailed]", f"[{many}]"))


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """A file in a folder."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


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


TEXT = st.text(max_size=60) | st.sampled_from(
    ["1/2", "nan", "1e-10", "- a", "a: b", "{", "]", "&a", "*a", "!!x", "default"]
)


@settings(max_examples=300)
@given(st.integers(0, len(BASE)), st.integers(0, 40), TEXT)
def test_any_change_is_read_or_refused_in_one_line(start: int, length: int, inserted: str) -> None:
    text = BASE[:start] + inserted + BASE[start + length :]
    try:
        line = parse_allocation(text, "a.yaml").name
    except ConfigError as error:
        line = str(error)
    assert len(line.splitlines()) == 1


def test_cells_files_in_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    wanted = Composition.from_counts({F(1, 3): 5, F(2, 7): 3, F(1, 10): 1, F(1, 10**10): 60})
    as_json = '{"1/3": 5, "2/7": 3, "0.1": 1, "1e-10": 60}'
    assert read_cells(write(tmp_path, "a.json", as_json)) == wanted
    assert read_cells(write(tmp_path, "a.yaml", as_json)) == wanted
    assert read_cells(write(tmp_path, "b.yaml", "1/3: 5\n2/7: 3\n0.1: 1\n1e-10: 60\n")) == wanted
    assert read_cells(write(tmp_path, "c.json", '{"1/3": "5", "4/14": 3, ".1": 1, "1E-10": 60}')) == wanted


BAD_CELLS = {
    '{"1/2": 1, "2/4": 1}': "2/4\" = '1': the same rho as '1/2'; list each rho once",
    '{"1/2": 1, "0.5": 1}': "0.5\" = '1': the same rho as '1/2'; list each rho once",
    '{"1/2": 1, "1/2": 1}': "duplicate key",
    '{"1/2": 0}': "1/2\" = '0': the number of cells must be a whole number from 1 to 1000000000000",
    '{"1/2": -3}': "= '-3': the number of cells must be a whole number",
    '{"1/2": 2.0}': "= '2.0': the number of cells must be a whole number",
    '{"1/2": 1e3}': "= '1e3': the number of cells must be a whole number",
    '{"1/2": true}': "= 'true': the number of cells must be a whole number",
    '{"1/2": "x"}': "= 'x': the number of cells must be a whole number",
    '{"1/2": [1]}': '1/2": the number of cells must be one whole number',
    '{"0": 1}': "0 = '1': the key is rho and must be above 0",
    '{"-1": 1}': "the key is rho and must be above 0",
    '{"nan": 1}': "nan = '1': the key is rho and must be an exact number",
    '{"1e-40": 1}': "the key is rho and must lie between 1e-30 and 1e30",
    "[1, 2]": "a cells file is a mapping from rho to a number of cells, such as 1/3: 5",
    "{}": "holds no cells",
    "": "",
    '{"1/2": 1': "not valid",
}


@pytest.mark.parametrize(("text", "reason"), BAD_CELLS.items(), ids=BAD_CELLS)
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_bad_cells_are_refused_in_one_line(tmp_path: Path, suffix: str, text: str, reason: str) -> None:
    path = write(tmp_path, f"cells.{suffix}", text)
    with pytest.raises(ConfigError) as caught:
        read_cells(path)
    line = str(caught.value)
    assert line.startswith(str(path))
    assert reason in line
    assert "\n" not in line


def test_a_json_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nested too deeply"):
        read_cells(write(tmp_path, "deep.json", "[" * 1_000_000))


def test_cells_without_a_printable_lattice_are_refused(tmp_path: Path) -> None:
    cells = {f"{10**95}/{10**96 + k}": 1 for k in range(1, 80)}
    with pytest.raises(
        ConfigError, match="the common denominator of these numbers has more than 4000 digits"
    ):
        read_cells(write(tmp_path, "a.json", json.dumps(cells)))


@given(
    st.dictionaries(
        st.fractions(F(1, 10**6), 1000, max_denominator=10**9),
        st.integers(1, 10**12),
        min_size=1,
        max_size=20,
    )
)
def test_cells_survive_a_round_trip(counts: dict[F, int]) -> None:
    text = json.dumps({str(rho): count for rho, count in counts.items()})
    path = Path(__file__).parent / "not_written.yaml"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workflow.lib.text_tree.read_text", lambda *_: text)
        assert read_cells(path) == Composition.from_counts(counts)
