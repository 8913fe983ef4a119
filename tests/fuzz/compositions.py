"""Random compositions against independent references: `python -m tests.fuzz.compositions --cases 10000`.

Every case is a line of OUT, and a run that is started again goes on where it stopped. The last lines say
what came out.
"""

from __future__ import annotations

import math
import re
import sys
import traceback
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.fuzz.compare import LIGHT, MIDDLE, TooLarge, compare
from tests.fuzz.draw import FINE, KINDS, WIDE, case
from tests.fuzz.worker import Program, main

_LARGER, _ANY_SIZE, _ANY_FINE = 25, 500, 40  # one in so many cases may be larger, or of any size
_REDRAWN = 12


def one(seed: int, index: int) -> dict[str, Any]:
    """The outcome of one case. A composition that is too large for it is drawn anew, a few times."""
    for redrawn in range(_REDRAWN + 1):
        drawn = case(seed, index, redrawn)
        larger = drawn.kind == WIDE or index % _LARGER == 0
        any_size = index % _ANY_SIZE == 0 or (drawn.kind in FINE and index % _ANY_FINE == 0)
        most = math.inf if any_size else MIDDLE if larger else LIGHT
        try:
            record = asdict(compare(drawn, most))
            break
        except TooLarge:
            record = {"status": "too large", "kind": drawn.kind, "faults": []}
        except Exception:
            record = {"status": "crash", "reason": traceback.format_exc(), "kind": drawn.kind, "faults": []}
            break
    cells = {str(rho): count for rho, count in drawn.cells.items()}
    outcome = {"index": index, "redrawn": redrawn, "distinct": len(cells), **record}
    bad = record["faults"] or record["status"] == "crash"
    return outcome | ({"cells": cells, "asked": repr(drawn)} if bad else {})


def summary(records: list[dict[str, Any]]) -> list[str]:
    """What came out, in lines."""
    lines = []
    states = Counter(record["status"] for record in records)
    lines.append(f"compositions: {len(records)}; " + ", ".join(f"{n} {s}" for s, n in states.most_common()))
    told = [record for record in records if "worst" in record]
    reasons = Counter(re.sub(r"[0-9.e+]*[0-9][0-9.e+]*", "#", r["reason"]) for r in told if r["reason"])
    lines += [f"refused: {number} x {reason}" for reason, number in reasons.most_common()]
    kinds = Counter((record["kind"], record["status"] == "refused") for record in told)
    shares = (f"{kind} {kinds[kind, True]} of {kinds[kind, True] + kinds[kind, False]}" for kind in KINDS)
    lines.append("refused by kind: " + ", ".join(shares))
    truths = Counter(record["truth"] for record in told if record["truth"])
    lines.append("references: " + ", ".join(f"{name} {number}" for name, number in truths.most_common()))
    lines.append(f"drawn anew because too large: {sum(record.get('redrawn', 0) for record in records)}")
    rated, held = (sum(record[key] for record in told) for key in ("rated", "held"))
    lines.append(f"comparisons: {held}, of them {rated} with a reference sharp enough to tell the error")
    for lumpy in (False, True):
        some = [record for record in told if record["lumpy"] is lumpy]
        lines.append(f"{'Some sigma^2 below' if lumpy else 'Every sigma^2 at least'} 1/5: {len(some)}")
        for quantity in sorted({name for record in some for name in record["worst"]}):
            worst = max(some, key=lambda record, name=quantity: record["worst"].get(name, -1.0))
            share = worst["worst"][quantity]
            shown = math.floor(1e4 * share) / 1e4 if share < 1.0 else share  # below 1 is not shown as 1
            lines.append(f"  worst error over bound, {quantity}: {shown:.4g} (case {worst['index']})")
        for key, name in (("relative", "error"), ("widest", "bound")):
            most = max((record[key] for record in some), default=0.0)
            lines.append(f"  worst relative {name} of delta: {most:.3g}")
    slowest = max((record["seconds"] for record in told), default=0.0)
    lines.append(f"slowest answer: {slowest:.1f} s")
    return lines


PROGRAM = Program(
    "tests.fuzz.compositions",
    __doc__ or "",
    one,
    summary,
    Path("results/fuzz/compositions.jsonl"),
    10_000,
    180.0,
)

if __name__ == "__main__":
    sys.exit(main(PROGRAM))
