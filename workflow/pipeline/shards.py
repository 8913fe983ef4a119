"""Splitting work into shards of nearly equal predicted cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace


@dataclass(frozen=True, slots=True)
class Work:
    """One unit of work: its name, its predicted cost in seconds, and the key of its result."""

    name: str
    cost: float
    key: str


def split(work: Iterable[Work], shards: int) -> list[list[str]]:
    """Names per shard. Work with the same key stays together, since one computation serves all of it.

    Costliest first, each to the shard that has least so far, so the most expensive shard costs at most 4/3 of
    the best possible. The same work gives the same shards whatever its order; within a shard names come in
    the order of `work`. Shards that get nothing are empty lists. Raises ValueError unless shards >= 1.
    """
    if shards < 1:
        raise ValueError(f"the number of shards must be at least 1, not {shards}")
    units = list(work)
    groups: dict[str, list[Work]] = {}
    for unit in units:
        groups.setdefault(unit.key, []).append(unit)
    loads = [(0.0, shard) for shard in range(shards)]
    heapify(loads)
    shard_of = {}
    for key, group in sorted(groups.items(), key=lambda entry: (-_cost(entry[1]), entry[0])):
        load, shard = loads[0]
        heapreplace(loads, (load + _cost(group), shard))
        shard_of[key] = shard
    names: list[list[str]] = [[] for _ in range(shards)]
    for unit in units:
        names[shard_of[unit.key]].append(unit.name)
    return names


def shard_names(shards: int) -> list[str]:
    """Names of the shards, of equal length, so that they sort as they are numbered."""
    return [f"{shard:0{max(3, len(str(shards - 1)))}d}" for shard in range(shards)]


def _cost(group: Sequence[Work]) -> float:
    return max(unit.cost for unit in group)
