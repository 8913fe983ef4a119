"""Printed figures fed back in: `python -m tests.fuzz.round_trip --cases 1000`.

For random compositions the command line is asked for eps, delta, tails and the variance reduction. What its
table and its JSON document print is read as text and asked about again: the printed promise must hold.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.fuzz.compare import likely_nodes
from tests.fuzz.draw import Case, case
from tests.reference.cells import Cells
from workflow.cli.main import main as command_line

_MOST_NODES = 2_000


class Refused(Exception):
    """The command line refused to answer."""


@dataclass
class Trip:
    """How many promises were held to, and which do not hold."""

    held: int = 0
    broken: list[str] = field(default_factory=list)

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

    def row(self, command: str, option: str, number: str) -> dict[str, str]:
        """The row of the JSON document for one number."""
        document: dict[str, Any] = json.loads(self._ask(command, option, number, "--json"))
        return document["rows"][0]

    def table(self, command: str, option: str, number: str) -> list[str]:
        """The row of the table for one number, as printed."""
        lines = self._ask(command, option, number).splitlines()
        ruler = next(place for place, line in enumerate(lines) if line.startswith("──"))
        return lines[ruler + 1].replace(" %", "").split()

    def _ask(self, command: str, option: str, number: str, *more: str) -> str:
        asked = [command, "--cells", str(self._file), f"{option}={number}", *more]
        done = CliRunner().invoke(command_line, asked)
        if done.exit_code == 1 and isinstance(done.exception, SystemExit):
            raise Refused(done.stderr)
        assert done.exit_code == 0, f"{asked}: {done.output} {done.exception}"
        return done.stdout


def round_trip(drawn: Case, folder: Path) -> Trip:
    """Hold the command line to everything that it prints about one case. Raises Refused."""
    trip, desk = Trip(), Desk(drawn.cells, folder / "cells.json")
    _epsilon(trip, desk, drawn.delta)
    for eps in drawn.eps:
        if abs(eps) < 700:
            _profile(trip, desk, eps)
    if drawn.reduction:
        _reduction(trip, desk, drawn, folder / "scaled.json")
    return trip


def _epsilon(trip: Trip, desk: Desk, delta: Fraction) -> None:
    row, printed = (ask("epsilon", "--delta", _decimal(delta)) for ask in (desk.row, desk.table))
    lower, value, upper = (Fraction(row[key]) for key in ("eps_lower", "eps", "eps_upper"))
    trip.demand(lower <= value <= upper <= Fraction(printed[1]), f"eps: {printed}, {row}")
    # What is printed as eps, and the conversions of zCDP, which are bounds on it.
    for eps in (
        printed[1],
        row["eps_upper"],
        printed[2],
        row["eps_zcdp_upper"],
        printed[3],
        row["eps_cks20_upper"],
    ):
        again = desk.row("profile", "--eps", eps)
        trip.demand(Fraction(again["delta_lower"]) <= delta, f"at eps {eps}: {again}, above {delta}")
    if lower > 0:
        again = desk.row("profile", "--eps", row["eps_lower"])
        trip.demand(
            Fraction(again["delta_upper"]) >= delta, f"at eps {row['eps_lower']}: {again}, below {delta}"
        )


def _profile(trip: Trip, desk: Desk, eps: Fraction) -> None:
    row, printed = (ask("profile", "--eps", str(eps)) for ask in (desk.row, desk.table))
    for name in ("delta", "alpha", "power"):
        lower, value, upper = (Fraction(row[name + end]) for end in ("_lower", "", "_upper"))
        trip.demand(lower <= value <= upper, f"{name}: {row}")
        shown = Fraction(printed[1 + ("delta", "alpha", "power").index(name)])
        trip.demand(shown <= lower if name == "alpha" else upper <= shown, f"{name}: {printed}, {row}")
    for delta in (printed[1], row["delta_upper"]):
        if eps >= 0 and 0 < Fraction(delta) <= 1:
            again = desk.row("epsilon", "--delta", delta)
            trip.demand(Fraction(again["eps_lower"]) <= eps, f"at delta {delta}: {again}, above {eps}")


def _reduction(trip: Trip, desk: Desk, drawn: Case, file: Path) -> None:
    row, printed = (ask("reduction", "--delta", _decimal(drawn.delta)) for ask in (desk.row, desk.table))
    share, scale, sure = Fraction(printed[2]) / 100, Fraction(printed[3]), Fraction(row["scale_lower"])
    trip.demand(share <= Fraction(row["reduction_lower"]) and scale <= sure, f"reduction: {printed}, {row}")
    for factor in (1 / (1 - share), scale, sure):
        scaled = Desk({rho * factor: count for rho, count in drawn.cells.items()}, file)
        again = scaled.row("profile", "--eps", printed[1])
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


def main() -> int:
    """Ask, and say what came out. Returns 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000)
    given = parser.parse_args()
    states: Counter[str] = Counter()
    broken = []
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # told to stop, it says what came out so far
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        for index in range(given.cases):
            try:
                trip = round_trip(light_case(given.seed, index), Path(folder))
            except Refused:
                states["refused"] += 1
                continue
            states["compositions"] += 1
            states["promises"] += trip.held
            broken += [f"case {index}: {line}" for line in trip.broken]
    print(", ".join(f"{number} {name}" for name, number in states.items()) + f", {len(broken)} broken")
    print("\n".join(broken[:20]))
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
