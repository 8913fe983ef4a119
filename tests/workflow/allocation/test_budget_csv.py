"""Budget tables: written and read back exactly in every style, read as published, one line per mistake."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import pytest

from kernels.accounting.census.allocation import Allocation
from tests.workflow.cli.command_line import TINY, answer, complaint, table
from workflow.allocation.budget_csv import STYLES, read_budget, table_text
from workflow.allocation.read import load_allocation
from workflow.input.find import folders

NAMES = sorted(
    path.stem for path in folders()[0].glob("*.yaml") if not path.stem.startswith(("uldp", "joint"))
)
TINY_ALLOCATION = load_allocation(TINY)
LIKE = ("--like", TINY)
HEAD = "query,Region,County,Block\n"


def queries(allocation: Allocation) -> list[str]:
    return list(dict.fromkeys(query for asked in allocation.rho.values() for query in asked))


def read(folder: Path, text: str, total: F | None = None) -> dict[str, dict[str, F]]:
    path = folder / "budget.csv"
    path.write_text(text, encoding="utf-8")
    return read_budget(path, TINY_ALLOCATION.levels, queries(TINY_ALLOCATION), total)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_allocation_comes_back_exactly(tmp_path: Path, name: str, style: str) -> None:
    allocation = load_allocation(name)
    path = tmp_path / "budget.csv"
    path.write_text(table_text(allocation, style), encoding="utf-8")
    assert read_budget(path, allocation.levels, queries(allocation)) == allocation.rho


def test_through_the_command_line_and_back(tmp_path: Path) -> None:
    made, again = tmp_path / "made.csv", tmp_path / "again.csv"
    yaml = tmp_path / "back.yaml"
    export = ("export", "--format", "table", "--style", "percent", "--allocation")
    table(*export, TINY, "--output", str(made))
    said = ("--title", "Back", "--source", "here")
    document = answer("import", str(made), *LIKE, "--output", str(yaml), *said)
    back = load_allocation(yaml)
    assert (back.name, back.title, back.source) == ("back", "Back", "here")
    assert back.rho == TINY_ALLOCATION.rho
    assert (back.patterns, back.deltas) == (TINY_ALLOCATION.patterns, TINY_ALLOCATION.deltas)
    assert {(row["level"], row["query"]): F(row["rho_exact"]) for row in document["rows"]} == {
        (level, query): rho for level in back.levels for query, rho in back.rho[level].items()
    }
    table(*export, str(yaml), "--output", str(again))
    assert again.read_bytes() == made.read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "query,REGION,county ,Block\ntotal,1/4,0.125,25%\ndetailed,1/2,3/8,0.25\n".replace("25%", ".25"),
        "\ufefftotal rho;7/4;;\n\n;Region;County;Block\nTotal;1/4;1/8;1/4\ndetailed;1/2;3/8;1/4\n",
        "Geolevel\ttotal\tdetailed\nRegion\t1/4\t1/2\nBlock*\t1/4\t1/4\nCounty\t1/8\t3/8\n",
        "Global rho,1.75\nlevel,level share,total,detailed\n"
        "Region,3/7,1/3,2/3\nCounty,2/7,25%,75%\nBlock,2/7,50 %,0.5\n",
        "level,query,rho\nRegion,total,1/4\nRegion,detailed,1/2\nCounty,total,1/8\nCounty,detailed,3/8\n"
        "Block,total,1/4\nBlock,detailed,1/4\n",
    ],
    ids=["rho", "semicolons", "levels down", "shares", "long"],
)
def test_published_styles_are_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == TINY_ALLOCATION.rho


def test_queries_may_be_new_and_not_asked_everywhere(tmp_path: Path) -> None:
    rho = read(tmp_path, "query,Region,County,Block\nsex * age,1/4,-,\ndetailed,1/2,3/8,0.25\n")
    assert rho == {
        "Region": {"sex * age": F(1, 4), "detailed": F(1, 2)},
        "County": {"detailed": F(3, 8)},
        "Block": {"detailed": F(1, 4)},
    }


def test_the_total_may_be_said_beside_the_table(tmp_path: Path) -> None:
    shares = "query,Region,County,Block\nlevel share,3/7,2/7,2/7\ntotal,1/3,1/4,.5\ndetailed,2/3,3/4,.5\n"
    assert read(tmp_path, shares, F(7, 4)) == TINY_ALLOCATION.rho


def test_rhos_of_1_at_every_level_are_no_shares_where_that_is_said(tmp_path: Path) -> None:
    wanted = {level: {"t": F(1)} for level in TINY_ALLOCATION.levels}
    assert read(tmp_path, "query,Region,County,Block\nt,1,1,1\n", F(3)) == wanted
    assert read(tmp_path, "level,query,rho\nRegion,t,1\nCounty,t,1\nBlock,t,1\n") == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("no table",)),
        ("query,Region,Conty,Block\nt,1,1,1\n", (":1:", "'Conty'", "did you mean 'County'")),
        ("query,Region,County\nt,1,1\n", ("level Block asks no query",)),
        (f"{HEAD}t,1,x,1\n", (":2:", "column 'County' = 'x'", "exact number", "per cent")),
        (f"{HEAD}t,1,-2,1\n", (":2:", "column 'County' = '-2'", "above 0")),
        (f"{HEAD}t,1,1/0,1\n", (":2:", "column 'County'", "denominator")),
        (f"{HEAD}t,1,1,1,1\n", (":2:", "5 values", "4 columns")),
        ("query,Region,County,County\nt,1,1,1\n", (":2:", "column 'County'", "second value")),
        (f"{HEAD}t,1,1,1\nt,1,1,1\n", (":3:", "column 'Region'", "second value", "line 2")),
        (f"{HEAD}t,1,0,1\n", ("County asks no query",)),
        (f"total rho,3\n{HEAD}t,1,1,1/2\n", ("5/2", "1/2 (0.5) too little", "exactly 3")),
        (f"{HEAD}t,50%,25%,25%\n", (":2:", "column 'Region'", "shares", "level share")),
        (f"{HEAD}t,1,1,1\n", ("shares", "level share")),
        ("level share,Region,County,Block\n", ("asks no query",)),
        (f"{HEAD}level share,1/2,1/4,1/4\nt,1,1,1\n", ("--total-rho",)),
        (
            f"total rho,1\n{HEAD}level share,1/2,1/4,1/4\nt,1,9/10,1\n",
            (":4:", "column 'County'", "9/10", "exactly 1"),
        ),
        (
            f"total rho,1\n{HEAD}level share,1/2,1/4,1/5\nt,1,1,1\n",
            (":3:", "column 'Region'", "19/20", "exactly 1"),
        ),
        (f"total rho,\n{HEAD}t,1,1,1\n", (":1:", "one number")),
        (f"total rho,x\n{HEAD}t,1,1,1\n", (":1:", "column 'total rho' = 'x'")),
        (
            "level,query,rho\nRegion,t,1\nBlok,t,1\n",
            (":3:", "column 'level' = 'Blok'", "did you mean 'Block'"),
        ),
        ("level,query,value\nRegion,t,1\n", (":1:", "column rho is missing")),
        ("level,query,rho,rho\nRegion,t,1,1\n", (":1:", "column rho occurs twice")),
        ("level,query,rho\nRegion,,1\n", (":2:", "no query")),
        (f'{HEAD}"t,1,1,1\n', ("CSV",)),
        ("a,b\n1,2\n", (":2:", "column 'a' = '1'", "unknown level")),
    ],
)
def test_a_mistake_is_one_line_with_file_row_and_column(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    path = tmp_path / "budget.csv"
    path.write_text(text, encoding="utf-8")
    line = complaint(2, "import", str(path), *LIKE)
    assert "budget.csv" in line
    assert all(word in line for word in words), line


def test_what_is_not_a_table_or_would_be_overwritten(tmp_path: Path) -> None:
    assert "cannot be read" in complaint(2, "import", str(tmp_path / "missing.csv"), *LIKE)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in complaint(2, "import", str(binary), *LIKE)
    kept = tmp_path / "kept.csv"
    kept.write_text("precious")
    export = ("export", "--format", "table", "--allocation", TINY, "--output", str(kept))
    assert "exists already" in complaint(2, *export)
    assert kept.read_text() == "precious"
    table(*export, "--force")
    kept_yaml = tmp_path / "kept.yaml"
    kept_yaml.write_text("precious")
    assert "exists already" in complaint(2, "import", str(kept), *LIKE, "--output", str(kept_yaml))
    assert "another total rho" in complaint(2, "import", str(kept), *LIKE, "--total-rho", "2")
