"""Allocation files of a single product: read exactly, and every mistake told in one line."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.allocation.made_up_allocation import BASE, changed, problem, without
from workflow.allocation.read import parse_allocation
from workflow.errors import ConfigError


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
    allocation = parse_allocation(BASE[: BASE.index("deltas")], "a.yaml")
    assert allocation.deltas == (F(1, 10**6), F(1, 10**10), F(1, 10**11))
    assert (allocation.resolution.thresholds, allocation.resolution.eps_points) == (1001, 256)


def test_levels_and_queries_are_matched_by_name_not_by_position() -> None:
    start, end = BASE.index("  County:"), BASE.index("  Block:")
    county = BASE[start:end]
    moved = BASE.replace(county, "").replace("bypass:\n", county + "bypass:\n", 1)
    moved = moved.replace("{age: 1/10, detailed: 0.9}", "{detailed: 0.9, age: 1/10}")
    assert parse_allocation(moved, "a.yaml") == parse_allocation(BASE, "a.yaml")


@pytest.mark.parametrize(
    ("fixed", "patterns", "digits"),
    [
        ("{}", "[00, 11, 01]", ("00", "11", "01")),
        ("{State: 0}", "[[], [County]]", ("00", "01")),
        ("{State: 1}", "[[], [State, County]]", ("10", "11")),
    ],
)
def test_patterns_keep_their_order_and_may_name_the_levels_that_bypass(
    fixed: str, patterns: str, digits: tuple[str, ...]
) -> None:
    text = changed("{State: 0}\n  patterns: complete", f"{fixed}\n  patterns: {patterns}")
    assert parse_allocation(text, "a.yaml").patterns == digits


QUERIES, LEVELS = "[total, age, detailed]", "[State, County, Block]"
ABSORBING, PATTERNS = "levels: [State, County]\n", "patterns: complete"
SHARES, RHOS = "{age: 1/10, detailed: 0.9}", "rho: {total: 1/10, age: 0.05, detailed: 5e-2}"
DELTAS = "[1e-6, 1/10000000000]"
BYPASS = BASE[BASE.index("bypass:") : BASE.index("deltas:")]

#: What is changed, into what; the line that is named, the key path with the value, words of the message.
MISTAKES = [
    (SHARES, "{age: 1/10, detailed: 0.8}", "11: budget.State.queries", "9/10 (0.9), 1/10 (0.1) too little"),
    ("total_rho: 1\n", "total_rho: 1.5\n", "5: total_rho = '1.5'", "exactly 3/2 (1.5)"),
    (RHOS, f"share: 1/10\n    queries: {SHARES}\n    not_asked: [total]", "8: budget", "too little"),
    ("total_rho: 1\n", "total_rho: 0\n", "5: total_rho = '0'", "above 0"),
    ("total_rho: 1\n", "total_rho: 1,0\n", "5: total_rho = '1,0'", "no comma"),
    ("total: 1/10", "total: 0", "17: budget.Block.rho.total = '0'", "not_asked"),
    (SHARES, "{age: 0.0, detailed: 0.9}", "11: budget.State.queries.age = '0.0'", "not_asked"),
    ("age: 0.05", "age: 0,05", "17: budget.Block.rho", "'age: 0,05' is two entries"),
    ("0.05", "-0.05", "17: budget.Block.rho.age = '-0.05'", "above 0"),
    ("0.05", "1e31", "17: budget.Block.rho.age = '1e31'", "1e30"),
    ("0.05", "nan", "17: budget.Block.rho.age = 'nan'", "exact number"),
    ("0.05", "1/0", "17: budget.Block.rho.age = '1/0'", "denominator"),
    ("0.05", "[1, 2]", "17: budget.Block.rho.age", "one number"),
    ("share: 0.5", "share: 3/2", "10: budget.State.share = '3/2'", "at most 1"),
    ("share: 0.5", "share:", "10: budget.State.share = ''", "exact number"),
    ("1e-6", "nan", "22: deltas[0] = 'nan'", "exact number"),
    ("1e-6", "1", "22: deltas[0] = '1'", "below 1"),
    ("1e-6", "0", "22: deltas[0] = '0'", "above 0"),
    ("1e-6", "1e-10", "22: deltas[1] = '1/10000000000'", "listed twice; the first is deltas[0]"),
    ("1e-6", "1e-999999999", "22: deltas[0] = '1e-999999999'", "exponent"),
    ("1e-6", "!!float 1e-6", "22", "tags"),
    (DELTAS, "1e-6", "22: deltas = '1e-6'", "list"),
    (DELTAS, "[]", "22: deltas", "at least 1 entry"),
    (DELTAS, str(list(range(2, 103))), "22: deltas", "at most 100"),
    ("{State: 0}", "{Stat: 0}", "20: bypass.fixed.Stat = '0'", "did you mean 'State'?"),
    ("{State: 0}", "{State: 2}", "20: bypass.fixed.State = '2'", "from 0 to 1"),
    (ABSORBING, "levels: [State, Conty]\n", "19: bypass.levels[1] = 'Conty'", "did you mean 'County'?"),
    (ABSORBING, "levels: [State, Block]\n", "19: bypass.levels[1] = 'Block'", "allowed: State, County"),
    (ABSORBING, "levels: [County, State]\n", "19: bypass.levels", "order"),
    (ABSORBING, "levels: [State, State]\n", "19: bypass.levels[1] = 'State'", "twice"),
    (ABSORBING, "levels: []\n", "19: bypass.levels", "without any bypass"),
    (ABSORBING, "levels: &x [State, County]\n", "19", "anchors"),
    (BYPASS, "bypass: none\n", "18: bypass = 'none'", "without any bypass"),
    (BYPASS, "bypass: {levels: [County], patterns: [00]}\n", "18: bypass.patterns[0] = '00'", "1 digit"),
    (BYPASS, "", "1: bypass", "missing"),
    (PATTERNS, "patterns: [00, 002]", "21: bypass.patterns[1] = '002'", "2 digits"),
    (PATTERNS, "patterns: [[], [Conty]]", "21: bypass.patterns[1][0] = 'Conty'", "did you mean 'County'?"),
    (PATTERNS, "patterns: [[County, County]]", "21: bypass.patterns[0][1] = 'County'", "twice"),
    (PATTERNS, "patterns: [[State]]", "21: bypass.patterns[0]", "fixed at 0"),
    (PATTERNS, "patterns: [{County: 1}]", "21: bypass.patterns[0]", "a pattern is"),
    (PATTERNS, "patterns: [01, 10]", "21: bypass.patterns[1] = '10'", "fixed at 0"),
    (PATTERNS, "patterns: [00, 01, 00]", "21: bypass.patterns[2] = '00'", "the first is bypass.patterns[0]"),
    (PATTERNS, "patterns: [01, [County]]", "21: bypass.patterns[1]", "twice"),
    (PATTERNS, "patterns: []", "21: bypass.patterns", "1 to 4096"),
    (PATTERNS, "patterns: default", "21: bypass.patterns = 'default'", "use the complete set or an own list"),
    (PATTERNS, "patterns: al", "21: bypass.patterns = 'al'", "must be default, complete or a list"),
    (PATTERNS, "patterns: COMPLET", "21: bypass.patterns = 'COMPLET'", "did you mean 'complete'?"),
    (SHARES, "{age: 1/10, detail: 0.9}", "11: budget.State.queries.detail = '0.9'", "'detailed'?"),
    (SHARES, "{age: 1}", "11: budget.State.queries.detailed", "missing"),
    ("not_asked: [total]", "not_asked: [total, age]", "12: budget.State.not_asked[1] = 'age'", "queries"),
    ("not_asked: [total]", "not_asked: [totl]", "12: budget.State.not_asked[0] = 'totl'", "'total'?"),
    (RHOS, f"rho: {{}}\n    not_asked: {QUERIES}", "17: budget.Block.rho", "at least one query"),
    (RHOS, f"share: 1\n    {RHOS}", "16: budget.Block", "not both"),
    (RHOS, "share: 1/5", "16: budget.Block", "both of share and queries"),
    ("  Block:\n", "  Blok:\n", "16: budget.Blok", "did you mean 'Block'?"),
    ("  Block:\n", "  State:\n", "16", "duplicate key budget.State"),
    (LEVELS, "[State, County, Tract, Block]", "8: budget.Tract", "missing"),
    (LEVELS, "[State, County, State]", "6: levels[2] = 'State'", "the first is levels[0]"),
    (LEVELS, "[State]", "6: levels", "at least 2 entries"),
    (LEVELS, "[State, ../x, Block]", "6: levels[1] = '../x'", "a level's name"),
    (QUERIES, "[total, age, age]", "7: queries[2] = 'age'", "the first is queries[1]"),
    (QUERIES, "[total, age, '']", "7: queries[2] = ''", "a query's name"),
    (QUERIES, "[total, age, '=1+1']", "7: queries[2] = '=1+1'", "formula"),
    (QUERIES, str([f"q{k}" for k in range(1000)]), "11: budget.State.queries.age = '1/10'", "980 more"),
    ("name: made_up", "name: ../x", "1: name = '../x'", "plain name"),
    ("name: made_up", "name:", "1: name = ''", "plain name"),
    ("name: made_up", f"name: {'x' * 100_000}", f"1: name = '{'x' * 77}...'", "plain name"),
    ("name: made_up", "<<: {name: made_up}", '1: "<<"', "unknown key"),
    ("title: Made up", "title: ' '", "2: title = ' '", "printable"),
    ("title: Made up", "title: [a]", "2: title", "one text"),
    ("title: Made up", 'title: "a\\eb"', "2: title = 'a\\x1bb'", "printable"),
    ("title: Made up", "name: other", "2", "duplicate key name"),
    ("neighbours: bounded", "neighbours: unbounded", "4: neighbours = 'unbounded'", "allowed: bounded"),
    ("neighbours: bounded", "neighbours: [bounded]", "4: neighbours", "allowed: bounded"),
    ("thresholds: 2001", "thresholds: 1e3", "23: resolution.thresholds = '1e3'", "from 2 to 1000000"),
    ("thresholds: 2001", "thresholds: []", "23: resolution.thresholds", "one number"),
    ("{thresholds: 2001, eps_points: 64}", "fine", "23: resolution = 'fine'", "mapping"),
    ("deltas:", "delta:", "22: delta", "did you mean 'deltas'? allowed: name, title, source, neighbours"),
    ("queries: [total", "quieres: [total", "7: quieres", "did you mean 'queries'?"),
    ("share: 0.5", "shrae: 0.5", "10: budget.State.shrae = '0.5'", "allowed: rho, share, queries, not_asked"),
    ("[1e-6, ", "[1e-6 ", "22: deltas[0] = '1e-6 1/10000000000'", "exact number"),
    ("deltas:", "---\ndeltas:", "22", "one document"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "words"), MISTAKES)
def test_a_mistake_is_told_in_one_line(old: str, new: str, place: str, words: str) -> None:
    line = problem(changed(old, new))
    assert line.startswith(f"a.yaml:{place}: "), line
    assert words in line
    assert len(line) < 400


@pytest.mark.parametrize("key", ["name", "title", "source", "neighbours", "total_rho"])
def test_a_missing_key_is_named(key: str) -> None:
    assert problem(without(key)).startswith(f"a.yaml:1: {key}: missing")


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "[]"])
def test_a_file_that_is_no_mapping_is_refused(text: str) -> None:
    assert problem(text).startswith("a.yaml:1: an allocation file is a mapping: name, title, source")


def test_common_denominators_are_bounded() -> None:
    total, age, detailed = (f"{10**95}/{10**96 + k}" for k in (1, 3, 7))
    line = problem(changed(RHOS, f"rho: {{total: {total}, age: {age}, detailed: {detailed}}}"))
    assert line.startswith("a.yaml:5: total_rho = '1'")
    assert "more than 200 digits" in line


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
