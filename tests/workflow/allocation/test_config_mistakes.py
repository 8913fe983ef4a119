"""Allocation files: every mistake told in one line, and no text that is not read or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.allocation.made_up_allocation import BASE, changed, problem, without
from workflow.allocation.read import ConfigError, parse_allocation

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
    "rho 0": (
        ("total: 1/10", "total: 0"),
        "a.yaml:17: budget.Block.rho.total = '0': must be above 0; a query that the level does not ask is "
        "left out here and listed in the level's not_asked",
    ),
    "share 0": (
        ("{age: 1/10, detailed: 0.9}", "{age: 0.0, detailed: 0.9}"),
        "a.yaml:11: budget.State.queries.age = '0.0': must be above 0; a query that the level does not ask "
        "is left out here and listed in the level's not_asked",
    ),
    "total 0": (("total_rho: 1\n", "total_rho: 0\n"), "a.yaml:5: total_rho = '0': must be above 0"),
    "decimal comma": (
        ("total_rho: 1\n", "total_rho: 1,0\n"),
        "a.yaml:5: total_rho = '1,0': must be an exact number such as 1e-10, 0.1 or 11/10000 "
        "(a decimal point, no comma)",
    ),
    "decimal comma between braces": (
        ("age: 0.05", "age: 0,05"),
        "a.yaml:17: budget.Block.rho: 'age: 0,05' is two entries; the decimal sign is a point, not a comma",
    ),
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
    "deltas none": (("[1e-6, 1/10000000000]", "[]"), "a.yaml:22: deltas: must have at least 1 entry"),
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
        "a.yaml:19: bypass.levels: must have at least 1 entry; without any bypass write {levels: [LEVEL], "
        "patterns: [0]}, LEVEL being any level but the last",
    ),
    "bypass a word": (
        ("bypass:\n  levels: [State, County]\n  fixed: {State: 0}\n  patterns: complete\n", "bypass: none\n"),
        "a.yaml:18: bypass = 'none': must be a mapping; without any bypass write {levels: [LEVEL], "
        "patterns: [0]}, LEVEL being any level but the last",
    ),
    "no bypass": (
        ("bypass:\n  levels: [State, County]\n  fixed: {State: 0}\n  patterns: complete\n", ""),
        "a.yaml:1: bypass: missing; this key is required; without any bypass write {levels: [LEVEL], "
        "patterns: [0]}, LEVEL being any level but the last",
    ),
    "pattern length": (
        ("patterns: complete", "patterns: [00, 001]"),
        "a.yaml:21: bypass.patterns[1] = '001': a pattern has 2 digits 0 or 1, one for each of State, County",
    ),
    "pattern of one level": (
        (
            "bypass:\n  levels: [State, County]\n  fixed: {State: 0}\n  patterns: complete\n",
            "bypass: {levels: [County], patterns: [00]}\n",
        ),
        "a.yaml:18: bypass.patterns[0] = '00': a pattern has 1 digit, 0 or 1, for County",
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
    "query a formula": (
        ("[total, age, detailed]", "[total, age, '=1+1']"),
        "a.yaml:7: queries[2] = '=1+1': a query's name does not begin with = + - or @, which make it "
        "a formula in spreadsheets",
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
    "another relation, which is no misspelling": (
        ("neighbours: bounded", "neighbours: unbounded"),
        "a.yaml:4: neighbours = 'unbounded': only bounded neighbours, one record replaced by another, "
        "are computed; allowed: bounded",
    ),
    "neighbours a list": (
        ("neighbours: bounded", "neighbours: [bounded]"),
        "a.yaml:4: neighbours: only bounded neighbours, one record replaced by another, are computed; "
        "allowed: bounded",
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
