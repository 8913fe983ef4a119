"""Rule certify: the certificate of curves.h5. What does not hold is told in it, and in the report.

One that still stands is kept.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from kernels.certificate.document import as_text
from workflow.certificate.keep import USUAL_SAMPLE, stands
from workflow.certificate.make import Request, certify, first_problem
from workflow.files import write_text
from workflow.results.curves import open_results
from workflow.script import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", required=True, type=Path, help="result file to certify")
    parser.add_argument("--sample", type=int, help=f"values to re-derive; default: {USUAL_SAMPLE} or more")
    parser.add_argument("--jobs", required=True, type=int, help="processes")
    parser.add_argument("--out", required=True, type=Path, help="certificate.json")
    options = parser.parse_args()

    with open_results(options.curves) as results:
        digest = results.digest
    if stands(options.out, options.sample, digest):
        os.utime(options.out)  # newer than the results
        print(f"{options.out}: kept, since it is of these results and by this code")
        return
    certificate = certify(options.curves, Request(options.sample or USUAL_SAMPLE), jobs=options.jobs)
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
