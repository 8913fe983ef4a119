"""Rule uldp_report: the self-contained report.html of a study's results."""

from __future__ import annotations

import argparse
from pathlib import Path

from workflow.files import atomic_path
from workflow.pages.study_page import build_study_report
from workflow.script import run
from workflow.study.read import load_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", required=True, help="name or path of the study file")
    parser.add_argument("--results", required=True, type=Path, help="folder with the tables and study.h5")
    parser.add_argument("--out", required=True, type=Path, help="report.html")
    options = parser.parse_args()

    study = load_study(options.study)
    with atomic_path(options.out) as temporary:
        build_study_report(options.results, study, temporary)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    run(main)
