"""The command `attack`, from an allocation and from a result file."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import pytest

from tests.kernels.certificate.small import compute, write
from tests.workflow.cli.command_line import FIRST_PAIR, TINY_PAIR, answer, table


def test_the_first_pair_of_dhc() -> None:
    document = answer("attack", *FIRST_PAIR, "--prior", "0.01,1/2")
    assert document["neighbours"] == "bounded"
    known = "0.884778356269728362045997403388560556"
    assert document["advantage_lower"] <= known <= document["advantage_upper"]
    assert [(row["alpha"], row["prior"]) for row in document["rows"]] == [
        (alpha, prior) for alpha in ("0.01", "0.05", "0.1") for prior in ("0.01", "0.5")
    ]
    told = answer("tradeoff", *FIRST_PAIR, "--alpha", "0.01,0.05,0.1")["rows"]
    assert [row["miss_rate"] for row in document["rows"][::2]] == [row["beta"] for row in told]
    (loss, _) = document["losses"]
    (eps,) = answer("epsilon", *FIRST_PAIR, "--delta", "1e-10")["rows"]
    assert (loss["delta"], loss["eps"]) == ("1e-10", eps["eps"])
    (at_eps,) = answer("profile", *FIRST_PAIR, "--eps", eps["eps"])["rows"]
    assert F(loss["exceeded_lower"]) <= F(at_eps["power"]) <= F(loss["exceeded_upper"])
    printed = table("attack", *FIRST_PAIR)
    assert "Membership advantage, at most: 0.8847783563." in printed
    assert "0.2049829335" in printed
    assert "1 - 2.391e-11" in printed


def test_a_probability_is_printed_as_1_only_where_it_is_that() -> None:
    printed = table("attack", *TINY_PAIR, "--delta", "1e-1000", "--prior", "1/2,1,1e-99", "--alpha", "1")
    near, certain, slight = (line.split() for line in printed.splitlines() if line.startswith("1e-1000"))
    assert near[-3:] == ["1", "-", "1.62e-56"]
    assert certain[-1] == "1"
    assert slight[-1] == "6.171175054e-44"
    assert {line[3] for line in (near, certain, slight)} == {"2.073271585e-999"}, "exceeded, far below 1e-60"


def test_a_result_file_answers_without_computing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "curves.h5", compute())
    exact = answer("attack", *TINY_PAIR, "--delta", "1e-6,1e-10")
    monkeypatch.delattr("kernels.accounting.tiers.Tiers.plan")
    stored = answer("attack", "--curves", str(path), "--pair", "M01,00")
    assert stored["pair"] == ["10", "00"]
    for mine, truth in zip(
        [stored, *stored["rows"], *stored["losses"]], [exact, *exact["rows"], *exact["losses"]], strict=True
    ):
        for name in ("advantage", "miss_rate", "odds_factor", "eps", "exceeded", "posterior"):
            if name in truth:
                assert Decimal(mine[f"{name}_lower"]) <= Decimal(truth[f"{name}_upper"])
                assert Decimal(truth[f"{name}_lower"]) <= Decimal(mine[f"{name}_upper"])


def test_extremes_are_told() -> None:
    document = answer("attack", *TINY_PAIR, "--alpha", "0,1", "--prior", "0,1,1/2")
    assert [row["odds_factor"] for row in document["rows"][:3]] == ["Infinity"] * 3
    assert [row["posterior"] for row in document["rows"][:3]] == ["0", "1", "1"]
    assert document["rows"][5]["odds_factor"] == "1"
    assert document["rows"][5]["posterior"] == "0.5"
