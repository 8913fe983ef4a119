"""Which composition a command is asked about: a pair, a level alone, or the cells of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from kernels.intervals.text import short
from workflow.cli.errors import BadInput
from workflow.cli.figures import exact_fields
from workflow.cli.output import relation

if TYPE_CHECKING:
    from kernels.accounting.census.allocation import Allocation
    from kernels.accounting.composition import Composition


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

    def heading(self) -> list[str]:
        """What is asked about, in words: the composition, the neighbour relation, the budget."""
        from workflow.words import how_many

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

    def fields(self) -> dict[str, Any]:
        """How it was asked for, as JSON fields."""
        asked = {
            "allocation": self.allocation,
            "pair": self.pair,
            "pair_names": self.names,
            "level": self.level,
            "cells": self.cells,
            "products": list(self.parts) or None,
        }
        return {
            "neighbours": self.neighbours,
            **{key: value for key, value in asked.items() if value is not None},
            **exact_fields("total_rho", self.composition.total_rho),
        }


def pair_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options --allocation, --pair and --cells, by which every command names its composition."""
    for option in (
        click.option(
            "--cells",
            metavar="FILE",
            help="Instead of a pair: a YAML or JSON file that maps each rho to a number of cells, such as "
            '{"1/3": 5, "2/7": 3}, the cells of both members together.',
        ),
        click.option(
            "--pair",
            metavar="PI,PJ",
            help="The two root-to-block paths a record may move between, each a bypass pattern (000000) or a "
            "mechanism name (M00). For a joint allocation one of each product, such as 000000+0000.",
        ),
        click.option(
            "--allocation",
            metavar="NAME|FILE",
            help="The budget: the name of a shipped allocation, such as dhc_persons_us, or of one in "
            "./allocations, or a YAML file.",
        ),
    ):
        command = option(command)
    return command


def read_question(
    allocation: str | None,
    pair: str | None,
    cells: str | None,
    level: str | None = None,
    *,
    levels: bool = False,
) -> Question:
    """The question that the options ask. `levels` says whether the command has --level.

    Raises BadInput (one line, naming option, value and what is allowed).
    """
    alternatives = "--pair PI,PJ or --level LEVEL" if levels else "--pair PI,PJ"
    if cells is not None:
        for name, value in (("--allocation", allocation), ("--pair", pair), ("--level", level)):
            if value is not None:
                raise BadInput(f"--cells cannot go with {name}: a cells file is the whole composition.")
        return _of_cells(cells)
    if allocation is None:
        raise BadInput(f"Say what to compute: --allocation NAME|FILE with {alternatives}, or --cells FILE.")
    if pair is not None and level is not None:
        raise BadInput("--pair cannot go with --level: a level is measured alone.")
    if pair is None and level is None:
        raise BadInput(f"--allocation needs {alternatives} beside it, such as --pair 000000,000000.")
    loaded = read_allocation(allocation)
    return _of_level(loaded, level) if pair is None else _of_pair(loaded, pair)


def read_allocation(name_or_file: str) -> Allocation:
    """The allocation of that name or file. Raises BadInput with the reason on one line."""
    from workflow.allocation.read import load_allocation
    from workflow.errors import ConfigError

    try:
        return load_allocation(name_or_file)
    except ConfigError as error:
        raise BadInput(str(error)) from None


def _of_cells(path: str) -> Question:
    from workflow.allocation.cells import read_cells
    from workflow.errors import ConfigError

    try:
        composition = read_cells(path)
    except ConfigError as error:
        raise BadInput(str(error)) from None
    return Question(composition, "bounded", cells=path)


def _of_level(allocation: Allocation, level: str | None) -> Question:
    if level not in allocation.levels:
        from workflow.words import suggestion

        hint = suggestion(str(level), allocation.levels) + "allowed: " + ", ".join(allocation.levels)
        raise BadInput(f"--level: '{level}' is not a level of {allocation.name}; {hint}.")
    return Question(
        allocation.level_composition(level), allocation.neighbours, allocation=allocation.name, level=level
    )


def _of_pair(allocation: Allocation, text: str) -> Question:
    from kernels.accounting.census.joint import pattern_text, product_pairs
    from kernels.accounting.census.mechanism import mechanism_name, pair_composition, resolve_mechanism
    from workflow.words import how_many

    members = [member.strip() for member in text.split(",")]
    if len(members) != 2:
        raise BadInput(
            f"--pair: '{text}' names {how_many(len(members), 'mechanisms')}; "
            "allowed: two, separated by a comma, such as 000000,000000 or M00,M01."
        )
    try:
        first, second = (resolve_mechanism(allocation, member) for member in members)
    except ValueError as error:
        raise BadInput(f"--pair: {error}.") from None
    names = tuple(
        mechanism_name(allocation, pattern) if pattern in allocation.patterns else None
        for pattern in (first, second)
    )
    return Question(
        pair_composition(allocation, first, second),
        allocation.neighbours,
        allocation=allocation.name,
        pair=(pattern_text(allocation, first), pattern_text(allocation, second)),
        names=(names[0], names[1]),
        parts=product_pairs(allocation, first, second),
    )
