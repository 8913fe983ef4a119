"""Curves and privacy loss distributions in files, against the numbers that the other commands give."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import pytest

from tests.workflow.cli.command_line import TINY, TINY_PAIR, answer, table
from tests.workflow.results.stored import HEADER, stored
from workflow.results.curves import CurveFile, Identity


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_curve_holds_the_tails_that_profile_tells(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    document = answer("export", "--format", "curve", *TINY_PAIR, "--output", str(path))
    points = rows(path)
    assert document["rows"] == [{"points": str(len(points))}]
    some = points[:: len(points) // 7]
    told = answer("profile", *TINY_PAIR, "--eps=" + ",".join(point["threshold"] for point in some))["rows"]
    for point, row in zip(some, told, strict=True):
        bound = F(point["bound"])
        assert bound <= F("1e-35")
        assert abs(F(point["alpha"]) - F(row["alpha"])) <= 2 * bound
        assert abs(1 - F(point["beta"]) - F(row["power"])) <= 2 * bound


def test_a_profile_holds_delta_with_its_relative_bound(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    table("export", "--format", "profile", *TINY_PAIR, "--output", str(path))
    points = rows(path)
    some = points[1 :: len(points) // 7]
    told = answer("profile", *TINY_PAIR, "--eps", ",".join(point["eps"] for point in some))["rows"]
    for point, row in zip(some, told, strict=True):
        assert float(point["relative_bound"]) < 1e-11
        assert float(point["delta"]) == pytest.approx(float(row["delta"]), rel=1e-11)
        assert 10 ** float(point["log10_delta"]) == pytest.approx(float(row["delta"]), rel=1e-11)


def test_stored_curves_are_written_out_unchanged(tmp_path: Path) -> None:
    result = stored(Identity("pair", "00", "10"))
    header = replace(HEADER, allocation="tiny", allocation_yaml=Path(TINY).read_text())
    CurveFile.write(tmp_path / "curves.h5", header, [result])
    path = tmp_path / "out.csv"
    options = ("--curves", str(tmp_path / "curves.h5"), "--pair", "10,M00", "--output", str(path))
    answer("export", "--format", "profile", *options)
    assert [float(point["delta"]) for point in rows(path)] == result.delta.tolist()
    answer("export", "--format", "curve", *options, "--force")
    assert [F(point["threshold"]) for point in rows(path)] == [
        result.threshold_first + j * result.threshold_step for j in range(len(result.alpha))
    ]
    for point, parts in zip(rows(path), result.alpha.tolist(), strict=True):
        assert abs(F(point["alpha"]) - sum(map(F, parts))) < F(1, 10**44)


def test_a_distribution_gives_delta_by_its_definition(tmp_path: Path) -> None:
    path = tmp_path / "pld.json"
    document = answer("export", "--format", "pld", "--grid", "1/64", *TINY_PAIR, "--output", str(path))
    written = json.loads(path.read_text())
    (told,) = document["rows"]
    assert told["losses"] == str(len(written["probabilities"]))
    assert (written["neighbours"], written["pair"]) == ("bounded", ["00", "10"])
    assert written["pessimistic"] is True
    assert written["discretization"] == 1 / 64
    for eps in (0.0, 1.0, 5.5):
        losses = [(written["lowest_loss"] + i) / 64 for i in range(len(written["probabilities"]))]
        delta = written["infinity_mass"] + math.fsum(
            -math.expm1(eps - loss) * p
            for loss, p in zip(losses, written["probabilities"], strict=True)
            if loss > eps
        )
        near, far = answer("profile", *TINY_PAIR, f"--eps={eps},{eps - 1 / 64}")["rows"]
        assert float(near["delta"]) <= delta <= float(far["delta"]) * (1 + 1e-10)
