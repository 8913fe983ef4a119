"""A slice of the random compositions: `make fuzz` compares thousands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.fuzz.compositions import one, summary
from tests.fuzz.draw import KINDS, case
from tests.fuzz.truth import truths
from tests.fuzz.worker import is_bad
from tests.reference.cells import total

SEED = 2020


@pytest.mark.parametrize("start", range(1, 41, 10))
def test_random_compositions_hold_against_independent_references(start: int) -> None:
    records = [one(SEED, index) for index in range(start, start + 10)]
    assert not [record for record in records if is_bad(record)]
    compared = [record for record in records if record["status"] == "compared"]
    assert len(compared) >= 5
    for record in compared:
        assert all(share < 1 for share in record["worst"].values())
        assert record["lumpy"] or record["relative"] < 1e-12
    assert summary(records)[0].startswith(f"compositions: 10; {len(compared)} compared")


def test_cases_are_those_of_their_seed_and_cover_what_they_should() -> None:
    drawn = [case(SEED, index) for index in range(300)]
    assert drawn == [case(SEED, index) for index in range(300)]
    assert {one.kind for one in drawn} == set(KINDS)
    sizes = [sum(one.cells.values()) for one in drawn]
    assert min(sizes) == 1
    assert 150 < max(sizes) <= 200
    rhos = [rho for one in drawn for rho in one.cells]
    assert min(rhos) <= Fraction(1, 10**5)
    assert max(rhos) >= 50
    assert max(rho.denominator for rho in rhos) > 10**38


def test_references_agree_where_several_are_cheap() -> None:
    cells = {Fraction(1, 20): 3, Fraction(1, 10): 2}
    grid = [Fraction(0), total(cells) / 2, Fraction(2)]
    found = [way() for way in truths(cells, grid)]
    assert len(found) >= 3
    for eps in grid:
        for name in ("alpha", "power", "delta"):
            balls = [getattr(truth, name)(eps) for truth in found]
            assert all(one.overlaps(other) for one in balls for other in balls)
            assert all(one.rad() < 1e-17 for one in balls)
