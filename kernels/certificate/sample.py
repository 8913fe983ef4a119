"""Which values are checked: all, or a sample drawn by hashing, which anyone can repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

Value = tuple[str, str, int]  # group, quantity, index

#: Chances of the quantities in a draw, out of 256: the few eps and reductions are what people read.
CHANCES = {"alpha": 72, "beta": 72, "delta": 60, "epsilon": 24, "reduction": 24, "sieve": 4}


def draw(groups: Sequence[str], sizes: Mapping[str, Mapping[str, int]], size: int, seed: str) -> list[Value]:
    """`size` different values: a group, evenly, then a quantity by CHANCES, then an index, evenly.

    All values, in order, when there are no more than `size`, or when so many draws in a row repeat.
    """
    if size >= sum(sum(sizes[group].values()) for group in groups):
        return everything(groups, sizes)
    quantities = [quantity for quantity, chance in CHANCES.items() for _ in range(chance)]
    drawn: dict[Value, None] = {}
    turn = 0
    while len(drawn) < size and turn < 50 * size:
        number = int.from_bytes(hashlib.sha256(f"{seed}:{turn}".encode()).digest(), "big")
        number, place = divmod(number, len(groups))
        number, which = divmod(number, len(quantities))
        group, quantity = groups[place], quantities[which]
        count = sizes[group][quantity]
        if count:
            drawn[(group, quantity, number % count)] = None
        turn += 1
    return list(drawn)


def everything(groups: Sequence[str], sizes: Mapping[str, Mapping[str, int]]) -> list[Value]:
    """All values of all groups, in order."""
    return [
        (group, quantity, index)
        for group in groups
        for quantity, count in sizes[group].items()
        for index in range(count)
    ]
