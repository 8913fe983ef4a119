"""Which composition a command is asked about: a pair, a level alone, or the cells of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any

import click

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.joint import pattern_text, product_pairs
from kernels.accounting.census.mechanism import mechanism_name, pair_composition, resolve_mechanism
from kernels.accounting.composition import Composition
from kernels.intervals.text import short
from workflow.allocation.cells import read_cells
from workflow.allocation.read import load_allocation
from workflow.cli.answer import exact_fields, relation
from workflow.errors import ConfigError
from workflow.words import how_many, suggestion

Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A composition and how it was asked for; what was not part of the question is None."""

    composition: Composition
    neighbours: str
    allocation: str | None = None
    pair: tuple[str, str] | None = None
    names: tuple[str | None, str | None] | None = None
    level: str | None = None
    cells: str | None = None
    parts: dict[str, Composition] = field(default_factory=dict)
    """Of a joint allocation's pair: what each product alone releases, by the product's name."""

    @classmethod
    def of_pair(cls, allocation: Allocation, first: str, second: str) -> Question:
        """The question about two of an allocation's bypass patterns, which it need not list."""
        return cls(
            pair_composition(allocation, first, second),
            allocation.neighbours,
            allocation=allocation.name,
            pair=(pattern_text(allocation, first), pattern_text(allocation, second)),
            names=(listed_name(allocation, first), listed_name(allocation, second)),
            parts=product_pairs(allocation, first, second),
        )

    def heading(self) -> list[str]:
        """What is asked about, in words: the composition, the neighbour relation, the budget."""
        total = self.composition.total_rho
        whose = ", the level's rho" if self.level else ", the allocation's total rho" if self.pair else ""
        return [
            self.title,
            relation(self.neighbours),
            f"Total rho of both members {short(total)} over {how_many(self.composition.size, 'cells')}, so "
            f"{short(total / 2)}-zCDP: half of it{whose}.",
        ]

    @property
    def title(self) -> str:
        """The question in words, for a heading."""
        if self.cells is not None:
            return f"Cells of {self.cells}"
        if self.level is not None:
            return f"{self.allocation}, level {self.level} alone"
        first, second = self.pair or ("", "")
        names = [name for name in self.names or () if name]
        named = f" = [{', '.join(names)}]" if len(names) == 2 else ""
        return f"{self.allocation}, pair [{first}, {second}]{named}"

    def fields(self, command: str) -> dict[str, Any]:
        """JSON fields at the head of an answer: the command, how it was asked for, total rho and lattice."""
        asked = {
            "allocation": self.allocation,
            "pair": self.pair,
            "pair_names": self.names,
            "level": self.level,
            "cells": self.cells,
            "products": list(self.parts) or None,
        }
        return {
            "command": command,
            "neighbours": self.neighbours,
            **{key: value for key, value in asked.items() if value is not None},
            **exact_fields("total_rho", self.composition.total_rho),
            **exact_fields("lattice", self.composition.spacing),
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """The options by which a command names its composition, as they were given."""

    allocation: str | None = None
    pair: str | None = None
    cells: str | None = None
    level: str | None = None
    curves: str | None = None

    def question(self, alternatives: str = "--pair PI,PJ") -> Question:
        """The question that they ask. Raises ConfigError, which names option, value and what is allowed."""
        if self.cells is not None:
            for name in ("allocation", "pair", "level"):
                if getattr(self, name) is not None:
                    raise ConfigError(
                        f"--cells cannot go with --{name}: a cells file is the whole composition."
                    )
            return Question(read_cells(self.cells), "bounded", cells=self.cells)
        if self.allocation is None:
            raise ConfigError(
                f"Say what to compute: --allocation NAME|FILE with {alternatives}, or --cells FILE."
            )
        if self.pair is not None and self.level is not None:
            raise ConfigError("--pair cannot go with --level: a level is measured alone.")
        if self.level is not None:
            return _of_level(load_allocation(self.allocation), self.level)
        if self.pair is None:
            raise ConfigError(f"--allocation needs {alternatives} beside it, such as --pair 000000,000000.")
        allocation = load_allocation(self.allocation)
        return Question.of_pair(allocation, *members(allocation, self.pair))

    def stored(self) -> tuple[str, str]:
        """The result file and the pair that is asked for. Raises ConfigError when other options are given."""
        if self.curves is None or self.pair is None or self.allocation is not None or self.cells is not None:
            raise ConfigError("--curves goes with --pair PI,PJ, and neither with --allocation nor --cells.")
        return self.curves, self.pair


CELLS = click.option(
    "--cells",
    metavar="FILE",
    help="Instead of a pair: a YAML or JSON file that maps each rho to a number of cells, such as "
    '{"1/3": 5, "2/7": 3}, the cells of both members together.',
)
PAIR = click.option(
    "--pair",
    metavar="PI,PJ",
    help="The two root-to-block paths a record may move between, each a bypass pattern (000000) or a "
    "mechanism name (M00). For a joint allocation one of each product, such as 000000+0000.",
)
ALLOCATION = click.option(
    "--allocation",
    metavar="NAME|FILE",
    help="The budget: the name of a shipped allocation, such as dhc_persons_us, or of one in "
    "./allocations, or a YAML file.",
)


def pair_options(command: Command) -> Command:
    """The options --allocation, --pair and --cells. The command gets them, and --level and --curves where it
    has these, as one argument, `asked`."""

    @wraps(command)
    def with_asked(**options: Any) -> Any:
        asked = {part.name: options.pop(part.name) for part in fields(Asked) if part.name in options}
        return command(asked=Asked(**asked), **options)

    for option in (CELLS, PAIR, ALLOCATION):
        with_asked = option(with_asked)
    return with_asked


def members(allocation: Allocation, pair: str) -> tuple[str, str]:
    """The two bypass patterns that PI,PJ names. Raises ConfigError."""
    names = [name.strip() for name in pair.split(",")]
    if len(names) != 2:
        raise ConfigError(
            f"--pair: '{pair}' names {how_many(len(names), 'mechanisms')}; "
            "allowed: two, separated by a comma, such as 000000,000000 or M00,M01."
        )
    try:
        first, second = (resolve_mechanism(allocation, name) for name in names)
    except ValueError as error:
        raise ConfigError(f"--pair: {error}.") from None
    return first, second


def listed_name(allocation: Allocation, pattern: str) -> str | None:
    """The name of the mechanism with this bypass pattern, if the allocation lists it."""
    return mechanism_name(allocation, pattern) if pattern in allocation.patterns else None


def check_level(option: str, level: str, allocation: Allocation) -> None:
    """Raise ConfigError, with a suggestion, when an option names no level of the allocation."""
    if level not in allocation.levels:
        hint = suggestion(level, allocation.levels) + "allowed: " + ", ".join(allocation.levels)
        raise ConfigError(f"{option}: '{level}' is not a level of {allocation.name}; {hint}.")


def _of_level(allocation: Allocation, level: str) -> Question:
    check_level("--level", level, allocation)
    composition = allocation.level_composition(level)
    return Question(composition, allocation.neighbours, allocation=allocation.name, level=level)
