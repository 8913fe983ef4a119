"""Joint allocations: all cells of all products, the exact joint eps beside the loose sum."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.joint import join, loose_sum, product_pairs, product_patterns
from kernels.accounting.census.mechanism import (
    level_budgets,
    mechanism,
    pair_composition,
    pairs,
    resolve_mechanism,
)
from kernels.certificate.allocation_text import AllocationText, joined
from tests.paths import TINY
from tests.refused import refused
from tests.workflow.cli.command_line import answer, table
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation, parse_allocation
from workflow.allocation.write import standalone_text
from workflow.digests import allocation_digest
from workflow.pages.page import build_report

OTHER = """\
name: other
title: Other
source: this test
neighbours: bounded
total_rho: 5/4
levels: [Region, Tract, Block]
queries: [total]
budget:
  Region: {rho: {total: 1/2}}
  Tract: {rho: {total: 1/4}}
  Block: {rho: {total: 1/2}}
bypass:
  levels: [Tract]
  patterns: complete
"""
JOINT = """\
name: both
title: Both products
neighbours: bounded
joint: [tiny.yaml, other.yaml]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    (tmp_path / "other.yaml").write_text(OTHER)
    (tmp_path / "joint.yaml").write_text(JOINT)
    return tmp_path


def joint(folder: Path, more: str = "", text: str = JOINT) -> Allocation:
    return parse_allocation(text + more, str(folder / "joint.yaml"))


def problem(folder: Path, more: str = "", text: str = JOINT) -> str:
    return refused(joint, folder, more, text).replace(str(folder), "")


def test_a_joint_pair_has_all_cells_of_its_products_pairs(folder: Path) -> None:
    both = joint(folder, "patterns: complete\n")
    tiny, other = both.products
    assert both.patterns == tuple(one + two for one in tiny.patterns for two in other.patterns)
    assert both.total_rho == F(7, 4) + F(5, 4)
    for first, second in pairs(both):
        parts = product_patterns(both, first), product_patterns(both, second)
        of_tiny = pair_composition(tiny, parts[0][0], parts[1][0])
        of_other = pair_composition(other, parts[0][1], parts[1][1])
        assert pair_composition(both, first, second) == of_tiny + of_other
        assert product_pairs(both, first, second) == {"tiny": of_tiny, "other": of_other}


def test_no_budget_crosses_from_one_product_to_the_next(folder: Path) -> None:
    both = joint(folder, "patterns: complete\n")
    for pattern in both.patterns:
        budgets = level_budgets(both, pattern)
        for product in both.products:
            spent = sum(rho for level, rho in budgets.items() if level.startswith(f"{product.name}."))
            assert spent == product.total_rho


def test_by_default_only_the_first_mechanisms_go_together(folder: Path) -> None:
    both = joint(folder)
    assert both.patterns == ("000",)
    assert pairs(both) == [("000", "000")]
    assert both.levels[0] == "tiny.Region"
    assert both.levels[-1] == "other.Block"
    assert both.source == "tiny: made up for the tests of this repository; other: this test"
    assert both.deltas == (F(1, 10**6), F(1, 10**10), F(1, 10**11))


def test_joint_mechanisms_may_be_listed_by_pattern_or_name(folder: Path) -> None:
    listed = joint(folder, "patterns: [[00, M01], 11+0, [M02, 1]]\ntotal_rho: 3\n")
    assert listed.patterns == ("001", "110", "101")
    assert mechanism(listed, "110") == mechanism(listed.products[0], "11") + mechanism(
        listed.products[1], "0"
    )
    assert resolve_mechanism(listed, "M02") == resolve_mechanism(listed, "10+M01") == "101"
    with pytest.raises(ValueError, match="not a mechanism of other"):
        resolve_mechanism(listed, "10+M02")


def test_what_changes_a_product_changes_the_digest(folder: Path) -> None:
    before = allocation_digest(joint(folder))
    (folder / "other.yaml").write_text("# a comment\n" + OTHER)
    assert allocation_digest(joint(folder)) == before
    (folder / "other.yaml").write_text(
        OTHER.replace("Region: {rho: {total: 1/2}}", "Region: {rho: {total: 1/4}}").replace("5/4", "1")
    )
    assert allocation_digest(joint(folder)) != before


#: The line of the products, and the one that it is refused with.
MISTAKES = [
    ("joint: [dhc_person_us, other.yaml]", "4: joint[0] = 'dhc_person_us'", "did you mean 'dhc_persons_us'?"),
    ("joint: [tiny.yaml, joint.yaml]", "4: joint[1] = 'joint.yaml'", "is joint itself"),
    ("joint: [tiny.yaml, ./tiny.yaml]", "4: joint[1] = './tiny.yaml'", "a second product named tiny"),
    ("joint: [tiny.yaml]", "4: joint", "at least 2"),
    ("joint: tiny.yaml", "4: joint = 'tiny.yaml'", "must be a list"),
    ("jiont: [tiny.yaml, other.yaml]", "4: jiont", "did you mean 'joint'?"),
]
#: A further line, and what it is refused with.
MORE_MISTAKES = [
    ("levels: [A, B]", "5: levels", "unknown key; allowed: name, title, source, neighbours, joint"),
    ("total_rho: 2", "5: total_rho = '2'", "add up to 3;"),
    ("patterns: [[00]]", "5: patterns[0]", "1 pattern; a joint pattern has one of each of tiny, other"),
    ("patterns: [00+2]", "5: patterns[0] = '00+2'", "'2' is neither a mechanism name"),
    ("patterns: [00+0, M00+M00]", "5: patterns[1] = 'M00+M00'", "listed twice; the first is patterns[0]"),
    ("patterns: all", "5: patterns = 'all'", "must be default, complete or a list"),
    ("deltas: [1e-6, 0.000001]", "5: deltas[1] = '0.000001'", "listed twice"),
]
CASES = [(JOINT.replace("joint: [tiny.yaml, other.yaml]", line), *rest) for line, *rest in MISTAKES]
CASES += [(f"{JOINT}{line}\n", *rest) for line, *rest in MORE_MISTAKES]


@pytest.mark.parametrize(("text", "place", "words"), CASES)
def test_a_mistake_is_one_line(folder: Path, text: str, place: str, words: str) -> None:
    line = problem(folder, text=text)
    assert line.startswith(f"/joint.yaml:{place}: ")
    assert words in line


def test_a_product_that_is_missing_is_named(folder: Path) -> None:
    text = JOINT.replace("other.yaml", "others.yaml")
    assert problem(folder, text=text) == "/others.yaml: cannot be read: No such file or directory"


def test_too_many_choices_are_refused(folder: Path) -> None:
    text = JOINT.replace("tiny.yaml, other.yaml", "dhc_persons_us, dhc_households_us, pl94_persons_us")
    assert "29584 choices of the products' patterns; at most 4096" in problem(
        folder, "patterns: complete\n", text
    )


def test_a_result_file_keeps_a_text_that_stands_on_its_own(folder: Path) -> None:
    """Read back, also by the certificate's own reader, it gives the same cells."""
    (folder / "joint.yaml").write_text(JOINT + "patterns: [00+0, 11+1]\n")
    assert standalone_text(folder / "tiny.yaml") == TINY.read_text()
    text = standalone_text(folder / "joint.yaml")
    both, alone = load_allocation(folder / "joint.yaml"), parse_allocation(text, "stored")
    assert replace(both, products=()) == alone
    second = AllocationText.parse(text)
    assert second.patterns == list(both.patterns)
    for one, other in pairs(both):
        assert joined(*second.members(f"/pairs/{one},{other}")) == dict(
            pair_composition(both, one, other).cells
        )
    (folder / "g.csv").write_text("geoid,parent,level\nr,,Region\nt,r,Tract\nb,t,Block\n")
    (folder / "other.yaml").write_text(OTHER.replace("patterns: complete", "patterns: {geounits: g.csv}"))
    alone = parse_allocation(standalone_text(folder / "other.yaml"), "stored")
    assert alone == load_allocation(folder / "other.yaml")
    assert alone.patterns == ("1",)


def test_products_must_fit_each_other() -> None:
    tiny = load_allocation(TINY)
    rest = {"name": "x", "title": "x", "source": "x", "deltas": tiny.deltas, "resolution": tiny.resolution}
    with pytest.raises(ValueError, match="at least two products with different names"):
        join(products=[tiny, tiny], patterns=[("00", "00")], **rest)


def test_the_joint_eps_is_exact_and_below_the_loose_sum(folder: Path) -> None:
    """Against an accountant of all cells in one composition, and basic composition."""
    both = joint(folder)
    delta = F(1, 10**6)
    parts = product_pairs(both, "000", "000")
    all_cells = parts["tiny"] + parts["other"]
    alone = [Accountant(part).epsilon(delta / 2) for part in parts.values()]
    asked = ("--allocation", str(folder / "joint.yaml"), "--pair", "00+0,M00", "--delta", "1e-6")
    document = answer("epsilon", *asked)
    assert document["pair"] == ["00+0", "00+0"]
    assert document["products"] == ["tiny", "other"]
    assert document["total_rho"] == "6"
    (row,) = document["rows"]
    exact = Accountant(all_cells).epsilon(delta)
    assert Decimal(row["eps_lower"]) <= exact.value <= Decimal(row["eps_upper"])
    assert Decimal(row["eps_sum_lower"]) <= sum(each.value for each in alone) <= Decimal(row["eps_sum_upper"])
    assert Decimal(row["eps_upper"]) < Decimal(row["eps_sum_lower"])
    assert loose_sum([Accountant(part).epsilon for part in parts.values()], delta).upper <= Decimal(
        row["eps_sum_upper"]
    )


def test_products_are_named_and_a_single_one_has_no_loose_sum(folder: Path) -> None:
    path = str(folder / "joint.yaml")
    assert "Joint release of tiny, other." in table("validate", path)
    assert answer("validate", path)["products"] == ["tiny", "other"]
    document = answer("epsilon", "--allocation", str(TINY), "--pair", "00,00", "--delta", "1e-6")
    assert "products" not in document
    assert "eps_sum" not in document["rows"][0]


def test_the_report_shows_the_joint_eps_beside_the_loose_sum(folder: Path) -> None:
    both = joint(folder, "patterns: [00+0, 01+1]\n")
    write_results(folder / "results", both)
    build_report(folder / "results", both, folder / "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "The joint release" in page
    assert "<br>alone" in page
    assert "They cover these 2 products only" in page
    tiny = load_allocation(TINY)
    write_results(folder / "one", tiny)
    build_report(folder / "one", tiny, folder / "one.html")
    assert "The joint release" not in (folder / "one.html").read_text(encoding="utf-8")
