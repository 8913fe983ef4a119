"""Reading allocation files and cells files.

Every problem is told as one ConfigError line: file, line, key path, value and what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pydantic import ValidationError

from kernels.accounting.census.allocation import Allocation, Resolution
from kernels.accounting.composition import Composition
from workflow.allocation.joint import read_joint
from workflow.allocation.patterns import read_patterns
from workflow.allocation.schema import HINTS, AllocationFile, LevelBudget
from workflow.errors import ConfigError
from workflow.input.checks import check_known, check_list, first_problem
from workflow.input.model import is_slug
from workflow.input.rational import common_denominator, parse_count, parse_rho, wrong_sum
from workflow.input.tree import MAX_YAML_BYTES, KeyPath, TextTree, parse_text_tree, read_text, read_text_tree
from workflow.origin import recorded_file
from workflow.words import listing, printable, shorten, suggestion

__all__ = [
    "ConfigError",
    "Kind",
    "allocation_folders",
    "find_allocation",
    "find_file",
    "load_allocation",
    "parse_allocation",
    "read_cells",
]

MAX_CELL_COUNT = 10**12
# They keep the lattice constant of pairs and cells files below 4300 digits, which Python still prints.
MAX_ALLOCATION_DIGITS = 200
MAX_CELLS_DIGITS = 4000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of files in allocations/: its name in messages, and keys of which each file has one at least."""

    name: str
    keys: frozenset[str]


_ALLOCATION = Kind("allocation", frozenset({"levels", "budget", "joint"}))


def load_allocation(name_or_path: str | Path) -> Allocation:
    """The allocation, of a single product or joint, of this name (allocations/NAME.yaml) or in this file.

    Raises ConfigError.
    """
    path = find_allocation(name_or_path)
    allocation = parse_allocation(read_text(path, MAX_YAML_BYTES), str(path))
    if path.stem != allocation.name and path == _by_name(str(name_or_path)):
        found = f"{printable(str(path))}: name = {shorten(allocation.name)}"
        raise ConfigError(f"{found}: must be {path.stem}, the name by which the file is found")
    return allocation


def find_allocation(name_or_path: str | Path) -> Path:
    """Where load_allocation reads: a name is looked up first beside the packages, then in the working
    directory.

    Raises ConfigError when there is neither an allocation of this name nor a file at this path.
    """
    return find_file(name_or_path, _ALLOCATION)


def find_file(name_or_path: str | Path, kind: Kind) -> Path:
    """The same of a file of any kind. Raises ConfigError, which lists the names of that kind."""
    try:
        return _find(str(name_or_path), kind)
    except ValueError as error:
        raise ConfigError(f"{shorten(str(name_or_path))}: {error}") from None


def _find(text: str, kind: Kind, folder: Path = Path()) -> Path:
    """The file of this name, or at this path relative to `folder`. Raises ValueError when there is none."""
    named = _by_name(text)
    if named is not None:
        return named
    if Path(text).suffix or "/" in text or exists(Path(text)):
        return folder / text
    files = (path for folder in allocation_folders() for path in folder.glob("*.yaml"))
    names = sorted({path.stem for path in files if _may_be(kind, path)})
    file = _meant(text, kind, folder)
    hint = f"did you mean the file {shorten(file, limit=400)}? " if file else suggestion(text, names)
    raise ValueError(f"no such {kind.name}; {hint}allowed: the path of a file, or one of " + listing(names))


def _meant(text: str, kind: Kind, folder: Path) -> str | None:
    """The path, from `folder`, of the file of this name there, or of the one that results/ of this name were
    made from."""
    if exists(folder / f"{text}.yaml"):
        return f"{text}.yaml"
    file = recorded_file(Path("results", text))
    if file is None or not _may_be(kind, file):
        return None
    return os.path.relpath(file, os.path.realpath(folder))


def _may_be(kind: Kind, path: Path) -> bool:
    """Whether a file has one of the kind's keys; one that cannot be read may be of any kind."""
    try:
        root = read_text_tree(path).root
    except ConfigError:
        return True
    return isinstance(root, dict) and not kind.keys.isdisjoint(root)


def exists(path: Path) -> bool:
    """Whether there is such a file, False also for a name that no file can have."""
    try:
        return path.exists()
    except OSError:  # a name too long for a file
        return False


def allocation_folders() -> tuple[Path, ...]:
    """The folders in which an allocation is found by name."""
    return Path(__file__).resolve().parents[2] / "allocations", Path("allocations")


def parse_allocation(text: str, file: str) -> Allocation:
    """The allocation that YAML text describes; `file` is the name used in messages. Raises ConfigError."""
    tree = parse_text_tree(text, file)
    if not isinstance(tree.root, dict):
        raise tree.error((), "an allocation file is a mapping: " + ", ".join(AllocationFile.model_fields))
    if _is_joint(tree.root):
        return read_joint(tree, _product)
    try:
        model = AllocationFile.model_validate(tree.root)
    except ValidationError as error:
        raise first_problem(tree, error, HINTS) from None
    _check_names(tree, model)
    rho = {level: _level_rho(tree, model, level) for level in model.levels}
    _check_total(tree, model, rho)
    return Allocation(
        name=model.name,
        title=model.title,
        source=model.source,
        neighbours=model.neighbours,
        levels=tuple(model.levels),
        rho=rho,
        absorbing_levels=tuple(model.bypass.levels),
        fixed_digits=dict(model.bypass.fixed),
        patterns=read_patterns(tree, model.bypass, model.levels),
        deltas=tuple(model.deltas),
        resolution=Resolution(model.resolution.thresholds, model.resolution.eps_points),
    )


def read_cells(path: str | Path) -> Composition:
    """The composition in a cells file, YAML or JSON: a mapping from rho to a number of cells. Raises
    ConfigError.

    Two keys that stand for the same rational, such as 1/2 and 0.5, are refused: one of them is likely a
    mistake.
    """
    tree = read_text_tree(path)
    if not isinstance(tree.root, dict):
        raise tree.error((), "a cells file is a mapping from rho to a number of cells, such as 1/3: 5")
    if not tree.root:
        raise tree.error((), "holds no cells; a cells file maps at least one rho to a number of cells")
    counts: dict[Fraction, int] = {}
    written: dict[Fraction, str] = {}
    for key, value in tree.root.items():
        try:
            rho = parse_rho(key)
        except ValueError as error:
            raise tree.error((key,), f"the key is rho and {error}") from None
        if rho in counts:
            raise tree.error((key,), f"the same rho as {shorten(written[rho])}; list each rho once")
        if not isinstance(value, str):
            raise tree.error((key,), "the number of cells must be one whole number")
        try:
            counts[rho] = parse_count(value, 1, MAX_CELL_COUNT)
        except ValueError as error:
            raise tree.error((key,), f"the number of cells {error}") from None
        written[rho] = key
    try:
        common_denominator(counts, MAX_CELLS_DIGITS)
    except ValueError as error:
        raise tree.error((), str(error)) from None
    return Composition.from_counts(counts)


def _product(text: str, file: str) -> Allocation:
    """A product of the joint allocation in `file`: a name, or a path relative to its folder.

    Raises ValueError when there is none, ConfigError when it is not right.
    """
    path = _find(text, _ALLOCATION, Path(file).parent)
    tree = parse_text_tree(read_text(path, MAX_YAML_BYTES), str(path))
    if isinstance(tree.root, dict) and _is_joint(tree.root):
        raise ValueError("is joint itself; list its products")
    return load_allocation(text if path == _by_name(text) else path)


def _is_joint(root: Mapping[str, object]) -> bool:
    """Whether a file is one of a joint allocation, its key `joint` perhaps misspelt."""
    alone = "levels" in root or "budget" in root
    return "joint" in root or (not alone and any(suggestion(key, ["joint"]) for key in root))


def _by_name(text: str) -> Path | None:
    if not is_slug(text):
        return None
    candidates = (folder / f"{text}.yaml" for folder in allocation_folders())
    return next((path for path in candidates if path.is_file()), None)


def _check_names(tree: TextTree, model: AllocationFile) -> None:
    """Levels, queries, bypass levels: each once, each known, none missing."""
    check_list(tree, ("levels",), model.levels)
    check_list(tree, ("queries",), model.queries)
    check_list(tree, ("deltas",), model.deltas)
    check_known(tree, ("budget",), list(model.budget), model.levels, "level")
    for level in model.levels:
        if level not in model.budget:
            raise tree.error(("budget", level), "missing; every level of `levels` needs its budget")
    able = model.levels[:-1]
    check_list(tree, ("bypass", "levels"), model.bypass.levels)
    for i, level in enumerate(model.bypass.levels):
        if level not in able:
            message = f"not a level that has children; {suggestion(level, able)}allowed: {listing(able)}"
            raise tree.error(("bypass", "levels", i), message)
    if model.bypass.levels != [level for level in able if level in model.bypass.levels]:
        raise tree.error(("bypass", "levels"), "must be in the order of `levels`, root first")
    check_known(
        tree, ("bypass", "fixed"), list(model.bypass.fixed), model.bypass.levels, "level of bypass.levels"
    )


def _level_rho(tree: TextTree, model: AllocationFile, level: str) -> dict[str, Fraction]:
    """rho of every query asked at a level, in the order of `queries`."""
    path, budget = ("budget", level), model.budget[level]
    if budget.rho is not None:
        if budget.share is not None or budget.queries is not None:
            raise tree.error(path, "give either rho, or share and queries, not both")
        _check_queries(tree, model, level, "rho", budget.rho, budget)
        return {query: budget.rho[query] for query in model.queries if query in budget.rho}
    if budget.share is None or budget.queries is None:
        raise tree.error(path, "give either rho, or both of share and queries")
    shares = budget.queries
    _check_queries(tree, model, level, "queries", shares, budget)
    _check_sum(tree, (*path, "queries"), list(shares.values()), "the shares")
    return {
        query: shares[query] * budget.share * model.total_rho for query in model.queries if query in shares
    }


def _check_queries(
    tree: TextTree,
    model: AllocationFile,
    level: str,
    given: str,
    values: dict[str, Fraction],
    budget: LevelBudget,
) -> None:
    path = ("budget", level)
    check_known(tree, (*path, given), list(values), model.queries, "query")
    check_list(tree, (*path, "not_asked"), budget.not_asked)
    for i, query in enumerate(budget.not_asked):
        if query not in model.queries:
            message = f"unknown query; {suggestion(query, model.queries)}allowed: {listing(model.queries)}"
            raise tree.error((*path, "not_asked", i), message)
        if query in values:
            raise tree.error(
                (*path, "not_asked", i), f"is not asked here, yet budget.{level}.{given} holds it"
            )
    for query in model.queries:
        if query not in values and query not in budget.not_asked:
            message = f"missing; give it here or list it in budget.{level}.not_asked"
            raise tree.error((*path, given, query), message)
    if not values:
        raise tree.error((*path, given), "must ask at least one query")


def _check_total(tree: TextTree, model: AllocationFile, rho: dict[str, dict[str, Fraction]]) -> None:
    shares = [budget.share for budget in model.budget.values() if budget.share is not None]
    if len(shares) == len(model.levels):
        _check_sum(tree, ("budget",), shares, "the levels' shares")
    every = [value for queries in rho.values() for value in queries.values()]
    _check_sum(tree, ("total_rho",), every, "the rhos of all levels and queries", model.total_rho)


def _check_sum(
    tree: TextTree, path: KeyPath, values: Sequence[Fraction], what: str, wanted: Fraction = Fraction(1)
) -> None:
    try:
        common_denominator(values, MAX_ALLOCATION_DIGITS)
    except ValueError as error:
        raise tree.error(path, f"{error}; use rounder numbers") from None
    total = sum(values, Fraction(0))
    if total != wanted:
        raise tree.error(path, wrong_sum(what, total, wanted))
