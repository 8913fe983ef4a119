"""mechanisms.json: the pairs and levels of an allocation, or the candidates of a scan, with exact cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from kernels import KERNEL_VERSION
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism, mechanism_name, pairs
from kernels.accounting.composition import Composition
from kernels.accounting.settings import Settings
from workflow.digests import content_key, settings_of
from workflow.input.rational import parse_ratio
from workflow.origin import versions
from workflow.pipeline.plan import Plan, Table, divided, read_shards
from workflow.results.attack import AttackRow
from workflow.results.curves import CurveFile, Header, Identity, StoredResult, read_settings
from workflow.results.tables import ReductionRow, Row, SummaryRow
from workflow.results.values import expect

Cost = Callable[[Composition], float]


@dataclass(frozen=True, slots=True)
class CurveTask:
    """One pair or level to compute: cells, settings, content key, predicted CPU seconds."""

    identity: Identity
    composition: Composition
    settings: Settings
    key: str
    cost: float

    @property
    def path(self) -> str:
        """Group in a result file."""
        return self.identity.path


@dataclass(frozen=True)
class CensusPlan(Plan[CurveTask, Header, StoredResult]):
    """All levels of an allocation, then all pairs, in the allocation's order.

    mechanisms: cells by bypass pattern, and names: M00, M01, ... by pattern.
    """

    neighbours: str
    settings: Settings
    mechanisms: dict[str, Composition]
    names: dict[str, str]

    stage = "curves"
    format = "exact-census mechanisms 1"
    version = ("kernel_version", KERNEL_VERSION)
    files = CurveFile
    merged = "curves.h5"

    @classmethod
    def of(cls, allocation: Allocation, text: str, shards: int, cost: Cost) -> Self:
        """The plan for an allocation. `text` is its file's; `cost` predicts the seconds for a composition."""
        cells = {pattern: mechanism(allocation, pattern) for pattern in allocation.patterns}
        names = {pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns}
        levels = {level: allocation.level_composition(level) for level in allocation.levels}
        work = {Identity("level", level): composition for level, composition in levels.items()}
        work |= {Identity("pair", *pair): cells[pair[0]] + cells[pair[1]] for pair in pairs(allocation)}
        return cls.made(allocation, allocation.name, text, cells, names, work, shards, cost)

    @classmethod
    def made(
        cls,
        allocation: Allocation,
        name: str,
        text: str,
        mechanisms: dict[str, Composition],
        names: dict[str, str],
        work: Mapping[Identity, Composition],
        shards: int,
        cost: Cost,
    ) -> Self:
        """The plan of any work with an allocation's settings. Equal compositions are costed once."""
        settings = settings_of(allocation)
        costs: dict[str, float] = {}
        tasks = {}
        for identity, composition in work.items():
            key = content_key(composition, settings)
            if key not in costs:
                costs[key] = cost(composition)
            tasks[identity.path] = CurveTask(identity, composition, settings, key, costs[key])
        divisions = divided(tasks.values(), shards)
        return cls(name, text, tasks, divisions, allocation.neighbours, settings, mechanisms, names)

    def header(self) -> Header:
        """The header of result files made from the plan."""
        return Header(self.name, self.neighbours, self.text, self.settings, created_by=versions())

    def tables(self) -> dict[str, Table]:
        """summary.csv, reductions.csv and attack.csv."""

        def of_pairs(row: type[SummaryRow | AttackRow]) -> Callable[[StoredResult], Iterable[Row]]:
            return lambda result: row.rows_of(result, self.names) if result.identity.kind == "pair" else ()

        return {
            "summary": Table(SummaryRow, of_pairs(SummaryRow)),
            "reductions": Table(ReductionRow, lambda result: ReductionRow.rows_of(result, self.names)),
            "attack": Table(AttackRow, of_pairs(AttackRow)),
        }

    def as_json(self) -> dict[str, Any]:
        """Mechanisms and levels with their cells, pairs with their costs."""
        levels = [task for task in self.tasks.values() if task.identity.kind == "level"]
        pairs = [task for task in self.tasks.values() if task.identity.kind == "pair"]
        return {
            "allocation": self.name,
            "neighbours": self.neighbours,
            "settings": self.settings.as_json(),
            "mechanisms": [
                {"name": name, "pattern": pattern, **_cells(self.mechanisms[pattern])}
                for pattern, name in self.names.items()
            ],
            "levels": [
                {"name": task.identity.first, **_cells(task.composition), "cost": task.cost}
                for task in levels
            ],
            "pairs": [[task.identity.first, task.identity.second, task.cost] for task in pairs],
            "allocation_yaml": self.text,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The plan that as_json described."""
        settings = read_settings(document["settings"])
        entries = document["mechanisms"]
        mechanisms = {entry["pattern"]: _composition(entry["cells"]) for entry in entries}
        work = [
            (Identity("level", level["name"]), _composition(level["cells"]), level["cost"])
            for level in document["levels"]
        ]
        work += [
            (Identity("pair", first, second), mechanisms[first] + mechanisms[second], cost)
            for first, second, cost in document["pairs"]
        ]
        tasks = {
            identity.path: CurveTask(
                identity, composition, settings, content_key(composition, settings), float(cost)
            )
            for identity, composition, cost in work
        }
        return cls(
            name=expect(document["allocation"], str),
            text=expect(document["allocation_yaml"], str),
            tasks=tasks,
            shards=read_shards(document),
            neighbours=expect(document["neighbours"], str),
            settings=settings,
            mechanisms=mechanisms,
            names={entry["pattern"]: entry["name"] for entry in entries},
        )


def _cells(composition: Composition) -> dict[str, Any]:
    return {
        "total_rho": str(composition.total_rho),
        "cells": [[str(rho), count] for rho, count in composition.cells],
    }


def _composition(cells: list[list[Any]]) -> Composition:
    return Composition(tuple((parse_ratio(rho), count) for rho, count in cells))
