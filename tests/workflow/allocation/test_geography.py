"""Bypass patterns from geography: counted by the rule, and every mistake in a table told in one line."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from tests.workflow.allocation.small_geography import ABSORBING, ALLOCATION, GEOCODES, LEVELS, TABLE
from workflow.allocation.geography import path_counts, read_geography
from workflow.allocation.read import parse_allocation


def read(folder: Path, table: str, digits: dict[str, int] | None = None) -> dict[str, int]:
    path = folder / "g.csv"
    path.write_text(table, encoding="utf-8")
    return path_counts(read_geography(path, LEVELS, digits), ABSORBING, {})


def test_paths_are_counted_by_pattern(tmp_path: Path) -> None:
    assert read(tmp_path, TABLE) == {"00": 2, "01": 1, "11": 1}


def test_geocodes_say_the_same(tmp_path: Path) -> None:
    digits = {"State": 1, "County": 2, "Block": 1}
    assert read(tmp_path, GEOCODES, digits) == read(tmp_path, TABLE)
    assert read(tmp_path, "geocode\n2022\n1011\n2021\n2011\n", {"US": 0, **digits}) == read(tmp_path, TABLE)
    # A level without digits of its own has exactly one geounit below each of the level above.
    assert read(tmp_path, GEOCODES, {"State": 3, "County": 0, "Block": 1}) == {"10": 2, "11": 2}


@given(st.lists(st.text("012", min_size=5, max_size=5), min_size=1, max_size=30, unique=True))
def test_counts_agree_with_a_second_derivation(
    tmp_path_factory: pytest.TempPathFactory, codes: list[str]
) -> None:
    """Against the rule written out path by path; the same from both kinds of table."""
    ends = {"US": 0, "State": 1, "County": 3, "Block": 5}

    def single(code: str, level: str) -> str:
        end, below = ends[level], ends[LEVELS[LEVELS.index(level) + 1]]
        return str(int(len({other[:below] for other in codes if other[:end] == code[:end]}) == 1))

    expected = Counter("".join(single(code, level) for level in ABSORBING) for code in codes)
    folder = tmp_path_factory.mktemp("codes")
    counts = read(folder, "geocode\n" + "\n".join(codes) + "\n", {"State": 1, "County": 2, "Block": 2})
    assert counts == dict(sorted(expected.items()))
    rows = {("US", "", "")}
    for above, level in pairwise(LEVELS):
        rows |= {(level, code[: ends[level]], code[: ends[above]] or "u") for code in codes}
    rows = {(level, geoid or "u", parent) for level, geoid, parent in rows}
    table = "level,geoid,parent\n" + "\n".join(map(",".join, sorted(rows))) + "\n"
    assert read(folder, table) == counts


#: What is changed in the table of geounits, into what; the beginning of the message, more words of it.
MISTAKES = [
    ("b1,11", "b1,12", ":2: geoid = 'b1': ", "unknown parent '12'"),
    ("b1,11", "b1,", ":2: geoid = 'b1': ", "no parent"),
    ("State,1,us,", "State,1,us,\nCounty,22,1,", ":10: geoid = '22': ", "'1' in line 6 and '2' here"),
    ("County,11,1,", "County,11,1,\nCounty,11,1,", ":8: geoid = '11': ", "twice; the first is in line 7"),
    ("b1,11", "b1,1", ":2: geoid = 'b1': ", "level skipped; its parent '1' is a State"),
    ("County,21,2,", "County,21,b1,", ":8: geoid = '21': ", "wrong level; its parent 'b1' is a Block"),
    ("County,21,2,", "County,21,22,\nCounty,23,2,", ":8: geoid = '21': ", "wrong level"),
    ("State,1,us", "Stat,1,us", ":5: level = 'Stat': ", "did you mean 'State'? allowed: US, State"),
    ("Block,b1,11,\n", "", ":6: geoid = '11': ", "County has no child"),
    ("State,1,us", "US,us2,,\nState,1,us", ":5: geoid = 'us2': ", "a second US"),
    ("US,us,,", "US,us,1,", ":4: parent = '1': ", "root"),
    ("b1,11", ",11", ":2: geoid: ", "missing"),
    ("level,geoid,parent,name", "level,geoid,parents,name", ":1: column parent is missing", "'parents'?"),
    ("parent,name", "parent,parent", ":1: column parent ", "twice"),
    ("b1,11,", "b1,11", ":2: ", "3 values, but the header has 4 columns"),
    ("b1,11,", 'b1,"11"1,', ":2: ", "not valid CSV"),
]


@pytest.mark.parametrize(("old", "new", "start", "words"), MISTAKES)
def test_a_mistake_in_a_table_is_one_line(tmp_path: Path, old: str, new: str, start: str, words: str) -> None:
    assert TABLE.count(old) == 1
    line = problem(tmp_path, TABLE.replace(old, new))
    assert line.startswith(start)
    assert words in line


def problem(folder: Path, table: str, digits: dict[str, int] | None = None) -> str:
    return refused(read, folder, table, digits).replace(str(folder / "g.csv"), "")


def test_a_cycle_is_named(tmp_path: Path) -> None:
    table = TABLE.replace("County,21,2,", "County,21,22,").replace("County,22,2,", "County,22,21,")
    assert problem(tmp_path, table) == ":8: geoid = '21': its parents form a cycle, '21' -> '22' -> '21'"
    own = TABLE.replace("County,21,2,", "County,21,21,")
    assert problem(tmp_path, own) == ":8: geoid = '21': its parents form a cycle, '21' -> '21'"


def test_a_missing_level_is_named(tmp_path: Path) -> None:
    table = "geoid,parent,level\nus,,US\n1,us,State\n"
    assert problem(tmp_path, table) == ": no geounit of level County; needed: US, State, County, Block"
    assert problem(tmp_path, "") == ":1: column geoid is missing; the header holds nothing"


def test_a_geoid_may_name_a_geounit_of_several_levels(tmp_path: Path) -> None:
    table = "geoid,parent,level\nx,,US\nx,x,State\nx,x,County\nx,x,Block\n"
    assert read(tmp_path, table) == {"11": 1}


#: The table of geocodes, the change in the levels' digits, and the beginning of the message.
GEOCODE_MISTAKES = [
    ("geocode\n1011\n101\n", {}, ":3: geocode = '101': 3 characters"),
    ("geocode\n1011\n2011\n1011\n", {}, ":4: geocode = '1011': listed twice; the first is in line 2"),
    ("geocode\n101é\n", {}, ":2: geocode = '101é': a geocode has ASCII"),
    ("geocode\n", {}, ": holds no geocode"),
    (GEOCODES, {"Conty": 2}, "digits: 'Conty' is an unknown level; did you mean 'County'?"),
    (GEOCODES, {"County": None}, "digits: County is missing"),
    (GEOCODES, {"US": 1, "State": 0}, ": a second US, '2'"),
    (GEOCODES, {"State": 0, "County": 0, "Block": 0}, "digits: add up to 0"),
]


@pytest.mark.parametrize(("table", "change", "start"), GEOCODE_MISTAKES)
def test_a_mistake_in_geocodes_is_one_line(
    tmp_path: Path, table: str, change: dict[str, int | None], start: str
) -> None:
    digits = {"State": 1, "County": 2, "Block": 1} | change
    given = {level: number for level, number in digits.items() if number is not None}
    assert problem(tmp_path, table, given).startswith(start)


def problem_of_file(folder: Path, text: str) -> str:
    return refused(parse_allocation, text, str(folder / "a.yaml")).replace(str(folder), "")


def test_an_allocation_file_may_name_a_table_beside_it(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(TABLE)
    assert parse_allocation(ALLOCATION, str(tmp_path / "a.yaml")).patterns == ("00", "01", "11")
    (tmp_path / "codes.csv").write_text(GEOCODES)
    codes = ALLOCATION.replace(
        "{geounits: g.csv}", "{geocodes: codes.csv, digits: {State: 1, County: 2, Block: 1}}"
    )
    assert parse_allocation(codes, str(tmp_path / "a.yaml")).patterns == ("00", "01", "11")


@pytest.mark.parametrize(
    ("written", "start", "words"),
    [
        ("{geounits: no.csv}", ".geounits = 'no.csv': /no.csv: ", "No such file"),
        ("{}", ": ", "either geounits, or geocodes and digits"),
        ("{geounits: g.csv, geocodes: g.csv}", ": ", "either geounits, or geocodes and digits"),
        ("{geocodes: g.csv}", ": ", "digits go with geocodes"),
        ("{geounit: g.csv}", ".geounit = 'g.csv': ", "did you mean 'geounits'?"),
        ("{geounits: [g.csv]}", ".geounits: ", "one text"),
        ("{geocodes: g.csv, digits: {State: x}}", ".digits.State = 'x': ", "from 0 to 100"),
    ],
)
def test_mistakes_around_the_table_are_one_line(tmp_path: Path, written: str, start: str, words: str) -> None:
    line = problem_of_file(tmp_path, ALLOCATION.replace("{geounits: g.csv}", written))
    assert line.startswith(f"/a.yaml:15: bypass.patterns{start}")
    assert words in line


def test_geography_must_agree_with_fixed_digits(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(TABLE)
    fixed = ALLOCATION.replace("  patterns:", "  fixed: {State: 0}\n  patterns:")
    assert problem_of_file(tmp_path, fixed) == (
        "/a.yaml:16: bypass.patterns.geounits = 'g.csv': State '1' has a single child, "
        "but the digit of State is fixed at 0"
    )
    fixed = fixed.replace("{State: 0}", "{County: 1}")
    assert problem_of_file(tmp_path, fixed).endswith(
        "County '22' has more than one child, but the digit of County is fixed at 1"
    )
