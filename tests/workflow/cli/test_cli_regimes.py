"""The command line where other accountants overflow, search for ever, or round to nothing."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.workflow.cli.command_line import answer, table

INFINITY = Decimal("Infinity")
ONE = '{"1": 1}'
HUNDRED_THOUSAND = '{"1/1000": 100000}'


def rows(folder: Path, cells: str, command: str, option: str, numbers: str) -> list[dict[str, Decimal]]:
    """The rows of the JSON answer."""
    file = folder / "cells.json"
    file.write_text(cells)
    found = answer(command, "--cells", str(file), f"{option}={numbers}")["rows"]
    return [{key: Decimal(text) for key, text in row.items() if "/" not in text} for row in found]


@pytest.mark.parametrize("cells", [ONE, HUNDRED_THOUSAND])
def test_delta_falls_from_0_to_1_and_is_never_lost(tmp_path: Path, cells: str) -> None:
    found = rows(tmp_path, cells, "profile", "--eps", "-5000,-1e-4000,0,1e-4000,1,709,710,5000")
    for row in found:
        for name in ("delta", "alpha", "power"):
            assert 0 <= row[f"{name}_lower"] <= row[name] <= row[f"{name}_upper"] <= 1
    assert all(row["delta_lower"] > 0 for row in found)  # also where a double is 0
    assert all(after["delta_lower"] <= before["delta_upper"] for before, after in pairwise(found))
    assert found[-1]["delta_upper"] < Decimal("1e-50000")


@pytest.mark.parametrize("cells", [ONE, HUNDRED_THOUSAND])
def test_eps_is_ordered_finite_and_right_at_every_delta(tmp_path: Path, cells: str) -> None:
    asked = "1,0.999,1/2,1e-10,1e-300,1e-3000,1e-3999"
    found = rows(tmp_path, cells, "epsilon", "--delta", asked)
    values = [row["eps_upper"] for row in found]
    assert values == sorted(values)
    assert all(
        0 <= row["eps_lower"] <= row["eps"] <= row["eps_upper"] <= row["eps_zcdp_upper"] for row in found
    )
    assert values[0] == 0
    assert values[-1] < INFINITY
    for row in found[1:]:
        [again] = rows(tmp_path, cells, "profile", "--eps", str(row["eps_upper"] + Decimal("1e-9")))
        assert again["delta_lower"] <= row["delta"]


def test_eps_of_one_cell_jumps_where_it_is_known(tmp_path: Path) -> None:
    """sigma^2 = 1: T lies on the lattice of halves, so far out eps is just below a point of it."""
    [last] = rows(tmp_path, ONE, "epsilon", "--delta", "1e-3000")
    assert abs(last["eps"] - Decimal("117.5")) < Decimal("1e-9")


@pytest.mark.parametrize("cells", [ONE, HUNDRED_THOUSAND])
def test_eps_of_delta_of_0_is_0(tmp_path: Path, cells: str) -> None:
    [zero] = rows(tmp_path, cells, "profile", "--eps", "0")
    [row] = rows(tmp_path, cells, "epsilon", "--delta", str(zero["delta_upper"]))
    assert row["eps_upper"] == 0
    [nothing] = rows(tmp_path, cells, "epsilon", "--delta", "0")
    assert nothing["eps"] == INFINITY


def test_where_there_is_no_plan_single_questions_are_answered_and_plan_says_so(tmp_path: Path) -> None:
    """Of one cell with rho = 5000 eps is, but for the other cells, the step 2500 that it alone makes."""
    file = tmp_path / "cells.json"
    file.write_text('{"5000": 1, "1/3": 2}')
    printed = table("plan", "--cells", str(file))
    assert "within reach                     no" in printed
    assert "Single questions (profile, epsilon, reduction, tradeoff) may still have an answer" in " ".join(
        printed.split()
    )
    (row,) = rows(tmp_path, '{"5000": 1, "1/3": 2}', "epsilon", "--delta", "1e-10")
    assert 2500 < row["eps_lower"] <= row["eps_upper"] < 2510
    many = '{"5000": 1, "4500": 2, "4100": 1, "1/3": 2}'
    (all_cells,) = rows(tmp_path, many, "epsilon", "--delta", "1e-10")
    (rest,) = rows(tmp_path, '{"1/3": 2}', "epsilon", "--delta", "1e-10")
    assert abs(all_cells["eps"] - 9050 - rest["eps"]) < Decimal("1e-8")
