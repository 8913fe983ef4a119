"""Rule scan: all shards of a scan into curves.h5, the usual tables, and scan.csv, by candidate."""

from __future__ import annotations

from workflow.census.plan import CensusPlan
from workflow.design.scan import load_scan
from workflow.design.scan_table import scan_table
from workflow.files import write_text
from workflow.pipeline.merge import merge_script
from workflow.results.curves import open_results
from workflow.script import run
from workflow.words import how_many


def main() -> None:
    options = merge_script(__doc__, CensusPlan, ["summary", "reductions", "attack"], ["scan", "out"])
    scan = load_scan(options.scan)
    with open_results(options.results) as results:
        write_text(options.out, scan_table(scan, results))
    print(f"{options.out}: {how_many(len(scan.candidates), 'candidates')}")


if __name__ == "__main__":
    run(main)
