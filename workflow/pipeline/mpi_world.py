"""The ranks of one run, and whether they are as many as were asked for and started."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from workflow.errors import PlainError

# What launchers tell each copy about how many copies they started.
_LAUNCHED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "PALS_NRANKS", "MV2_COMM_WORLD_SIZE")


class LaunchError(PlainError):
    """One line that says how the ranks were started wrongly, and the fix."""


def world(expected: int | None = None, environment: Mapping[str, str] = os.environ) -> Any:
    """The communicator of all ranks, or None when there is one rank only (then no MPI is needed).

    expected: the number of ranks that were asked for. Raises LaunchError when MPI sees another number, or one
    rank where the launcher says that it started several: each copy would do all of the work.
    """
    try:
        from mpi4py import MPI  # starts MPI, and fails where there is no library of it
    except (ImportError, RuntimeError) as error:  # no mpi4py, or no MPI library
        check_world(1, expected, environment, f"MPI cannot be loaded: {error}")
        return None
    communicator = MPI.COMM_WORLD
    check_world(communicator.size, expected, environment, f"this process uses {_library(MPI)}")
    return communicator if communicator.size > 1 else None


def check_world(size: int, expected: int | None, environment: Mapping[str, str], about: str) -> None:
    """Raise LaunchError unless `size` ranks is what the launcher started and what was expected."""
    if size == 1:
        for name in _LAUNCHED:
            text = environment.get(name, "")
            if text.isdigit() and int(text) > 1:
                mpiexec = os.path.join(os.path.dirname(sys.executable), "mpiexec")
                raise LaunchError(
                    f"{text} copies were started ({name}={text}), but each is alone: the launcher and MPI do "
                    f"not fit each other ({about}). Start them with `srun --mpi=pmi2` or with the mpiexec of "
                    f"that MPI library; with the pip installation it is {mpiexec}"
                )
    if expected is not None and size != expected:
        raise LaunchError(
            f"{expected} ranks were asked for, but MPI sees {size} ({about}). "
            f"Start with `mpiexec -n {expected}` or `srun --mpi=pmi2 -n {expected}`, or ask for {size}"
        )


def _library(mpi: Any) -> str:
    return mpi.Get_library_version().split("\n")[0].strip("\0 ").replace("\t", " ")
