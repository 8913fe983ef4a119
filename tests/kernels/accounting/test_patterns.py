"""Bypass patterns: the complete set, the documented reconstruction of the 43, fixed digits."""

import pytest

from kernels.accounting.census.patterns import (
    DEFAULT_PATTERNS,
    DHC_ABSORBING_LEVELS,
    check_pattern,
    complete_patterns,
    default_patterns,
)

PUERTO_RICO = {"State": 0, "County": 1}


def test_the_complete_set_counts_in_binary() -> None:
    patterns = complete_patterns(DHC_ABSORBING_LEVELS)
    assert len(patterns) == 64
    assert [int(pattern, 2) for pattern in patterns] == list(range(64))


def test_the_default_list_is_the_documented_reconstruction() -> None:
    several_counties = {f"0{k:05b}" for k in range(32)}
    small_reservations = {f"1{c}11{t}{b}" for c in "01" for t in "01" for b in "01"}
    district_of_columbia = {"110000", "110001", "110010"}
    assert set(DEFAULT_PATTERNS) == several_counties | small_reservations | district_of_columbia
    assert len(DEFAULT_PATTERNS) == 43
    assert DEFAULT_PATTERNS[0] == "000000"
    assert list(DEFAULT_PATTERNS) == sorted(DEFAULT_PATTERNS)


def test_fixed_digits_leave_the_rest_free() -> None:
    patterns = complete_patterns(DHC_ABSORBING_LEVELS, PUERTO_RICO)
    assert patterns == tuple(f"01{k:04b}" for k in range(16))
    assert default_patterns(DHC_ABSORBING_LEVELS, PUERTO_RICO) == patterns
    assert complete_patterns(("A",), {"A": 1}) == ("1",)


def test_the_default_list_belongs_to_the_levels_of_the_dhc_files() -> None:
    with pytest.raises(ValueError, match=r"State, County, Prim.* only; use the complete set or an own list"):
        default_patterns(("State", "County", "Tract", "Block_Group"))
    with pytest.raises(ValueError, match="no pattern of the default list"):
        default_patterns(DHC_ABSORBING_LEVELS, {"State": 1, "County": 0, "Prim": 0})


def test_too_many_free_digits_are_refused() -> None:
    levels = [f"L{k}" for k in range(13)]
    with pytest.raises(ValueError, match="13 free digits"):
        complete_patterns(levels)
    assert len(complete_patterns(levels, {"L0": 0})) == 4096


def test_a_digit_fixed_for_another_level_is_refused() -> None:
    with pytest.raises(ValueError, match="Block, which is not a level that can absorb"):
        complete_patterns(DHC_ABSORBING_LEVELS, {"Block": 1})


@pytest.mark.parametrize("pattern", ["", "00000", "0000000", "00000x", "00002 ", "٠٠٠٠٠٠"])
def test_a_pattern_that_does_not_fit_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="a pattern has 6 digits 0 or 1, one for each of State, County"):
        check_pattern(pattern, DHC_ABSORBING_LEVELS, {})


def test_a_pattern_against_a_fixed_digit_is_refused() -> None:
    check_pattern("010000", DHC_ABSORBING_LEVELS, PUERTO_RICO)
    with pytest.raises(ValueError, match="the digit of State is fixed at 0"):
        check_pattern("110000", DHC_ABSORBING_LEVELS, PUERTO_RICO)
    with pytest.raises(ValueError, match="the digit of County is fixed at 1"):
        check_pattern("000000", DHC_ABSORBING_LEVELS, PUERTO_RICO)
