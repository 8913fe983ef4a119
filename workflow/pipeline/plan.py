"""mechanisms.json: what is to be computed for one allocation, and by which shard.

It holds the exact cells of every mechanism and level, so that a shard's ranks need nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels import KERNEL_VERSION
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism, mechanism_name, pairs
from kernels.accounting.composition import Composition
from kernels.accounting.settings import Settings
from workflow.digests import content_key, settings_of
from workflow.errors import PlainError
from workflow.input.rational import parse_ratio
from workflow.pipeline.shards import Work, shard_names, split
from workflow.results.result import Identity
from workflow.words import printable, shorten

FORMAT = "exact-census mechanisms 1"


class WorkPlanError(PlainError):
    """One line that names the file and says what is wrong with it."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass(frozen=True, slots=True)
class Entry:
    """One pair or level to compute: its composition, content key and predicted seconds."""

    identity: Identity
    composition: Composition
    key: str
    cost: float


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """All pairs and levels of an allocation, levels first, then pairs in the allocation's order."""

    allocation: str
    neighbours: str
    allocation_yaml: str
    settings: Settings
    names: dict[str, str]  # bypass pattern -> M00, M01, ...
    entries: dict[str, Entry]  # by path in the result file
    shards: dict[str, list[str]]  # shard name -> paths

    def shard(self, name: str) -> list[Entry]:
        """The entries of one shard. Raises WorkPlanError for an unknown name."""
        if name not in self.shards:
            raise WorkPlanError(f"no shard {shorten(name)}; there are " + ", ".join(self.shards))
        return [self.entries[path] for path in self.shards[name]]


def make_work_plan(
    allocation: Allocation, text: str, shards: int, cost: Callable[[Composition], float]
) -> WorkPlan:
    """The plan for an allocation. `text` is its file's; `cost` predicts the seconds for a composition."""
    settings = settings_of(allocation)
    mechanisms = {pattern: mechanism(allocation, pattern) for pattern in allocation.patterns}
    compositions = {
        Identity("level", level): allocation.level_composition(level) for level in allocation.levels
    } | {
        Identity("pair", first, second): mechanisms[first] + mechanisms[second]
        for first, second in pairs(allocation)
    }
    costs: dict[str, float] = {}
    entries = {}
    for identity, composition in compositions.items():
        key = content_key(composition, settings)
        if key not in costs:
            costs[key] = cost(composition)
        entries[identity.path] = Entry(identity, composition, key, costs[key])
    return WorkPlan(
        allocation=allocation.name,
        neighbours=allocation.neighbours,
        allocation_yaml=text,
        settings=settings,
        names={pattern: mechanism_name(allocation, pattern) for pattern in allocation.patterns},
        entries=entries,
        shards=divided(entries, shards),
    )


def divided(entries: Mapping[str, Entry], shards: int) -> dict[str, list[str]]:
    """Paths of the entries by shard, the shards of nearly equal predicted cost."""
    work = [Work(path, entry.cost, entry.key) for path, entry in entries.items()]
    return dict(zip(shard_names(shards), split(work, shards), strict=True))


def to_json(plan: WorkPlan, allocation: Allocation) -> str:
    """The text of an allocation's mechanisms.json."""
    return plan_text(plan, {pattern: mechanism(allocation, pattern) for pattern in plan.names})


def plan_text(plan: WorkPlan, mechanisms: Mapping[str, Composition]) -> str:
    """The text of a mechanisms.json. mechanisms: the cells of everything in plan.names."""
    entries = plan.entries
    identities = [entry.identity for entry in entries.values()]
    document = {
        "format": FORMAT,
        "kernel_version": KERNEL_VERSION,
        "allocation": plan.allocation,
        "neighbours": plan.neighbours,
        "settings": {
            "deltas": [str(delta) for delta in plan.settings.deltas],
            "thresholds": plan.settings.thresholds,
            "eps_points": plan.settings.eps_points,
        },
        "mechanisms": [
            {"name": name, "pattern": pattern, **_cells(mechanisms[pattern])}
            for pattern, name in plan.names.items()
        ],
        "levels": [
            {
                "name": one.first,
                **_cells(entries[one.path].composition),
                "cost": entries[one.path].cost,
            }
            for one in identities
            if one.kind == "level"
        ],
        "pairs": [
            [one.first, one.second, entries[one.path].cost] for one in identities if one.kind == "pair"
        ],
        "shards": [
            {
                "name": name,
                "cost": sum({entries[path].key: entries[path].cost for path in paths}.values()),
                "paths": paths,
            }
            for name, paths in plan.shards.items()
        ],
        "allocation_yaml": plan.allocation_yaml,
    }
    return _readable(document)


def read_work_plan(path: Path) -> WorkPlan:
    """The plan in a mechanisms.json. Raises WorkPlanError when it is missing, damaged or of other kernels."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise WorkPlanError(f"{path}: not a file of the format {FORMAT!r}")
        if document["kernel_version"] != KERNEL_VERSION:
            raise WorkPlanError(
                f"{path}: made for version {document['kernel_version']} of the kernels, these are "
                f"{KERNEL_VERSION}; run the workflow again"
            )
        return _plan(document)
    except OSError as error:
        raise WorkPlanError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise WorkPlanError(
            f"{path}: damaged ({str(error)[:200]}); delete it and run the workflow again"
        ) from None


def _plan(document: dict[str, Any]) -> WorkPlan:
    settings = Settings(
        tuple(parse_ratio(text) for text in document["settings"]["deltas"]),
        document["settings"]["thresholds"],
        document["settings"]["eps_points"],
    )
    mechanisms = {entry["pattern"]: _composition(entry["cells"]) for entry in document["mechanisms"]}
    entries = {}

    def add(identity: Identity, composition: Composition, cost: float) -> None:
        entries[identity.path] = Entry(identity, composition, content_key(composition, settings), cost)

    for level in document["levels"]:
        add(Identity("level", level["name"]), _composition(level["cells"]), level["cost"])
    for first, second, cost in document["pairs"]:
        add(Identity("pair", first, second), mechanisms[first] + mechanisms[second], cost)
    return WorkPlan(
        allocation=document["allocation"],
        neighbours=document["neighbours"],
        allocation_yaml=document["allocation_yaml"],
        settings=settings,
        names={entry["pattern"]: entry["name"] for entry in document["mechanisms"]},
        entries=entries,
        shards={shard["name"]: shard["paths"] for shard in document["shards"]},
    )


def _cells(composition: Composition) -> dict[str, Any]:
    return {
        "total_rho": str(composition.total_rho),
        "cells": [[str(rho), count] for rho, count in composition.cells],
    }


def _composition(cells: list[list[Any]]) -> Composition:
    return Composition(tuple((parse_ratio(rho), count) for rho, count in cells))


def _readable(document: dict[str, Any]) -> str:
    """JSON with one line per key, and one per element of a list of mappings or lists."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            elements = ",\n".join("  " + json.dumps(element) for element in value)
            lines.append(f" {json.dumps(key)}: [\n{elements}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
