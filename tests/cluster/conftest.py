"""The two-node Slurm must run; `make test-cluster` sees to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import runs


@pytest.fixture(scope="session", autouse=True)
def slurm(request: pytest.FixtureRequest) -> None:
    if runs.cluster("status").returncode != 0:
        pytest.exit("the two-node Slurm does not run; use `make test-cluster`", returncode=2)


@pytest.fixture(scope="session")
def slice_allocation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The DHC with four of its bypass patterns."""
    return runs.write_slice(tmp_path_factory.mktemp("slice"))
