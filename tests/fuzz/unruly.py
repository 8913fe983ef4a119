"""A run of cases of which two end their worker and one sleeps, for the test of the worker."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.fuzz.worker import Outcome, Program, main

CRASHES, HANGS, BROKEN, SLEEPS = 1, 2, 4, 6


def one(seed: int, index: int) -> Outcome:
    """A case that is fine, but for those of the numbers above."""
    if index == CRASHES:
        os._exit(3)
    while index == HANGS:
        pass
    if index == SLEEPS:
        time.sleep(60)
    return {"index": index, "status": "told", "reason": "", "faults": ["broken"] * (index == BROKEN)}


def summary(records: list[Outcome]) -> list[str]:
    """Which cases there were, and what became of them."""
    return [" ".join(f"{record['index']}:{record['status']}" for record in records)]


PROGRAM = Program("tests.fuzz.unruly", __doc__ or "", one, summary, Path("unruly.jsonl"), 6, 0.5)

if __name__ == "__main__":
    sys.exit(main(PROGRAM))
