"""Whose noise a report says it is: the Census Bureau's only where the rhos are a production run's."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kernels.accounting.census.allocation import Allocation
from tests.paths import ROOT, TINY
from tests.workflow.cli.command_line import table
from tests.workflow.pages.test_report import Page, build
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.production import is_production
from workflow.allocation.read import load_allocation, parse_allocation
from workflow.input.tree import MAX_YAML_BYTES, read_text

SHIPPED = sorted(path.stem for path in (ROOT / "allocations").glob("*_persons_*.yaml"))
SHIPPED += sorted(path.stem for path in (ROOT / "allocations").glob("*_h*holds_*.yaml"))
SHIPPED += ["pl94_units_us", "pl94_units_pr"]


def page_of(allocation: Allocation, folder: Path) -> Page:
    write_results(folder, allocation)
    return build(folder, allocation, folder / "report.html")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_allocations_are_production_runs(name: str) -> None:
    assert is_production(load_allocation(name))


def test_a_copy_under_another_name_is_the_same_noise() -> None:
    copy = replace(load_allocation("pl94_units_pr"), name="mine", title="Mine", source="me")
    assert is_production(copy)


def test_a_copy_with_other_rhos_is_not() -> None:
    text = read_text(ROOT / "allocations" / "dhc_persons_us.yaml", MAX_YAML_BYTES)
    assert is_production(parse_allocation(text, "copy.yaml"))
    shipped = load_allocation("dhc_persons_us")
    rho = {level: dict(queries) for level, queries in shipped.rho.items()}
    first, second = list(rho["Block"])[:2]
    rho["Block"][first], rho["Block"][second] = rho["Block"][second], rho["Block"][first] / 2
    assert not is_production(replace(shipped, rho=rho))


def test_a_joint_release_is_one_when_all_its_products_are() -> None:
    joint = load_allocation("joint_persons_us")
    assert is_production(joint)
    other = load_allocation(TINY)
    assert not is_production(replace(joint, products=(joint.products[0], other)))


def test_a_report_of_one_s_own_allocation_claims_nothing_of_the_census(tmp_path: Path) -> None:
    text = page_of(load_allocation(TINY), tmp_path).text
    assert "official" not in text.lower()
    assert "published noise" not in text
    assert "same census" not in text
    assert "the paper reports" not in text
    assert "This noise protects people better than the zCDP formula says." in text
    assert "none of the Census Bureau’s production runs" in text
    for said in re.findall(r"Census.{10}", text):
        assert said.startswith("Census Bureau"), "who uses the formula too"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Census zCDP" not in page
    assert page.count("standard zCDP bound<") == 3, "legends of the curves"
    assert page.count("standard zCDP<") >= 5, "legends and heads of tables"


def test_a_report_of_a_production_run_says_so(tmp_path: Path) -> None:
    text = page_of(load_allocation("pl94_units_pr"), tmp_path).text
    found = re.search(
        r"([0-9.]+) CPU seconds in the kernels .* CPU-hour per pair, ([0-9,]+) times as much", text
    )
    assert found is not None
    assert found[2] == f"{int(36 * 1800 / float(found[1])):,}", "half a CPU-hour for each of 36 pairs"
    assert "The published noise protects people better than its official accounting says." in text
    assert "composition with other products of the same census" in text
    assert "none of the Census Bureau" not in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "tandard zCDP" not in page
    assert page.count("Census zCDP bound<") == 3


def test_a_comparison_is_of_the_census_only_when_all_allocations_are(tmp_path: Path) -> None:
    tiny, page = str(TINY), tmp_path / "page.html"
    for names, conversion in ((["pl94_units_pr"], "Census zCDP"), (["pl94_units_pr", tiny], "standard zCDP")):
        printed = table("compare", *names, "--delta", "1e-6", "--output", str(page), "--force")
        assert f" {conversion} " in printed
        assert f"{conversion}<" in page.read_text(encoding="utf-8")
        assert f"to {conversion}, ρ" in page.read_text(encoding="utf-8")
