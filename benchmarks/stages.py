"""Wall and CPU seconds and peak memory of every stage of the pipeline, from nothing, in a temporary folder.

python -m benchmarks.stages --allocation dhc_persons_us --tasks 2
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import command_line, show
from workflow.allocation.read import find_allocation, load_allocation

ROOT = Path(__file__).parents[1]
STAGES = ("mechanisms", "curves", "aggregate", "certify", "report")


def run(allocation: Path, tasks: int, folder: Path) -> float:
    """Run the workflow in a folder; wall seconds of the whole command."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--workflow-profile", str(ROOT / "workflow" / "profiles" / "default")),
        *("--cores", str(tasks), "--directory", str(folder), "--quiet", "all"),
        *("--config", f"allocation={allocation}"),
    ]
    start = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - start


def stage_cost(folder: Path, stage: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak memory (MB, all ranks together) of one stage, of one shard.

    CPU seconds are the ranks' own account where there is one.
    """
    name = "curves/000" if stage == "curves" else stage
    with (folder / "benchmarks" / f"{name}.tsv").open(newline="") as stream:
        row = next(csv.DictReader(stream, delimiter="\t"))
    if stage == "curves":
        stats = json.loads((folder / "curves" / "000.stats.json").read_text())
        return float(row["s"]), stats["cpu_seconds"], float(row["max_rss"])
    return float(row["s"]), float(row["cpu_time"]), float(row["max_rss"])


def main() -> None:
    options = command_line(__doc__, "allocation", "tasks").parse_args()
    allocation = load_allocation(options.allocation)
    path = find_allocation(options.allocation).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        total = run(path, options.tasks, Path(scratch))
        folder = Path(scratch) / "results" / allocation.name
        costs = {stage: stage_cost(folder, stage) for stage in STAGES}
    rows = [
        [stage, f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.0f}"] for stage, (wall, cpu, memory) in costs.items()
    ]
    rows.append(["whole command", f"{total:.1f}", "", ""])
    title = f"{allocation.name}, {options.tasks} ranks"
    show(title, ["stage", "wall seconds", "CPU seconds", "peak MB"], rows)


if __name__ == "__main__":
    main()
