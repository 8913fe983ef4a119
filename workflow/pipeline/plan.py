"""Plans: what a run computes, task by task, and which shard does what, in one JSON file.

A plan holds all that its tasks need, so that the ranks of a shard read nothing else. The census
(workflow/census) and the local-privacy study (workflow/study) differ in their tasks and in the records that
these give.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from workflow.errors import PlainError
from workflow.pipeline.shards import Work, shard_names, split
from workflow.results.store import Header, Record, ResultFile
from workflow.results.tables import Row
from workflow.words import printable, shorten


class PlanError(PlainError):
    """One line that names the plan's file and says what is wrong with it."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class Task(Protocol):
    """One computation: the path of its record, its content key, and its predicted CPU seconds."""

    @property
    def path(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def cost(self) -> float: ...


T = TypeVar("T", bound=Task)
R = TypeVar("R", bound=Record)
H = TypeVar("H", bound=Header)


class Table(NamedTuple):
    """A table made from the merged results: what a row is, and the rows that a record gives."""

    row: type[Row]
    rows: Callable[[Any], Iterable[Row]]


@dataclass(frozen=True)
class Plan(ABC, Generic[T, H, R]):
    """All tasks by path, in the order of the results, and the paths that each shard has."""

    name: str  # of the allocation, scan or study, and of the folder of its results
    text: str  # of the file that the plan was made from
    tasks: dict[str, T]
    shards: dict[str, list[str]]

    stage: ClassVar[str]
    """Name of the stage that computes the shards, and of their folder."""
    format: ClassVar[str]
    """First line of the plan's file."""
    version: ClassVar[tuple[str, str]]
    """Key and version of the kernels, in the plan's file."""
    files: ClassVar[type[ResultFile[Any, Any]]]
    """Kind of the result files."""
    merged: ClassVar[str]
    """Name of the file with the results of all shards."""

    def shard(self, name: str) -> list[T]:
        """The tasks of one shard. Raises PlanError for an unknown name."""
        if name not in self.shards:
            raise PlanError(f"no shard {shorten(name)}; there are " + ", ".join(self.shards))
        return [self.tasks[path] for path in self.shards[name]]

    @property
    def distinct(self) -> dict[str, T]:
        """One task of each content key: what is computed."""
        return {task.key: task for task in reversed(self.tasks.values())}

    @property
    def seconds(self) -> float:
        """Predicted CPU seconds of everything."""
        return sum(task.cost for task in self.distinct.values())

    @abstractmethod
    def header(self) -> H:
        """The header of result files made from the plan."""

    @abstractmethod
    def tables(self) -> dict[str, Table]:
        """The tables of the merged results, by name."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """What the plan's file holds besides its format, version and shards."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """The plan that as_json described. Raises ValueError, ArithmeticError, LookupError or TypeError."""

    def as_file(self) -> str:
        """The text of the plan's file."""
        key, version = self.version
        shards = [
            {
                "name": name,
                "cost": sum({task.key: task.cost for task in self.shard(name)}.values()),
                "paths": paths,
            }
            for name, paths in self.shards.items()
        ]
        return _readable({"format": self.format, key: version, **self.as_json(), "shards": shards})

    @classmethod
    def read(cls, path: Path) -> Self:
        """The plan in a file. Raises PlanError when it is missing, damaged or made for other kernels."""
        key, version = cls.version
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != cls.format:
                raise PlanError(f"{path}: not a file of the format {cls.format!r}")
            if document[key] != version:
                made = f"made for version {document[key]} of the kernels, these are {version}"
                raise PlanError(f"{path}: {made}; run the workflow again")
            plan = cls.from_json(document)
            if sorted(task for paths in plan.shards.values() for task in paths) != sorted(plan.tasks):
                raise ValueError("its shards do not hold every task once")
            return plan
        except OSError as error:
            raise PlanError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise PlanError(
                f"{path}: damaged ({str(error)[:200]}); delete it and run the workflow again"
            ) from None


def divided(tasks: Iterable[Task], shards: int) -> dict[str, list[str]]:
    """Paths of the tasks by shard, the shards of nearly equal predicted cost."""
    work = [Work(task.path, task.cost, task.key) for task in tasks]
    return dict(zip(shard_names(shards), split(work, shards), strict=True))


def read_shards(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Paths by shard, as as_file wrote them."""
    return {shard["name"]: shard["paths"] for shard in document["shards"]}


def _readable(document: Mapping[str, Any]) -> str:
    """JSON with one line per key, and one per element of a list."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            elements = ",\n".join("  " + json.dumps(element) for element in value)
            lines.append(f" {json.dumps(key)}: [\n{elements}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
