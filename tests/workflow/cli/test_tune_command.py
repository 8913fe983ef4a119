"""The command `tune`: what it prints agrees with the file that it writes; nothing is overwritten unasked."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import pytest

from kernels.accounting.design.calibration import Target
from tests.workflow.cli.command_line import TINY, answer, complaint, invoke, table
from workflow.allocation.read import load_allocation
from workflow.design import tune as tuning
from workflow.design.tune import slowness

BEFORE = load_allocation(TINY)
TUNE = ("tune", "--allocation", TINY, "--delta", "1e-6")


def test_the_file_is_the_allocation_that_was_told(tmp_path: Path) -> None:
    output = tmp_path / "loud.yaml"
    document = answer(*TUNE, "--target-eps", "12", "--output", str(output))
    made = load_allocation(output)
    assert made.name == "loud"
    assert str(made.total_rho) == document["total_rho_exact"]
    assert {row["level"]: F(row["rho_exact"]) for row in document["rows"]} == {
        level: made.level_rho(level) for level in made.levels
    }
    for kept in ("patterns", "deltas", "resolution"):
        assert getattr(made, kept) == getattr(BEFORE, kept)
    assert document["neighbours"] == "bounded"
    worst = ",".join(document["worst_pair"])
    (row,) = answer("epsilon", "--allocation", str(output), "--pair", worst, "--delta", "1e-6")["rows"]
    assert Decimal(row["eps_lower"]) <= Decimal(document["eps_upper"]) <= 12
    assert Decimal(document["eps_lower"]) <= Decimal(row["eps_upper"])
    assert 12 - Decimal(document["slack_lower"]) >= Decimal(document["eps_upper"])
    assert "tuned" in made.title
    assert "all levels scaled to eps 12 at delta 1e-6" in made.source
    assert output.read_text().startswith("# tiny, tuned by exact-census: all levels scaled to eps 12")


def test_variance_saved_is_against_the_zcdp_calibration() -> None:
    """rho_zcdp solves rho + 2 sqrt(rho ln(1e6)) = 12, split as the allocation is."""
    document = answer(*TUNE, "--target-eps", "12")
    (converted,) = answer("convert", "--rho", document["total_rho_zcdp"], "--delta", "1e-6")["rows"]
    assert abs(Decimal(converted["eps_zcdp"]) - 12) < Decimal("1e-30")
    for row in document["rows"]:
        share = BEFORE.level_rho(row["level"]) / BEFORE.total_rho
        by_zcdp = F(document["total_rho_zcdp"]) * share
        assert abs(F(row["rho_zcdp"]) - by_zcdp) < F(1, 10**20)
        assert abs(F(row["variance_saved"]) - (1 - by_zcdp / F(row["rho"]))) < F(1, 10**9)
        assert F(row["variance_saved_lower"]) <= F(row["variance_saved_upper"])


def test_one_level_alone_and_levels_with_an_eps_of_their_own() -> None:
    document = answer(*TUNE, "--target-eps", "12", "--level", "County", "--denominator", "64")
    changed = {row["level"]: F(row["rho_exact"]) - F(row["rho_before_exact"]) for row in document["rows"]}
    assert [level for level, change in changed.items() if change] == ["County"]
    assert all(F(row["variance_saved_upper"]) == 0 for row in document["rows"] if row["level"] != "County")
    document = answer(*TUNE, "--level-eps", "Block", "4", "--denominator", "64")
    rho = {row["level"]: row["rho_exact"] for row in document["rows"]}
    assert rho["Region"] == "3/4"
    assert "target_eps" not in document
    (row,) = [row for row in document["rows"] if row["level"] == "Block"]
    (known,) = answer("convert", "--rho", row["rho_zcdp"], "--delta", "1e-6")["rows"]
    assert abs(Decimal(known["eps_zcdp"]) - 4) < Decimal("1e-30")


def test_moved_budget_keeps_the_total() -> None:
    document = answer(*TUNE, "--move", "Region", "Block", "0.25")
    assert document["total_rho_exact"] == document["total_rho_before_exact"] == "7/4"
    assert [row["rho"] for row in document["rows"]] == ["0.5", "0.5", "0.75"]
    printed = table(*TUNE, "--move", "Region", "Block", "0.25")
    assert "0.25 of rho moved from Region to Block at delta 1e-6" in printed
    assert "Nothing was written" in printed


def test_a_table_of_the_same_on_any_number_of_processes() -> None:
    one, two = (answer(*TUNE, "--target-eps", "12", "--jobs", jobs) for jobs in "12")
    assert one == two


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    output = tmp_path / "kept.yaml"
    output.write_text("precious")
    asked = (*TUNE, "--move", "Region", "Block", "0.25", "--output", str(output))
    assert "exists already" in complaint(2, *asked)
    assert output.read_text() == "precious"
    table(*asked, "--force")
    assert load_allocation(output).total_rho == F(7, 4)


def test_a_coarse_denominator_is_named_where_it_costs_much() -> None:
    words = "scaled rhos are multiples of 1/8; a larger --denominator, such as 8000, comes nearer"
    assert words in table(*TUNE, "--target-eps", "12", "--level", "Block")
    assert "larger --denominator" not in table(*TUNE, "--target-eps", "12")


@pytest.mark.parametrize("denominator", [8000, 80_000, 10**6])
def test_a_denominator_that_takes_long_is_told_beforehand_with_one_that_does_not(
    denominator: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "LONG", 10.0)  # so that ten pairs do
    target = Target(F(12), F(1, 10**6))
    line = slowness(BEFORE, target, ["Block"], denominator, 1)
    assert line is not None
    assert line.startswith(f"rhos that are multiples of 1/{denominator} make fine lattices")
    named = re.search(r"with --denominator (\d+) about (\d+) s$", line)
    assert named is not None
    assert int(named[2]) <= 60
    assert slowness(BEFORE, target, ["Block"], int(named[1]), 1) is None


@pytest.mark.parametrize("denominator", [None, 1, 8, 80])
def test_nothing_is_told_of_coarse_denominators(denominator: int | None) -> None:
    """With 1/1 the rhos cannot be rounded at all, which the search says."""
    assert slowness(BEFORE, Target(F(12), F(1, 10**6)), ["Block"], denominator, 1) is None


def test_the_warning_is_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflow.design.tune.slowness", lambda *_: "it may take 7 min")
    told = invoke(*TUNE, "--target-eps", "12", "--level", "Block", "--jobs", "1")
    assert told.exit_code == 0
    assert told.stderr == "exact-census tune: it may take 7 min\n"
    assert told.stdout.startswith("tiny: level Block scaled to eps 12")
