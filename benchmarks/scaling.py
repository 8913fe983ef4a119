"""Strong scaling: the curves stage on 1, 2, ... ranks, and the task farm alone on many ranks that sleep.

python -m benchmarks.scaling --allocation dhc_persons_us --ranks 1 2 --repeats 3

Runs on different numbers of ranks take turns, so that a change of the machine's load meets all of them. Ranks
that sleep instead of computing show what rank 0 can serve, on more ranks than there are cores.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import command_line, show

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "workflow" / "scripts"
MPIEXEC = Path(sys.executable).with_name("mpiexec")
ITEM = 0.1  # seconds that a sleeping rank spends on an item


def launcher(ranks: int) -> list[str]:
    """What starts so many ranks on this machine."""
    return [str(MPIEXEC), "-n", str(ranks)] if ranks > 1 else []


def curves(plan: Path, folder: Path, ranks: int) -> dict[str, Any]:
    """The cost of one run of the curves stage, by its own account, and the load of the machine after it."""
    command = [
        *(*launcher(ranks), sys.executable, "-m", "mpi4py", str(SCRIPTS / "curves.py")),
        *("--plan", str(plan), "--shard", "000", "--tasks", str(ranks), "--checkpoint", "20"),
        *("--log", str(folder / "log"), "--stats", str(folder / "stats.json")),
        *("--out", str(folder / "000.h5")),
    ]
    subprocess.run(command, check=True, capture_output=True)
    stats = json.loads((folder / "stats.json").read_text())
    stats["load"] = os.getloadavg()[0]
    stats["cpu_efficiency"] = stats["kernel_cpu_seconds"] / stats["cpu_seconds"]
    return stats


def sleepers(ranks: int, items_per_rank: int) -> tuple[float, float]:
    """Efficiency of the farm alone (its share of time spent in items), and CPU seconds of rank 0 per item."""
    items = ranks * items_per_rank
    command = [*launcher(ranks), sys.executable, "-m", "mpi4py", "-m", "tests.workflow.pipeline.farm_program"]
    done = subprocess.run(
        [*command, str(items), "slow"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    return ITEM * items_per_rank / report["wall_seconds"], report["cpu_seconds"][0] / items


def main() -> None:
    parser = command_line(__doc__, "allocation", "repeats")
    parser.set_defaults(repeats=3)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--sleepers", type=int, nargs="*", default=[2, 8, 32, 64])
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        plan = Path(scratch, "mechanisms.json")
        planning = [sys.executable, str(SCRIPTS / "mechanisms.py"), "--allocation", options.allocation]
        subprocess.run([*planning, "--shards", "1", "--out", str(plan)], check=True)
        runs: dict[int, list[dict[str, Any]]] = {ranks: [] for ranks in options.ranks}
        for repeat in range(options.repeats):
            for ranks in options.ranks:
                folder = Path(scratch, f"{ranks}-{repeat}")
                folder.mkdir()
                runs[ranks].append(curves(plan, folder, ranks))

    columns = {
        "wall s": ("wall_seconds", ".1f"),
        "CPU s": ("cpu_seconds", ".1f"),
        "kernels' CPU s": ("kernel_cpu_seconds", ".1f"),
        "CPU efficiency": ("cpu_efficiency", ".3f"),
        "load": ("load", ".1f"),
    }
    rows = [
        [str(ranks), *(" ".join(f"{run[key]:{form}}" for run in turns) for key, form in columns.values())]
        for ranks, turns in runs.items()
    ]
    show("stage curves", ["ranks", *columns], rows)
    first = options.ranks[0]
    for ranks in options.ranks[1:]:
        turns = list(zip(runs[first], runs[ranks], strict=True))
        ratios = [many["cpu_efficiency"] / one["cpu_efficiency"] for one, many in turns]
        speed_ups = [one["wall_seconds"] / many["wall_seconds"] for one, many in turns]
        print(f"{ranks} ranks against {first}: CPU efficiency", *(f"{ratio:.3f}" for ratio in ratios))
        print("  speed-up", *(f"{speed_up:.2f}" for speed_up in speed_ups))
    for ranks in options.sleepers:
        efficiency, cpu = sleepers(ranks, 20)
        print(f"{ranks} sleeping ranks: efficiency {efficiency:.3f}, rank 0 {1000 * cpu:.2f} ms per item")


if __name__ == "__main__":
    main()
