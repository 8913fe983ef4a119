"""Bypass patterns: which geographic levels have a single child and absorb its budget.

A pattern is a text with one digit per level that can absorb, root first: 1 says that the geounit of that
level has exactly one child, which then measures nothing. The complete and the default list are in ascending
binary order, so their first pattern, M00, has no bypass (but for digits that are fixed at 1).
"""

from collections.abc import Mapping, Sequence
from itertools import product

# The levels of the 2020 DHC files that can absorb their only child. The US never has an only child.
DHC_ABSORBING_LEVELS = ("State", "County", "Prim", "Tract_Subset_Group", "Tract_Subset", "Block_Group")

# More free digits than this would make more than 8 million pairs.
MAX_FREE_DIGITS = 12


def complete_patterns(levels: Sequence[str], fixed: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Every pattern over `levels`, root first, that agrees with the `fixed` digits, in binary order.

    Raises ValueError when `fixed` names another level or more than MAX_FREE_DIGITS digits are free.
    """
    fixed = fixed or {}
    for level in fixed:
        if level not in levels:
            raise ValueError(
                f"a digit is fixed for {level}, which is not a level that can absorb its only child"
            )
    free = len(levels) - len(fixed)
    if free > MAX_FREE_DIGITS:
        raise ValueError(
            f"{free} free digits make 2^{free} patterns; at most {MAX_FREE_DIGITS} digits may be free"
        )
    choices = [str(fixed[level]) if level in fixed else "01" for level in levels]
    return tuple("".join(digits) for digits in product(*choices))


def _reconstructed_dhc_patterns() -> tuple[str, ...]:
    """The 43 patterns taken to occur in the 2020 DHC persons file; arXiv 2606.29835 counts them, no more.

    This is a reconstruction, not the published list:

    - 32 patterns in which the State geounit has several counties;
    - 8 patterns for a state part (inside or outside American Indian areas) with a single county, holding a
      small reservation: State, Prim and Tract_Subset_Group bypassed; County, Tract_Subset, Block_Group free;
    - 3 patterns for the District of Columbia: State and County bypassed, Prim and Tract_Subset_Group not, and
      not both of Tract_Subset and Block_Group.
    """
    return tuple(
        pattern
        for pattern in complete_patterns(DHC_ABSORBING_LEVELS)
        if pattern[0] == "0" or pattern[2:4] == "11" or (pattern[1:4] == "100" and pattern[4:] != "11")
    )


DEFAULT_PATTERNS: tuple[str, ...] = _reconstructed_dhc_patterns()


def default_patterns(levels: Sequence[str], fixed: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Those of the 43 DEFAULT_PATTERNS that agree with the `fixed` digits.

    Raises ValueError for other levels than those of the DHC files, or when none of the 43 agrees.
    """
    if tuple(levels) != DHC_ABSORBING_LEVELS:
        raise ValueError(
            "the default list holds patterns over " + ", ".join(DHC_ABSORBING_LEVELS) + " only; "
            "use the complete set or an own list"
        )
    allowed = set(complete_patterns(levels, fixed))
    patterns = tuple(pattern for pattern in DEFAULT_PATTERNS if pattern in allowed)
    if not patterns:
        raise ValueError("no pattern of the default list agrees with the fixed digits; use the complete set")
    return patterns


def check_pattern(pattern: str, levels: Sequence[str], fixed: Mapping[str, int]) -> None:
    """Raise ValueError, saying what is allowed, unless `pattern` fits the levels and the fixed digits."""
    if len(pattern) != len(levels) or set(pattern) - {"0", "1"}:
        if len(levels) == 1:
            raise ValueError(f"a pattern has 1 digit, 0 or 1, for {levels[0]}")
        raise ValueError(f"a pattern has {len(levels)} digits 0 or 1, one for each of " + ", ".join(levels))
    for level, digit in zip(levels, pattern, strict=True):
        if level in fixed and int(digit) != fixed[level]:
            raise ValueError(f"the digit of {level} is fixed at {fixed[level]}")
