"""The command line's answers: known figures, intervals around every number, tables on the safe side."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.intervals.interval import Interval
from tests.workflow.cli.command_line import FIRST_PAIR, TINY, TINY_PAIR, answer, table
from workflow.cli.answer import given_fields, interval_text


def relative_error(text: str, known: str) -> Decimal:
    return abs(Decimal(text) / Decimal(known) - 1)


def test_profile_gives_the_known_deltas_and_tails() -> None:
    document = answer("profile", *FIRST_PAIR, "--eps", "0,24.5,40")
    deltas = [row["delta"] for row in document["rows"]]
    known = [
        "0.884778356269728362045997403388560556",
        "9.14779967758082495319172452685e-11",
        "1.06977913866383264e-29",
    ]
    assert all(relative_error(*both) < Decimal("1e-12") for both in zip(deltas, known, strict=True))
    alpha, power = (Decimal(document["rows"][0][name]) for name in ("alpha", "power"))
    assert abs(alpha - Decimal("0.0576089905464759012876047304437066329")) < Decimal("1.1e-35")
    assert abs(power - Decimal("0.942387346816204263333602133832267189")) < Decimal("1.1e-35")


def test_every_computed_number_has_its_interval_around_it() -> None:
    documents = [
        answer("profile", *TINY_PAIR, "--eps", "-1,0,1/3,30"),
        answer("epsilon", *TINY_PAIR, "--delta", "0,1e-6,1"),
        answer("tradeoff", *TINY_PAIR, "--alpha", "0,0.05,1"),
        answer("reduction", *TINY_PAIR, "--delta", "1e-6"),
        answer("convert", "--rho", "1/3", "--delta", "1e-6"),
    ]
    names = {"delta", "alpha", "power"}, {"eps", "eps_zcdp", "eps_cks20", "eps_gaussian"}, {"beta"}
    computed = [*names, {"eps_zcdp", "reduction", "scale"}, {"eps_zcdp", "eps_cks20"}]
    for document, expected in zip(documents, computed, strict=True):
        assert document["neighbours"]
        for row in document["rows"]:
            assert expected <= set(row)
            for name in expected:
                lower, value, upper = (Decimal(row[name + end]) for end in ("_lower", "", "_upper"))
                assert lower <= value <= upper


def test_the_answer_names_the_composition() -> None:
    document = answer("plan", *FIRST_PAIR)
    known = {"allocation": "dhc_persons_us", "neighbours": "bounded", "lattice_exact": "1/10000"}
    known |= {"total_rho": "9.9244", "total_rho_exact": "24811/2500"}
    known |= {"pair": ["000000", "000000"], "pair_names": ["M00", "M00"]}
    assert document | known == document
    (row,) = document["rows"]
    assert int(row["survivors"]) <= 203
    assert Decimal(row["total_bound"]) <= Decimal("1e-35")


def test_the_heading_says_whose_rho_is_added_up(tmp_path: Path) -> None:
    cells = tmp_path / "cells.yaml"
    cells.write_text('{"1/3": 5}')
    for asked, line in (
        (TINY_PAIR, "3.5 over 10 cells, so 1.75-zCDP: half of it, the allocation's total rho."),
        (
            ("--allocation", TINY, "--level", "County"),
            "1 over 4 cells, so 0.5-zCDP: half of it, the level's rho.",
        ),
        (("--cells", str(cells)), "5/3 over 5 cells, so 5/6-zCDP: half of it."),
    ):
        assert f"Total rho of both members {line}\n" in table("reduction", *asked, "--delta", "1e-6")


def test_names_and_patterns_ask_the_same() -> None:
    asked = ("profile", "--allocation", "dhc_persons_us", "--eps", "1", "--pair")
    assert answer(*asked, "M00,M01") == answer(*asked, "000000,000001")


def test_a_cells_file_asks_for_its_own_composition(tmp_path: Path) -> None:
    cells = tmp_path / "cells.json"
    cells.write_text('{"1": 1}')
    document = answer("profile", "--cells", str(cells), "--eps", "0,1")
    known = ["0.398942278266862", "0.141351339405622"]
    found = [row["delta"] for row in document["rows"]]
    assert all(relative_error(*both) < Decimal("1e-14") for both in zip(found, known, strict=True))
    assert document["cells"] == str(cells)


def test_eps_is_ordered_zero_and_infinite_where_it_must_be() -> None:
    rows = answer("epsilon", *TINY_PAIR, "--delta", "0,1e-3000,1e-10,1")["rows"]
    assert {rows[0][name] for name in ("eps", "eps_lower", "eps_upper", "eps_zcdp", "eps_cks20")} == {
        "Infinity"
    }
    for row in rows[1:3]:
        assert (
            0 < Decimal(row["eps_upper"]) <= Decimal(row["eps_cks20_lower"]) <= Decimal(row["eps_zcdp_lower"])
        )
    assert rows[3]["eps"] == "0"


def test_reduction_of_a_level_alone() -> None:
    document = answer("reduction", "--allocation", "dhc_persons_us", "--level", "Block", "--delta", "1e-11")
    assert document["level"] == "Block"
    assert "pair" not in document
    assert round(Decimal(document["rows"][0]["reduction"]), 3) == Decimal("0.248")


def test_numbers_are_read_exactly() -> None:
    rows = answer("tradeoff", *TINY_PAIR, "--alpha", "0.1,1/10, 1e-1,1/3")["rows"]
    assert [row["alpha"] for row in rows[:3]] == ["0.1"] * 3
    assert rows[0] == rows[1] == rows[2]
    assert rows[3]["alpha_exact"] == "1/3"


def test_convert_knows_no_mechanism_and_says_so() -> None:
    document = answer("convert", "--rho", "4.9622", "--delta", "1e-10")
    (row,) = document["rows"]
    assert relative_error(row["eps_zcdp"], "26.34058885") < Decimal("1e-9")
    assert Decimal(row["eps_cks20_upper"]) < Decimal(row["eps_zcdp_lower"])
    assert document["neighbours"] == "that of the zCDP budget given"


def test_convert_gives_nothing_at_delta_one_and_says_so() -> None:
    (row,) = answer("convert", "--rho", "4.9622", "--delta", "1")["rows"]
    assert row["eps_zcdp"] == row["eps_cks20"] == "0"
    assert "At delta 1 both are 0" in " ".join(table("convert", "--help").split())


def test_tables_are_on_the_safe_side_and_name_the_relation() -> None:
    document = answer("epsilon", *TINY_PAIR, "--delta", "1e-10")
    printed = table("epsilon", *TINY_PAIR, "--delta", "1e-10")
    assert "bounded (one record replaced by another)" in printed
    assert "Gaussian limit (not a bound)" in printed
    figure = printed.splitlines()[-1].split()[1]
    assert Decimal(document["rows"][0]["eps_upper"]) <= Decimal(figure)
    printed = table("reduction", *TINY_PAIR, "--delta", "1e-10")
    figure = next(line for line in printed.splitlines() if line.startswith("1e-10")).split()[2]
    found = answer("reduction", *TINY_PAIR, "--delta", "1e-10")["rows"][0]
    assert Decimal(figure) / 100 <= Decimal(found["reduction_lower"])


def test_a_narrow_terminal_does_not_cut_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    line = table("profile", *TINY_PAIR, "--eps", "1").splitlines()[6]
    assert len(line.split()) == 4
    assert "…" not in line


@given(st.integers(-(10**40), 10**40), st.integers(0, 10**40), st.integers(0, 10**40), st.integers(-4000, 40))
def test_printed_intervals_hold_the_true_ones(middle: int, below: int, above: int, exponent: int) -> None:
    true = [Decimal(f"{number}e{exponent}") for number in (middle, middle - below, middle + above)]
    value, lower, upper = (Decimal(text) for text in interval_text(Interval(*true)))
    assert lower <= true[1]
    assert lower <= value <= upper
    assert upper >= true[2]
    with localcontext(prec=100):
        assert upper - lower <= (true[2] - true[1]) * Decimal("1.03") or below + above == 0


def test_given_numbers_keep_every_digit() -> None:
    assert given_fields("x", Fraction(49, 2)) == {"x": "24.5"}
    assert given_fields("x", Fraction(1, 10**5000)) == {"x": "1e-5000"}
    assert given_fields("x", Fraction(1, 3)) == {"x": "0." + "3" * 60, "x_exact": "1/3"}
    long = Fraction(10**70 + 1, 10**6000)
    assert given_fields("x", long)["x_exact"] == f"{10**70 + 1}/1{'0' * 6000}"
