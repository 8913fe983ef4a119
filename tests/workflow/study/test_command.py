"""Command uldp: values, bounds, and errors in one line."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.workflow.cli.command_line import answer, table


def test_json_has_every_figure_with_its_bounds() -> None:
    document = answer("uldp", "--w", "10", "--v", "6", "--eps", "0.5,3/2,5")
    assert (document["command"], document["w"], document["v"]) == ("uldp", "10", "6")
    assert "client" in document["neighbours"]
    assert [row["eps"] for row in document["rows"]] == ["0.5", "1.5", "5"]
    for row in document["rows"]:
        for name in ("m_star", "alpha_star", "gap"):
            lower, value, upper = (Decimal(row[name + end]) for end in ("_lower", "", "_upper"))
            assert lower <= value <= upper
        for entry in row["t_star"]:
            assert Decimal(entry["share_lower"]) <= Decimal(entry["share"]) <= Decimal(entry["share_upper"])
        assert Decimal(row["gap"]) <= Decimal("1e-10")
    middle = document["rows"][1]
    assert middle["m_star"].startswith("6.4404")
    assert middle["alpha_star"].startswith("0.6411")
    assert [(entry["k"], entry["share"][:5]) for entry in middle["t_star"]] == [
        ("1", "0.783"),
        ("2", "0.216"),
    ]
    assert [row["optimal"] for row in document["rows"]] == ["single size", "mixture", "randomised response"]


def test_table_rounds_the_limit_up() -> None:
    printed = table("uldp", "--w", "10", "--v", "1", "--eps", "1")
    assert "2.052842303" in printed  # 2.05284230262...
    assert "k = 1" in printed


@pytest.mark.parametrize("eps", ["1e-6", "1/1000", "20", "100"])
@pytest.mark.parametrize("v", ["1", "2", "10000"])
def test_extremes_are_answered(v: str, eps: str) -> None:
    for w in ("10000", "1000000000"):
        (row,) = answer("uldp", "--w", w, "--v", v, "--eps", eps)["rows"]
        assert Decimal(row["gap"]) <= Decimal("1e-10")
