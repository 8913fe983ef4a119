"""Scans: the grid of candidates, its mistakes, and the figures that come out of the workflow."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.census.mechanism import pair_composition
from tests.paths import TINY
from tests.refused import refused
from tests.workflow.pipeline.pipeline import snakemake, succeed
from workflow.allocation.read import load_allocation
from workflow.census.plan import CensusPlan
from workflow.design.scan import load_scan, scan_plan

GRID = """
name: grid
base: tiny.yaml
shares: {County: [1/8, 1/4], Block: [0.1, 0.25, 0.5]}
total_rho: [7/4, 3]
denominator: 400
deltas: [1e-6]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.yaml").write_text(TINY.read_text())
    (tmp_path / "grid.yaml").write_text(GRID)
    return tmp_path


def test_candidates_are_the_grid_in_order(folder: Path) -> None:
    scan = load_scan(folder / "grid.yaml")
    assert list(scan.candidates) == [f"c{number:04d}" for number in range(12)]
    points = [(total, county, block) for total in (F(7, 4), 3) for county in (8, 4) for block in (10, 4, 2)]
    for (total, county, block), made in zip(points, scan.candidates.values(), strict=True):
        wanted = {"County": total / F(county), "Block": total / F(block)}
        wanted["Region"] = total - sum(wanted.values())
        for level, rho in wanted.items():
            unit = made.level_rho(level) / sum(
                value / min(made.rho[level].values()) for value in made.rho[level].values()
            )
            assert rho - 4 * unit <= rho - F(4, 400) <= made.level_rho(level) <= rho
            shares = [value / made.level_rho(level) for value in made.rho[level].values()]
            base = scan.base.rho[level].values()
            assert shares == [value / scan.base.level_rho(level) for value in base]
            assert all((value * 400).denominator == 1 for value in made.rho[level].values())
        assert made.deltas == (F(1, 10**6),)


def test_rhos_are_multiples_of_the_bases_unit_unless_said(folder: Path) -> None:
    path = folder / "grid.yaml"
    path.write_text("name: grid\nbase: tiny.yaml\nshares: {County: [1/3, 1/4]}\ntotal_rho: [3, 5]\n")
    for made in load_scan(path).candidates.values():
        assert all((rho * 8).denominator == 1 for asked in made.rho.values() for rho in asked.values())


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("County:", "Conty:", ("shares.Conty", "did you mean 'County'")),
        ("1/4]", "9/10]", ("shares", "exactly 1")),
        ("1/4]", "1/8]", ("shares.County[1]", "listed twice")),
        ("[0.1, 0.25, 0.5]", "[]", ("shares.Block", "at least 1")),
        ("base: tiny.yaml", "base: missing", ("missing", "no such allocation")),
        ("denominator: 400", "denominator: 3", ("denominator", "too small")),
        ("deltas:", "delta:", ("delta", "did you mean 'deltas'")),
        ("[7/4, 3]", "[0]", ("total_rho[0]", "above 0")),
        (
            "[0.1, 0.25, 0.5]",
            str([f"1/{n}" for n in range(2000, 8000)]).replace("'", ""),
            ("24000 candidates",),
        ),
    ],
)
def test_a_mistake_is_one_line(folder: Path, right: str, wrong: str, words: tuple[str, ...]) -> None:
    path = folder / "grid.yaml"
    assert right in GRID
    path.write_text(GRID.replace(right, wrong))
    line = refused(load_scan, path)
    assert all(word in line for word in words), line


def test_the_plan_comes_back_from_its_file(folder: Path) -> None:
    scan = load_scan(folder / "grid.yaml")
    plan = scan_plan(scan, GRID, 3, lambda composition: 1.0)
    assert sum(map(len, plan.shards.values())) == 12
    (folder / "mechanisms.json").write_text(plan.as_file())
    assert CensusPlan.read(folder / "mechanisms.json") == plan
    assert json.loads((folder / "mechanisms.json").read_text())["levels"] == []


def test_the_workflow_evaluates_every_candidate(folder: Path) -> None:
    ran = succeed(folder, "scan", scan=folder / "grid.yaml", shards=2)
    assert ran == ["scan_plan", "scan_curves", "scan_curves", "scan"]
    results = folder / "results" / "grid"
    with (results / "scan.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    scan = load_scan(folder / "grid.yaml")
    assert [row["candidate"] for row in rows] == list(scan.candidates)
    for row, made in zip(rows, scan.candidates.values(), strict=True):
        again = load_allocation(results / "candidates" / f"{made.name}.yaml")
        assert again == replace(made, title=again.title, source=again.source)
        assert {level: F(row[f"rho_{level}"]) for level in made.levels} == {
            level: made.level_rho(level) for level in made.levels
        }
        assert F(row["total_rho"]) == made.total_rho
        accountant = Accountant(pair_composition(made, "00", "00"))
        eps = accountant.epsilon(F(1, 10**6))
        assert Decimal(row["eps_lower"]) <= eps.upper
        assert eps.lower <= Decimal(row["eps_upper"])
        assert Decimal(row["reduction"]) <= accountant.reduction(F(1, 10**6)).reduction.upper
    assert succeed(folder, "scan", scan=folder / "grid.yaml", shards=2) == []


def test_without_a_scan_file_nothing_is_scanned(folder: Path) -> None:
    done = snakemake(folder, "scan")
    assert done.returncode != 0
    assert "name-a-scan-file-by-config-scan" in done.stderr
