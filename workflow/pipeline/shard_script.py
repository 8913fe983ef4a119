"""The command line of a script that computes a shard, and which rank leads."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workflow.pipeline.mpi_world import world
from workflow.pipeline.plan import Plan
from workflow.pipeline.shard import ShardFiles, follow, run_shard
from workflow.pipeline.termination import end_early_on_sigterm, outlive_sigterm


def shard_script(
    description: str | None, kind: type[Plan[Any, Any, Any]], compute: Callable[[Any], Any]
) -> None:
    """Read the command line and take this rank's part in the shard.

    kind: of the plan; compute: the record of a task of it.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--plan", required=True, type=Path, help="the plan")
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
        follow(communicator, compute, options.log)
        return
    logging.basicConfig(filename=options.log, level=logging.INFO, format="%(asctime)s %(message)s")
    end_early_on_sigterm()
    files = ShardFiles(options.out, options.stats, options.log)
    plan, checkpoint = kind.read(options.plan), options.checkpoint
    run_shard(communicator, plan, compute, options.shard, files, options.progress, checkpoint)
