"""Rule scan: all shards of a scan into curves.h5, the usual tables, and scan.csv, by candidate."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.design.scan import load_scan
from workflow.design.scan_table import scan_table
from workflow.files import write_text
from workflow.pipeline.merge import Outputs, aggregate
from workflow.pipeline.plan import read_work_plan
from workflow.results.curves import open_results
from workflow.script import run
from workflow.words import how_many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", required=True, type=Path, help="the scan file")
    parser.add_argument("--plan", required=True, type=Path, help="mechanisms.json of the scan")
    Outputs.add_options(parser)
    parser.add_argument("--out", required=True, type=Path, help="scan.csv to write")
    parser.add_argument("shards", nargs="+", type=Path, help="result files of the shards")
    options = parser.parse_args()

    scan = load_scan(options.scan)
    digest = aggregate(read_work_plan(options.plan), options.shards, Outputs.chosen(options))
    with open_results(options.curves) as results:
        write_text(options.out, scan_table(scan, results))
    print(f"{options.out}: {how_many(len(scan.candidates), 'candidates')}, digest {digest}")


if __name__ == "__main__":
    run(main)
