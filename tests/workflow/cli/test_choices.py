"""Options of the command line that take one of a few words."""

from __future__ import annotations

from tests.workflow.cli.command_line import TINY, TINY_PAIR, complaint


def test_a_misspelt_word_is_answered_with_the_one_that_is_meant() -> None:
    line = complaint(2, "export", *TINY_PAIR, "--format", "profil", "--output", "x")
    assert "'--format': 'profil': did you mean 'profile'? allowed: table, curve, profile, pld." in line
    asked = ("export", "--allocation", TINY, "--format", "table", "--output", "x")
    assert "did you mean 'percent'? allowed: rho, shares" in complaint(2, *asked, "--style", "Percent")
    assert "'9': allowed: rho, shares" in complaint(2, *asked, "--style", "9")


def test_a_denominator_has_a_limit() -> None:
    line = complaint(
        2, "tune", "--allocation", TINY, "--target-eps", "12", "--delta", "1e-6", "--denominator", "9" * 400
    )
    assert "--denominator: too large; allowed: 1 to 1e+30." in line
