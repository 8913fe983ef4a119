"""Rule uldp_report: the self-contained report.html of a study's results."""

from __future__ import annotations

from pathlib import Path

from workflow.files import atomic_path
from workflow.pages.study_page import build_study_report
from workflow.script import options, run
from workflow.study.read import load_study


def main() -> None:
    asked = options(__doc__, study=str, results=Path, out=Path)
    study = load_study(asked.study)
    with atomic_path(asked.out) as temporary:
        build_study_report(asked.results, study, temporary)
    print(f"{asked.out}: {asked.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    run(main)
