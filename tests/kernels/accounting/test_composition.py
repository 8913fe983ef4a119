"""Compositions: exact, canonical, and closed to what is not exact."""

from fractions import Fraction as F
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.accounting.composition import Composition

RHOS = st.fractions(min_value=F(1, 10**6), max_value=100, max_denominator=10**6)
COMPOSITIONS = st.dictionaries(RHOS, st.integers(1, 10**6), min_size=1, max_size=8).map(
    Composition.from_counts
)


def listed(composition: Composition) -> list[F]:
    """Every cell written out, for compositions that are small enough."""
    return [rho for rho, count in composition.cells for _ in range(count)]


def test_totals_are_exact_sums_over_cells_not_over_kinds() -> None:
    composition = Composition.from_counts({F(1, 10): 3, F(9, 10): 1, F(1, 3): 2})
    assert listed(composition) == [F(1, 10)] * 3 + [F(1, 3)] * 2 + [F(9, 10)]
    assert composition.total_rho == sum(listed(composition)) == F(28, 15)
    assert composition.zcdp_rho == F(14, 15)
    assert composition.size == len(listed(composition))


def test_the_order_of_cells_does_not_matter() -> None:
    forwards = Composition.from_counts({F(1, 2): 1, F(1, 3): 2})
    backwards = Composition.from_counts({F(1, 3): 2, F(1, 2): 1})
    assert forwards == backwards
    assert hash(forwards) == hash(backwards)
    assert forwards.digest() == backwards.digest()


def test_the_digest_is_the_hash_of_a_text_that_anyone_can_write() -> None:
    composition = Composition.from_counts({F(2, 4): 7, F(3): 1})
    assert composition.digest() == sha256(b"1/2:7;3:1").hexdigest()


@given(COMPOSITIONS, COMPOSITIONS)
def test_addition_adds_counts_rho_by_rho(first: Composition, second: Composition) -> None:
    both = first + second
    assert both == second + first
    assert both.size == first.size + second.size
    assert both.total_rho == first.total_rho + second.total_rho
    a, b, sums = dict(first.cells), dict(second.cells), dict(both.cells)
    assert set(sums) == set(a) | set(b)
    assert all(count == a.get(rho, 0) + b.get(rho, 0) for rho, count in sums.items())


@given(COMPOSITIONS, RHOS)
def test_scaling_is_exact_and_can_be_undone(composition: Composition, factor: F) -> None:
    scaled = composition.scaled(factor)
    assert scaled.total_rho == composition.total_rho * factor
    assert scaled.scaled(1 / factor) == composition


@given(COMPOSITIONS)
def test_a_different_count_or_rho_changes_the_digest(composition: Composition) -> None:
    (rho, count), *rest = composition.cells
    assert Composition(((rho, count + 1), *rest)).digest() != composition.digest()
    assert Composition(((rho / 2, count), *rest)).digest() != composition.digest()


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({}, "at least one cell"),
        ({F(0): 1}, "above 0, not 0"),
        ({F(-1, 3): 1}, "above 0, not -1/3"),
        ({0.1: 1}, "exact rational, not 0.1"),
        ({True: 1}, "exact rational, not True"),
        ({F(1): 0}, "at least 1, not 0"),
        ({F(1): -2}, "at least 1, not -2"),
        ({F(1): 1.0}, "integer, not 1.0"),
        ({F(1): True}, "integer, not True"),
    ],
)
def test_what_is_not_exact_and_positive_is_refused(counts: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Composition.from_counts(counts)


@pytest.mark.parametrize("cells", [((F(2), 1), (F(1), 1)), ((F(1), 1), (F(1), 1))])
def test_cells_out_of_order_or_twice_are_refused(cells: tuple[tuple[F, int], ...]) -> None:
    with pytest.raises(ValueError, match="ascending order"):
        Composition(cells)


@pytest.mark.parametrize("factor", [F(0), F(-1), 0.5, True])
def test_a_factor_that_is_not_exact_and_positive_is_refused(factor: F) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Composition.from_counts({F(1): 1}).scaled(factor)
