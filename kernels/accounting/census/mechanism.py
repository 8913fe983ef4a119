"""Mechanisms: what one root-to-block path releases, and the pairs of paths that a record can move between."""

from collections import Counter
from fractions import Fraction

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.patterns import check_pattern
from kernels.accounting.composition import Composition

SEPARATOR = "+"  # between the products' patterns where people read or write a joint one


def level_budgets(allocation: Allocation, pattern: str) -> dict[str, Fraction]:
    """What each level spends along a path with this bypass pattern; 0 at a level that measures nothing.

    Bottom-up: where a level's digit is 1 it takes over the whole budget of the next level down, including
    what that level has taken over itself. So a chain of only children collapses into its topmost geounit,
    and the budgets always add up to `allocation.total_rho`.

    Raises ValueError when the pattern does not fit the allocation.
    """
    check_pattern(pattern, allocation.absorbing_levels, allocation.fixed_digits)
    digits = dict(zip(allocation.absorbing_levels, pattern, strict=True))
    budgets = {level: allocation.level_rho(level) for level in allocation.levels}
    for upper, lower in reversed(list(zip(allocation.levels, allocation.levels[1:], strict=False))):
        if digits.get(upper) == "1":
            budgets[upper] += budgets[lower]
            budgets[lower] = Fraction(0)
    return budgets


def mechanism(allocation: Allocation, pattern: str) -> Composition:
    """All queries along a path with this bypass pattern; each level's budget is split by its own shares.

    Raises ValueError when the pattern does not fit the allocation.
    """
    counts: Counter[Fraction] = Counter()
    for level, budget in level_budgets(allocation, pattern).items():
        if budget:
            scale = budget / allocation.level_rho(level)
            counts.update(rho * scale for rho in allocation.rho[level].values())
    return Composition.from_counts(counts)


def pair_composition(allocation: Allocation, first_pattern: str, second_pattern: str) -> Composition:
    """The cells of both members: a record that moves loses a cell in every query of one and gains one in the
    other.

    Raises ValueError when a pattern does not fit the allocation.
    """
    return mechanism(allocation, first_pattern) + mechanism(allocation, second_pattern)


def pairs(allocation: Allocation) -> list[tuple[str, str]]:
    """All unordered pairs of patterns, each with itself too, in the order of the allocation's list."""
    patterns = allocation.patterns
    return [(first, second) for i, first in enumerate(patterns) for second in patterns[i:]]


def mechanism_name(allocation: Allocation, pattern: str) -> str:
    """M00, M01, ...: the position of a pattern in the allocation's list.

    Raises ValueError when it is not listed.
    """
    if pattern not in allocation.patterns:
        many = len(allocation.patterns)
        raise ValueError(f"{pattern[:80]!r} is not among the {many} patterns of {allocation.name}")
    return f"M{allocation.patterns.index(pattern):02d}"


def resolve_mechanism(allocation: Allocation, text: str) -> str:
    """The pattern meant by a pattern ("000000", listed or not) or by a mechanism name ("M00").

    For a joint allocation also one such text of each product, with + between them ("000000+M03").

    Raises ValueError, saying what is allowed, for anything else.
    """
    parts = text.split(SEPARATOR)
    if len(parts) == len(allocation.products) > 1:
        return "".join(map(resolve_mechanism, allocation.products, parts))
    number = text[1:]
    if text[:1] in ("M", "m") and number.isascii() and number.isdigit():
        if len(number) < 10 and int(number) < len(allocation.patterns):
            return allocation.patterns[int(number)]
        last = f"M{len(allocation.patterns) - 1:02d}"
        raise ValueError(f"{text[:80]!r} is not a mechanism of {allocation.name}; allowed are M00 to {last}")
    try:
        check_pattern(text, allocation.absorbing_levels, allocation.fixed_digits)
    except ValueError as error:
        what = "is neither a mechanism name such as M00 nor a pattern"
        raise ValueError(f"{text[:80]!r} {what}: {error}") from None
    return text
