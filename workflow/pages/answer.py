"""What a finished run answers, for a terminal: python -m workflow.pages.answer ALLOCATION"""

from __future__ import annotations

import argparse
from pathlib import Path

from kernels.intervals.text import short
from workflow.allocation.read import load_allocation
from workflow.numbers import percent_down, round_down, round_up
from workflow.pages.findings import find, headline
from workflow.results.tables import ReductionRow, SummaryRow
from workflow.script import run


def answer(results: Path) -> str:
    """Exact eps of the worst pair at the headline's delta, eps by zCDP, and the variance reduction that every
    pair has, each rounded to the safe side as in the report; and where that is.

    Raises ReportError when a table is missing or unusable.
    """
    summary = SummaryRow.read(results / "summary.csv")
    main = headline(find(summary, ReductionRow.read(results / "reductions.csv")))
    pairs = sum(row.delta == main.delta for row in summary)
    worst = main.worst
    kind = "eps at most" if worst.is_only_bounded else "exact eps"
    of = f"the worst of {pairs} pairs" if pairs > 1 else "the only pair"
    saved = percent_down(main.pair_range[0].reduction, 2).replace("\N{NO-BREAK SPACE}", " ")
    return (
        f"{results.name}, delta {short(main.delta)}: {kind} {round_up(worst.eps, 4)} in {of}, "
        f"{worst.label}; {round_down(worst.eps_zcdp, 4)} by the Census Bureau's zCDP conversion, for which "
        f"the noise variance could be {saved} smaller\n"
        f"report: {results / 'report.html'}"
    )


def main() -> None:
    """The command: see above."""
    parser = argparse.ArgumentParser(description=answer.__doc__)
    parser.add_argument("allocation", help="name or path of the allocation file")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of all results")
    options = parser.parse_args()
    print(answer(options.results / load_allocation(options.allocation).name))


if __name__ == "__main__":
    run(main)
