"""An allocation file of a single product: its model checked across fields, and shares turned into rhos."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kernels.accounting.census.allocation import Allocation, Resolution
from workflow.allocation.patterns import read_patterns
from workflow.allocation.schema import HINTS, AllocationFile, LevelBudget
from workflow.input.model import validated
from workflow.input.rational import common_denominator, wrong_sum
from workflow.input.tree import KeyPath, TextTree

# Keeps the lattice constant of every pair below 4300 digits, where Python refuses to print integers.
MAX_DIGITS = 200


def read_product(tree: TextTree) -> Allocation:
    """The allocation that the file of a single product describes. Raises ConfigError."""
    model = validated(tree, AllocationFile, "an allocation file", HINTS)
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


def _check_names(tree: TextTree, model: AllocationFile) -> None:
    """Levels, queries, bypass levels: each once, each known, none missing."""
    bypass = model.bypass
    lists: tuple[tuple[KeyPath, Sequence[str | Fraction]], ...] = (
        (("levels",), model.levels),
        (("queries",), model.queries),
        (("deltas",), model.deltas),
        (("bypass", "levels"), bypass.levels),
    )
    for path, values in lists:
        tree.check_distinct(path, values)
    tree.check_known(("budget",), model.budget, model.levels, "level")
    for level in model.levels:
        if level not in model.budget:
            raise tree.error(("budget", level), "missing; every level of `levels` needs its budget")
    able = model.levels[:-1]
    tree.check_known(("bypass", "levels"), bypass.levels, able, "level that has children")
    if bypass.levels != [level for level in able if level in bypass.levels]:
        raise tree.error(("bypass", "levels"), "must be in the order of `levels`, root first")
    tree.check_known(("bypass", "fixed"), bypass.fixed, bypass.levels, "level of bypass.levels")


def _level_rho(tree: TextTree, model: AllocationFile, level: str) -> dict[str, Fraction]:
    """rho of every query that a level asks, in the order of `queries`."""
    path, budget = ("budget", level), model.budget[level]
    if budget.rho is not None:
        if budget.share is not None or budget.queries is not None:
            raise tree.error(path, "give either rho, or share and queries, not both")
        key, values, unit = "rho", budget.rho, Fraction(1)
    elif budget.share is None or budget.queries is None:
        raise tree.error(path, "give either rho, or both of share and queries")
    else:
        key, values, unit = "queries", budget.queries, budget.share * model.total_rho
    _check_queries(tree, model.queries, (*path, key), values, budget)
    if key == "queries":
        _check_sum(tree, (*path, key), list(values.values()), "the shares")
    return {query: values[query] * unit for query in model.queries if query in values}


def _check_queries(
    tree: TextTree, queries: Sequence[str], path: KeyPath, values: dict[str, Fraction], budget: LevelBudget
) -> None:
    """Every query is either in `values`, which stand at `path`, or listed in not_asked."""
    budget_key, level, key = path
    tree.check_known(path, values, queries, "query")
    not_asked = (budget_key, level, "not_asked")
    tree.check_distinct(not_asked, budget.not_asked)
    tree.check_known(not_asked, budget.not_asked, queries, "query")
    for i, query in enumerate(budget.not_asked):
        if query in values:
            raise tree.error((*not_asked, i), f"is not asked here, yet budget.{level}.{key} holds it")
    for query in queries:
        if query not in values and query not in budget.not_asked:
            message = f"missing; give it here or list it in budget.{level}.not_asked"
            raise tree.error((*path, query), message)
    if not values:
        raise tree.error(path, "must ask at least one query")


def _check_total(tree: TextTree, model: AllocationFile, rho: dict[str, dict[str, Fraction]]) -> None:
    shares = [budget.share for budget in model.budget.values() if budget.share is not None]
    if len(shares) == len(model.levels):
        _check_sum(tree, ("budget",), shares, "the levels' shares")
    rhos = [value for asked in rho.values() for value in asked.values()]
    _check_sum(tree, ("total_rho",), rhos, "the rhos of all levels and queries", model.total_rho)


def _check_sum(
    tree: TextTree, path: KeyPath, values: Sequence[Fraction], what: str, wanted: Fraction = Fraction(1)
) -> None:
    try:
        common_denominator(values, MAX_DIGITS)
    except ValueError as error:
        raise tree.error(path, f"{error}; use rounder numbers") from None
    total = sum(values, Fraction(0))
    if total != wanted:
        raise tree.error(path, wrong_sum(what, total, wanted))
