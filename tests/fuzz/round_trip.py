"""Printed figures fed back in: `python -m tests.fuzz.round_trip --cases 1000`.

For random compositions the command line is asked for eps, delta, tails and the variance reduction. What its
table and its JSON document print is read as text and asked about again: the printed promise must hold.
Every case is a line of OUT, and a run that is started again goes on where it stopped.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.fuzz.compare import likely_nodes
from tests.fuzz.draw import Case, case
from tests.fuzz.worker import Outcome, Program, main
from tests.reference.cells import Cells
from workflow.cli.main import main as command_line
from workflow.errors import INTERRUPTED, REFUSED

_MOST_NODES = 2_000
_UNSURE = "no certain answer"  # so the command line begins when a check on its own numbers fails


class Refused(Exception):
    """The command line refused to answer."""


@dataclass
class Trip:
    """How many promises were held to, which do not hold, and what was refused."""

    held: int = 0
    broken: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def demand(self, condition: bool, otherwise: str) -> None:
        """Count a promise; note it unless it holds."""
        self.held += 1
        if not condition:
            self.broken.append(otherwise)


class Desk:
    """Asks the command line about one composition."""

    def __init__(self, cells: Cells, file: Path) -> None:
        self._file = file
        file.write_text(json.dumps({str(rho): str(count) for rho, count in cells.items()}))

    def about(self, cells: Cells) -> Desk:
        """One for another composition."""
        return Desk(cells, self._file.with_name("scaled.json"))

    def rows(self, command: str, option: str, numbers: Iterable[str]) -> list[dict[str, str]]:
        """The rows of the JSON document, one for each number. Raises Refused."""
        document: dict[str, Any] = json.loads(self._ask(command, option, numbers, "--json"))
        return document["rows"]

    def table(self, command: str, option: str, numbers: Iterable[str]) -> list[list[str]]:
        """The rows of the table, as printed. Raises Refused."""
        lines = self._ask(command, option, numbers).splitlines()
        ruler = next(place for place, line in enumerate(lines) if line.startswith("──"))
        rows = lines[ruler + 1 : lines.index("", ruler)] if "" in lines[ruler:] else lines[ruler + 1 :]
        return [row.replace(" %", "").split() for row in rows]

    def _ask(self, command: str, option: str, numbers: Iterable[str], *more: str) -> str:
        asked = [command, "--cells", str(self._file), f"{option}={','.join(numbers)}", *more]
        done = CliRunner().invoke(command_line, asked)
        if done.exit_code == INTERRUPTED:
            raise KeyboardInterrupt
        if (
            done.exit_code == REFUSED
            and isinstance(done.exception, SystemExit)
            and _UNSURE not in done.stderr
        ):
            raise Refused(done.stderr)
        assert done.exit_code == 0, f"{asked}: {done.exception!r}, {done.output.strip()}"
        return done.stdout


def round_trip(drawn: Case, folder: Path) -> Trip:
    """Hold the command line to everything that it prints about one case."""
    trip, desk = Trip(), Desk(drawn.cells, folder / "cells.json")
    for part in (_epsilon, _profile, _reduction):
        try:
            part(trip, desk, drawn)
        except Refused as refused:
            trip.refused.append(str(refused))
    return trip


def _epsilon(trip: Trip, desk: Desk, drawn: Case) -> None:
    delta, asked = drawn.delta, ("epsilon", "--delta", [_decimal(drawn.delta)])
    [row], [printed] = desk.rows(*asked), desk.table(*asked)
    lower, value, upper = (Fraction(row[key]) for key in ("eps_lower", "eps", "eps_upper"))
    trip.demand(lower <= value <= upper <= Fraction(printed[1]), f"eps: {printed}, {row}")
    # What is printed as eps, and the conversions of zCDP, which are bounds on it.
    safe = [*printed[1:4], *(row[f"{key}_upper"] for key in ("eps", "eps_zcdp", "eps_cks20"))]
    *met, missed = desk.rows("profile", "--eps", [*safe, row["eps_lower"]])
    for eps, again in zip(safe, met, strict=True):
        trip.demand(Fraction(again["delta_lower"]) <= delta, f"at eps {eps}: {again}, above {delta}")
    if lower > 0:
        sharp = Fraction(missed["delta_upper"]) >= delta
        trip.demand(sharp, f"at eps {row['eps_lower']}: {missed}, below {delta}")


def _profile(trip: Trip, desk: Desk, drawn: Case) -> None:
    asked = [eps for eps in drawn.eps if abs(eps) < 700]
    if not asked:
        return
    question = ("profile", "--eps", [str(eps) for eps in asked])
    promised = []
    for eps, row, printed in zip(asked, desk.rows(*question), desk.table(*question), strict=True):
        for place, name in enumerate(("delta", "alpha", "power"), start=1):
            lower, value, upper = (Fraction(row[name + end]) for end in ("_lower", "", "_upper"))
            trip.demand(lower <= value <= upper, f"{name}: {row}")
            shown = Fraction(printed[place])
            trip.demand(shown <= lower if name == "alpha" else upper <= shown, f"{name}: {printed}, {row}")
        deltas = (printed[1], row["delta_upper"])
        promised += [(eps, delta) for delta in deltas if eps >= 0 and 0 < Fraction(delta) <= 1]
    if promised:
        found = desk.rows("epsilon", "--delta", [delta for _, delta in promised])
        for (eps, delta), again in zip(promised, found, strict=True):
            trip.demand(Fraction(again["eps_lower"]) <= eps, f"at delta {delta}: {again}, above {eps}")


def _reduction(trip: Trip, desk: Desk, drawn: Case) -> None:
    if not drawn.reduction:
        return
    asked = ("reduction", "--delta", [_decimal(drawn.delta)])
    [row], [printed] = desk.rows(*asked), desk.table(*asked)
    share, scale, sure = Fraction(printed[2]) / 100, Fraction(printed[3]), Fraction(row["scale_lower"])
    trip.demand(share <= Fraction(row["reduction_lower"]) and scale <= sure, f"reduction: {printed}, {row}")
    for factor in (1 / (1 - share), scale, sure):
        scaled = desk.about({rho * factor: count for rho, count in drawn.cells.items()})
        [again] = scaled.rows("profile", "--eps", [printed[1]])
        trip.demand(Fraction(again["delta_lower"]) <= drawn.delta, f"all rhos times {factor}: {again}")


def _decimal(delta: Fraction) -> str:
    """A delta with few digits as text, however small."""
    return str(Decimal(delta.numerator) / delta.denominator)


def light_case(seed: int, index: int) -> Case:
    """The first drawn case of this number that is quickly answered."""
    attempt = 0
    while True:
        drawn = case(seed, index, attempt)
        if likely_nodes(drawn.cells) < _MOST_NODES:
            return drawn
        attempt += 1
        index += attempt % 3 and 100_000  # another kind, where this one hardly ever is


def one(seed: int, index: int) -> Outcome:
    """The outcome of one case."""
    drawn = light_case(seed, index)
    outcome = {"index": index, "kind": drawn.kind, "status": "asked", "reason": "", "faults": [], "held": 0}
    try:
        with tempfile.TemporaryDirectory() as folder:
            trip = round_trip(drawn, Path(folder))
        outcome |= {"held": trip.held, "faults": trip.broken, "refused": len(trip.refused)}
        if trip.refused:
            outcome |= {"status": "refused in part" if trip.held else "refused", "reason": trip.refused[0]}
    except Exception:
        outcome |= {"status": "crash", "reason": traceback.format_exc()}
    return outcome


def summary(records: list[Outcome]) -> list[str]:
    """What came out, in lines."""
    states = Counter(record["status"] for record in records)
    held = sum(record.get("held", 0) for record in records)
    told = ", ".join(f"{number} {name}" for name, number in states.most_common())
    broken = sum(len(record["faults"]) for record in records)
    return [f"compositions: {len(records)}; {told}", f"promises: {held}, broken: {broken}"]


PROGRAM = Program(
    "tests.fuzz.round_trip", __doc__ or "", one, summary, Path("results/fuzz/round_trip.jsonl"), 1000, 120.0
)

if __name__ == "__main__":
    sys.exit(main(PROGRAM))
