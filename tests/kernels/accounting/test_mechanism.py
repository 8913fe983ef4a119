"""From an allocation to mechanisms and pairs, against a second derivation of the bypass rule."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from math import gcd, lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.accounting.census.allocation import Allocation, Resolution
from kernels.accounting.census.mechanism import (
    level_budgets,
    mechanism,
    mechanism_name,
    pair_composition,
    pairs,
    resolve_mechanism,
)
from kernels.accounting.census.patterns import complete_patterns
from kernels.accounting.composition import Composition
from workflow.allocation.read import load_allocation

DHC = load_allocation("dhc_persons_us")


def allocation(
    rho: dict[str, dict[str, F]], absorbing: list[str], fixed: dict[str, int] | None = None
) -> Allocation:
    """A made-up allocation with the complete set of patterns."""
    return Allocation(
        name="made_up",
        title="made up",
        source="made up",
        neighbours="bounded",
        levels=tuple(rho),
        rho=rho,
        absorbing_levels=tuple(absorbing),
        fixed_digits=fixed or {},
        patterns=complete_patterns(absorbing, fixed),
        deltas=(F(1, 10**10),),
        resolution=Resolution(101, 32),
    )


@st.composite
def allocations(draw: st.DrawFn) -> Allocation:
    """Up to 6 levels with up to 3 queries each; any levels but the last absorb."""
    names = ["A", "B", "C", "D", "E", "F"][: draw(st.integers(2, 6))]
    rhos = st.fractions(min_value=F(1, 1000), max_value=2, max_denominator=1000)
    rho = {name: draw(st.dictionaries(st.sampled_from("xyz"), rhos, min_size=1)) for name in names}
    absorbing = [name for name in names[:-1] if draw(st.booleans())] or [names[0]]
    return allocation(rho, absorbing)


def by_ownership(given_to: Allocation, pattern: str) -> Counter[F]:
    """The bypass rule told from above: below a bypass, a level belongs to the top of its chain."""
    digit = dict(zip(given_to.absorbing_levels, pattern, strict=True))
    owner = {given_to.levels[0]: given_to.levels[0]}
    for above, level in zip(given_to.levels, given_to.levels[1:], strict=False):
        owner[level] = owner[above] if digit.get(above) == "1" else level
    cells: Counter[F] = Counter()
    for top in set(owner.values()):
        budget = sum(sum(given_to.rho[level].values()) for level in given_to.levels if owner[level] == top)
        own = given_to.rho[top]
        cells.update(share * budget / sum(own.values()) for share in own.values())
    return cells


def test_dhc_persons_has_43_mechanisms_and_946_pairs() -> None:
    assert len(DHC.patterns) == 43
    assert len(pairs(DHC)) == len(set(pairs(DHC))) == 946
    assert pairs(DHC)[:2] == [("000000", "000000"), ("000000", "000001")]
    assert DHC.total_rho == F("4.9622")


def test_the_complete_set_has_2080_pairs_that_contain_the_946() -> None:
    complete = replace(DHC, patterns=complete_patterns(DHC.absorbing_levels))
    assert len(complete.patterns) == 64
    assert len(pairs(complete)) == 2080
    assert set(pairs(DHC)) <= set(pairs(complete))


def test_without_bypass_all_eighty_queries_are_cells() -> None:
    every = Counter(rho for queries in DHC.rho.values() for rho in queries.values())
    assert mechanism(DHC, "000000") == Composition.from_counts(every)
    assert mechanism(DHC, "000000").size == 80


def test_a_chain_of_only_children_collapses_into_its_topmost_geounit() -> None:
    budgets = level_budgets(DHC, "111111")
    assert [level for level, budget in budgets.items() if budget] == ["US", "State"]
    assert budgets["State"] == DHC.total_rho - DHC.level_rho("US")
    budgets = level_budgets(DHC, "010110")
    assert [level for level, budget in budgets.items() if not budget] == [
        "Prim",
        "Tract_Subset",
        "Block_Group",
    ]
    assert budgets["Tract_Subset_Group"] == sum(
        DHC.level_rho(level) for level in ("Tract_Subset_Group", "Tract_Subset", "Block_Group")
    )


@pytest.mark.parametrize("pattern", complete_patterns(DHC.absorbing_levels))
def test_the_bypass_rule_agrees_with_its_second_derivation(pattern: str) -> None:
    composition = mechanism(DHC, pattern)
    assert dict(composition.cells) == by_ownership(DHC, pattern)
    assert composition.total_rho == DHC.total_rho


@given(allocations(), st.data())
def test_every_path_keeps_its_total_rho(made_up: Allocation, data: st.DataObject) -> None:
    first, second = (data.draw(st.sampled_from(made_up.patterns)) for _ in range(2))
    composition = mechanism(made_up, first)
    assert dict(composition.cells) == by_ownership(made_up, first)
    assert composition.total_rho == made_up.total_rho
    pair = pair_composition(made_up, first, second)
    assert pair == pair_composition(made_up, second, first)
    assert pair.total_rho == 2 * made_up.total_rho


@pytest.mark.parametrize(
    ("pair", "lattice"),
    [
        (("000000", "000000"), F(1, 10000)),
        (("000000", "011111"), F(1, 80000)),
        (("001111", "010010"), F(1, 1040000)),
    ],
)
def test_pairs_have_the_lattice_constants_of_the_published_reference(
    pair: tuple[str, str], lattice: F
) -> None:
    composition = pair_composition(DHC, *pair)
    common = lcm(*(rho.denominator for rho, _ in composition.cells))
    by_hand = F(gcd(*(int(rho * common) for rho, _ in composition.cells)), common)
    assert composition.spacing == by_hand == lattice
    assert composition.total_rho == F(24811, 2500)


def test_a_level_alone_counts_every_query_twice() -> None:
    block = DHC.level_composition("Block")
    assert block == Composition.from_counts({F(11, 10000): 20})
    county = DHC.level_composition("County")
    assert county == Composition.from_counts({F(31, 1000): 16, F(31, 250): 4})
    with pytest.raises(ValueError, match="'block' is not a level of dhc_persons_us; allowed: US, State"):
        DHC.level_composition("block")


def test_puerto_rico_always_folds_its_county_equivalent() -> None:
    rho = {level: {"total": F(k + 1, 10)} for k, level in enumerate(DHC.levels[1:])}
    puerto_rico = allocation(rho, list(DHC.absorbing_levels), {"State": 0, "County": 1})
    assert len(puerto_rico.patterns) == 16
    for pattern in puerto_rico.patterns:
        budgets = level_budgets(puerto_rico, pattern)
        assert budgets["Prim"] == 0
        assert budgets["State"] == F(1, 10)
        assert sum(budgets.values()) == F(28, 10)
    with pytest.raises(ValueError, match="the digit of County is fixed at 1"):
        mechanism(puerto_rico, "000000")


def test_mechanisms_are_named_by_their_place_in_the_list() -> None:
    assert mechanism_name(DHC, "000000") == "M00"
    assert mechanism_name(DHC, "111111") == "M42"
    for pattern in DHC.patterns:
        assert resolve_mechanism(DHC, mechanism_name(DHC, pattern)) == pattern
        assert resolve_mechanism(DHC, pattern) == pattern
    assert resolve_mechanism(DHC, "m7") == "000111"
    assert resolve_mechanism(DHC, "101010") == "101010"  # not in the list, yet a pattern of these levels
    with pytest.raises(ValueError, match="not among the 43 patterns"):
        mechanism_name(DHC, "101010")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("M43", "allowed are M00 to M42"),
        ("M99999999999999999999", "allowed are M00 to M42"),
        ("M", "neither a mechanism name such as M00 nor a pattern"),
        ("M-1", "neither a mechanism name"),
        ("", "neither a mechanism name"),
        ("00000", "a pattern has 6 digits 0 or 1"),
        ("M²", "neither a mechanism name"),
        ("M" + "9" * 5000, "allowed are M00"),
        ("0" * 5000, "a pattern has 6 digits"),
    ],
    ids=lambda text: text[:40],
)
def test_what_names_no_mechanism_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refused:
        resolve_mechanism(DHC, text)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"levels": ()}, "at least one level"),
        ({"levels": ("US", "US")}, "each named once"),
        ({"levels": DHC.levels[:-1]}, "exactly the levels"),
        ({"absorbing_levels": ("County", "State")}, "root first and each once"),
        ({"absorbing_levels": ("Block",)}, "root first and each once"),
        ({"fixed_digits": {"Block": 0}}, "a fixed digit is 0 or 1, for one of State"),
        ({"fixed_digits": {"State": 2}}, "a fixed digit is 0 or 1"),
        ({"patterns": ()}, "at least one bypass pattern"),
        ({"patterns": ("000000", "000000")}, "each listed once"),
        ({"patterns": ("0",)}, "a pattern has 6 digits"),
        ({"rho": {**DHC.rho, "US": {"detailed": F(0)}}}, "above 0, not 0"),
        ({"rho": {**DHC.rho, "US": {}}}, "at least one cell"),
    ],
)
def test_parts_of_an_allocation_that_do_not_fit_are_refused(change: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace(DHC, **change)
