"""A few of the kills of `make test-kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import kills

pytestmark = pytest.mark.cluster


def test_two_tasks_for_one_shard_leave_one_valid_file(tmp_path: Path) -> None:
    both, _ = kills.race(tmp_path, 2)
    assert both == 2


def test_killed_writers_and_ranks_lose_nothing(tmp_path: Path) -> None:
    tally = kills.Tally()
    kills.kill_shards(tmp_path, 4, seed=1, tally=tally, targets=("writer", "rank"))
    assert tally.kills.total() == 4
    assert tally.finished >= 1


def test_lost_node_and_killed_driver_lose_nothing(tmp_path: Path) -> None:
    tally = kills.Tally()
    kills.kill_runs(tmp_path, 2, seed=2, tally=tally, targets=("driver",))
    assert tally.finished >= 1
