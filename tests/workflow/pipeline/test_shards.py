"""Shards: everything once, equal keys together, balanced, independent of order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow.pipeline.shards import Work, shard_names, split

WORK = st.lists(st.tuples(st.floats(0, 100), st.integers(0, 20)), max_size=40).map(
    lambda parts: [Work(f"w{i}", cost, f"key{key}") for i, (cost, key) in enumerate(parts)]
)


@given(WORK, st.integers(1, 9))
def test_every_name_once_and_equal_keys_together(work: list[Work], shards: int) -> None:
    result = split(work, shards)
    assert len(result) == shards
    assert sorted(name for names in result for name in names) == sorted(unit.name for unit in work)
    shard_of = {name: shard for shard, names in enumerate(result) for name in names}
    for unit in work:
        assert {shard_of[other.name] for other in work if other.key == unit.key} == {shard_of[unit.name]}


@given(WORK, st.integers(1, 9), st.randoms(use_true_random=False))
def test_order_does_not_count(work: list[Work], shards: int, shuffler: random.Random) -> None:
    shuffled = work.copy()
    shuffler.shuffle(shuffled)
    assert [set(names) for names in split(shuffled, shards)] == [set(names) for names in split(work, shards)]


def test_costs_are_balanced_not_counts() -> None:
    work = [Work("heavy", 90.0, "h"), *(Work(f"light{i}", 1.0, f"l{i}") for i in range(90))]
    assert sorted(map(len, split(work, 2))) == [1, 90]


def test_names_sort_as_they_are_numbered() -> None:
    assert shard_names(1) == ["000"]
    assert shard_names(1001)[-1] == "1000"
    assert shard_names(1001) == sorted(shard_names(1001))


def test_no_shards_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        split([], 0)
