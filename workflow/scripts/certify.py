"""Rule certify: the certificate of curves.h5. What does not hold is told in it, and in the report."""

from __future__ import annotations

import argparse
from pathlib import Path

from kernels.certificate.document import as_text
from workflow.lib.atomic import write_text
from workflow.lib.certify import Request, certify, first_problem
from workflow.lib.script import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", required=True, type=Path, help="result file to certify")
    parser.add_argument("--sample", required=True, type=int, help="number of values to derive anew")
    parser.add_argument("--jobs", required=True, type=int, help="processes")
    parser.add_argument("--out", required=True, type=Path, help="certificate.json")
    options = parser.parse_args()

    certificate = certify(options.curves, Request(options.sample), jobs=options.jobs)
    write_text(options.out, as_text(certificate))
    verdict = certificate["verdict"]
    outcome = {"passed": "passed", "partly": "PASSED IN PART: ", "failed": "NOT PASSED: "}[verdict["outcome"]]
    outcome += "" if verdict["passed"] else first_problem(certificate)
    print(
        f"{options.out}: {verdict['values_hold']} of {verdict['values_checked']} values proven to hold, "
        f"{verdict['fault_count']} faults; {outcome}"
    )


if __name__ == "__main__":
    run(main)
