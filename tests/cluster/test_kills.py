"""A few of the kills of `make test-kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import kills

pytestmark = pytest.mark.cluster


def test_two_tasks_for_one_shard_leave_one_valid_file(tmp_path: Path) -> None:
    both, _ = kills.race(tmp_path, 2)
    assert both == 2


def test_killed_writer_rank_and_node_lose_nothing(tmp_path: Path) -> None:
    tally = kills.Tally()
    expected, seconds = kills.undisturbed(subject := kills.shard_subject(tmp_path))
    for seed, target in enumerate(("writer", "writer", "rank", "node")):
        subject.targets = (target,)
        kills.Killer(subject, expected, seconds, seed, tally).run(1)
    assert tally.kills == {"writer": 2, "rank": 1, "node": 1}
    assert tally.finished >= 4
