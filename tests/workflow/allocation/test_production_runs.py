"""The shipped allocations are the 2020 Census production runs: copies of totals, levels and patterns."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from fractions import Fraction

import pytest

from kernels.accounting.census.mechanism import mechanism, pairs
from tests.paths import DATA
from tests.workflow.cli.command_line import answer
from workflow.allocation.read import load_allocation
from workflow.input.find import folders

# By run: total rho, by level the number of queries and their sum, and the SHA-256 of all "level query rho".
TOTALS = json.loads((DATA / "production_totals.json").read_text())

DHC = ("State", "County", "Prim", "Tract_Subset_Group", "Tract_Subset", "Block_Group")
PL94 = ("State", "County", "Tract", "Block_Group")
GEOGRAPHY = {  # levels that can absorb, digits that are fixed, mechanisms, pairs
    "dhc_persons_us": (DHC, {}, 43, 946),
    "dhc_persons_pr": (DHC, {"State": 0, "County": 1}, 16, 136),
    "dhc_households_us": (DHC, {}, 43, 946),
    "dhc_households_pr": (DHC, {"State": 0, "County": 1}, 16, 136),
    "pl94_persons_us": (PL94, {}, 16, 136),
    "pl94_persons_pr": (PL94, {"State": 0}, 8, 36),
    "pl94_units_us": (PL94, {}, 16, 136),
    "pl94_units_pr": (PL94, {"State": 0}, 8, 36),
}


def test_all_eight_runs_are_shipped() -> None:
    assert set(TOTALS) == set(GEOGRAPHY) <= {path.stem for path in folders()[0].glob("*.yaml")}


@pytest.mark.parametrize("name", GEOGRAPHY)
def test_every_rho_is_that_of_the_production_run_which_is_named(name: str) -> None:
    allocation, known = load_allocation(name), TOTALS[name]
    assert "_Production_Code@" in allocation.source
    assert "class " in allocation.source
    assert allocation.title.endswith("Puerto Rico" if name.endswith("_pr") else "United States")
    assert allocation.total_rho == Fraction(known["total_rho"])
    assert list(allocation.levels) == list(known["levels"])
    for level, (queries, rho) in known["levels"].items():
        assert len(allocation.rho[level]) == queries
        assert allocation.level_rho(level) == Fraction(rho)
    lines = sorted(
        f"{level}\t{query}\t{rho}"
        for level in allocation.levels
        for query, rho in allocation.rho[level].items()
    )
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == known["sha256"]


@pytest.mark.parametrize("name", GEOGRAPHY)
def test_every_run_has_its_own_patterns(name: str) -> None:
    allocation = load_allocation(name)
    absorbing, fixed, mechanisms, number = GEOGRAPHY[name]
    assert allocation.absorbing_levels == absorbing
    assert allocation.fixed_digits == fixed
    assert len(allocation.patterns) == mechanisms
    assert len(pairs(allocation)) == number
    assert allocation.patterns[0] == "".join(str(fixed.get(level, 0)) for level in absorbing)
    assert all(
        mechanism(allocation, pattern).total_rho == allocation.total_rho for pattern in allocation.patterns
    )


def test_known_totals() -> None:
    assert Fraction(TOTALS["dhc_persons_us"]["total_rho"]) == Fraction("4.9622")
    assert Fraction(TOTALS["dhc_households_us"]["total_rho"]) == Fraction("7.7005")
    assert Fraction(TOTALS["pl94_persons_us"]["total_rho"]) == Fraction(542, 339) ** 2
    assert Fraction(TOTALS["pl94_units_us"]["total_rho"]) == Fraction(3379, 12343) ** 2


def test_pl94_persons_has_the_known_profile_on_its_fine_lattice() -> None:
    """N = 6.5e15 nodes; values of an independent computation in ball arithmetic."""
    asked = ("--allocation", "pl94_persons_us", "--pair", "0000,0000", "--eps", "0,24.5")
    document = answer("profile", *asked)
    assert document["lattice_exact"] == "146882/16225080393546608787"
    at_zero, far = document["rows"]
    alpha = Decimal("0.129125112208722861124385881834681194")
    assert Decimal(at_zero["alpha_lower"]) - Decimal("1e-36") <= alpha <= Decimal(at_zero["alpha_upper"])
    assert Decimal(at_zero["alpha_upper"]) - Decimal(at_zero["alpha_lower"]) <= Decimal("2e-35")
    delta = Decimal("2.67092282037423647967e-23")
    assert Decimal(far["delta_lower"]) <= delta <= Decimal(far["delta_upper"])
    assert abs(Decimal(far["delta"]) / delta - 1) < Decimal("1e-12")
