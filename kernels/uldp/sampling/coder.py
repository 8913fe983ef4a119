"""The parameters of a mechanism as arrays, for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: How reports are drawn: a k-subset; a block of a list; a bit per sensitive symbol; a hash function and a
#: value.
SUBSET, LISTED, BITS, HASH = range(4)

#: Columns of Coder.chances: cumulative share of the class; probability that a sensitive symbol's report
#: supports it; that another symbol is named; that a report with a name carries a random block all the same;
#: that a bit which is not the client's own is set (BITS).
LIKELY, HIT, NAMED, PAIRED, FLIP = range(5)

_NONE = np.zeros(0, dtype=np.int64)


class Coder(NamedTuple):
    """J classes of reports.

    chances: float64 [J, 5]. size: int64 [J], k (SUBSET) or the number of hash values (HASH).

    LISTED: rows of different lengths, row i is items[start[i] : start[i+1]]. First come `blocks` rows with
    the blocks, then J v rows with the numbers of the blocks of class j that hold symbol s, then J v rows with
    those that do not, then J rows with all of class j.
    """

    kind: int
    chances: NDArray[np.float64]
    size: NDArray[np.int64]
    blocks: int = 0
    start: NDArray[np.int64] = _NONE
    items: NDArray[np.int64] = _NONE


def new_coder(
    kind: int,
    *,
    hit: Sequence[float],
    named: Sequence[float],
    likely: Sequence[float] = (1.0,),
    paired: float = 0.0,
    size: Sequence[int] = (0,),
    flip: float = 0.0,
) -> Coder:
    """A coder without lists; one entry per class, but `paired` and `flip`, which are the same for all."""
    same = np.ones(len(likely))
    chances = np.stack([likely, hit, named, paired * same, flip * same], axis=1)
    return Coder(kind, chances, np.array(size, dtype=np.int64))


def with_lists(coder: Coder, families: Sequence[Sequence[Sequence[int]]], symbols: int) -> Coder:
    """The same with the blocks of every class."""
    first = np.cumsum([0, *(len(family) for family in families)])
    blocks = [block for family in families for block in family]
    holding, missing = [], []
    for family, start in zip(families, first[:-1], strict=True):
        sets = [set(block) for block in family]
        for s in range(symbols):
            holding.append([start + i for i, block in enumerate(sets) if s in block])
            missing.append([start + i for i, block in enumerate(sets) if s not in block])
    every = [range(low, high) for low, high in pairwise(first)]
    rows = [*blocks, *holding, *missing, *every]
    return coder._replace(
        kind=LISTED,
        blocks=len(blocks),
        start=np.cumsum([0, *map(len, rows)]),
        items=np.array([item for row in rows for item in row], dtype=np.int64),
    )
