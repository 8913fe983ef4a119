"""The command `compare`: figures of the other commands side by side, a page and a picture of them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import pytest

from tests.workflow.cli.command_line import TINY, answer, complaint, table
from tests.workflow.pages.test_report import Page
from workflow.allocation.read import load_allocation


@pytest.fixture
def other(tmp_path: Path) -> str:
    """The tiny allocation with a third of Region's budget moved to Block."""
    path = tmp_path / "other.yaml"
    moved = ("--delta", "1e-6", "--move", "Region", "Block", "1/4")
    table("tune", "--allocation", TINY, *moved, "--output", str(path))
    return str(path)


def test_figures_are_those_of_the_other_commands(other: str) -> None:
    document = answer("compare", TINY, other, "--delta", "1e-6,1e-10", "--all-pairs")
    assert [(row["allocation"], row["delta"]) for row in document["rows"]] == [
        (name, delta) for name in ("tiny", "other") for delta in ("1e-6", "1e-10")
    ]
    assert document["neighbours"] == "bounded"
    for row, file in zip(document["rows"], [TINY, TINY, other, other], strict=True):
        pair = ("--allocation", file, "--pair", "M00,M00", "--delta", row["delta"])
        (eps,) = answer("epsilon", *pair)["rows"]
        assert row["eps_proxy"] == eps["eps"]
        assert row.items() >= {name: eps[name] for name in ("eps_cks20", "eps_zcdp")}.items()
        (reduced,) = answer("reduction", *pair)["rows"]
        assert row["reduction"] == reduced["reduction"]
        worst = ("--allocation", file, "--pair", ",".join(row["worst_pair_names"]), "--delta", row["delta"])
        (eps,) = answer("epsilon", *worst)["rows"]
        assert Decimal(row["eps_lower"]) <= Decimal(eps["eps_upper"])
        assert Decimal(eps["eps_lower"]) <= Decimal(row["eps_upper"])
        assert Decimal(row["eps_upper"]) >= Decimal(row["eps_proxy_lower"])
    assert len(document["levels"]) == 12
    wanted = {"allocation": "other", "level": "Block", "delta": "1e-6"}
    (level,) = [row for row in document["levels"] if row.items() >= wanted.items()]
    assert F(level["rho_exact"]) == load_allocation(other).level_rho("Block") == F(3, 4)
    (alone,) = answer("reduction", "--allocation", other, "--level", "Block", "--delta", "1e-6")["rows"]
    assert level["reduction"] == alone["reduction"]


def test_the_page_opens_offline_and_holds_the_tables(other: str, tmp_path: Path) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "picture.png"
    printed = table("compare", TINY, other, "--output", str(page))
    found = Page(page.read_text(encoding="utf-8"))
    assert all(address.startswith("#") for address in found.addresses)
    assert "script" not in found.tags
    assert not found.open
    for word in ("tiny", "other", "Region", "first pair"):
        assert word in page.read_text(encoding="utf-8")
        assert word in printed
    table("compare", TINY, other, "--output", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.yaml", "page.html", "picture.png"]
    assert "exists already" in complaint(2, "compare", TINY, other, "--output", str(page))
