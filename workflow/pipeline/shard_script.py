"""What the MPI scripts of a shard share: their options, and which rank leads."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workflow.pipeline.mpi_world import world
from workflow.pipeline.shard import ShardFiles
from workflow.pipeline.termination import end_early_on_sigterm, outlive_sigterm
from workflow.progress import Mode

#: What rank 0 does: world, file of the plan, shard, files, progress, seconds between checkpoints.
Lead = Callable[[Any, Path, str, ShardFiles, Mode, float], None]
#: What any other rank does: world, log.
Follow = Callable[[Any, Path], None]


def run_ranks(description: str | None, plan: str, follow: Follow, lead: Lead) -> None:
    """Read the command line and take this rank's part in the shard; `plan`: name of the plan's file."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(f"--{Path(plan).stem}", dest="plan", required=True, type=Path, help=plan)
    parser.add_argument("--shard", required=True, help="name of the shard")
    parser.add_argument("--tasks", type=int, help="number of ranks that were asked for, to be checked")
    parser.add_argument("--progress", choices=("auto", "bar", "lines"), default="auto")
    parser.add_argument("--checkpoint", required=True, type=float, help="seconds between keeping results")
    parser.add_argument("--log", required=True, type=Path)
    parser.add_argument("--stats", required=True, type=Path, help="cost of this run, JSON")
    parser.add_argument("--out", required=True, type=Path, help="result file of the shard")
    options = parser.parse_args()

    communicator = world(options.tasks)
    if communicator is not None and communicator.rank > 0:
        outlive_sigterm()
        follow(communicator, options.log)
        return
    logging.basicConfig(filename=options.log, level=logging.INFO, format="%(asctime)s %(message)s")
    end_early_on_sigterm()
    files = ShardFiles(options.out, options.stats, options.log)
    lead(communicator, options.plan, options.shard, files, options.progress, options.checkpoint)
