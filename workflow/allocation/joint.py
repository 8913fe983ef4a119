"""Joint allocation files: products named one by one, and which of their mechanisms go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ValidationError

from kernels.accounting.census.allocation import Allocation, Resolution
from kernels.accounting.census.joint import all_patterns, first_patterns, join
from kernels.accounting.census.mechanism import SEPARATOR, resolve_mechanism
from workflow.allocation.schema import MAX_LEVELS, MAX_PATTERNS, JointFile
from workflow.errors import ConfigError
from workflow.input.checks import check_list, first_problem
from workflow.input.model import MAX_PROSE
from workflow.input.rational import with_decimals
from workflow.input.tree import KeyPath, TextTree
from workflow.words import how_many


def read_joint(tree: TextTree, load: Callable[[str, str], Allocation]) -> Allocation:
    """The joint allocation that a file describes. Raises ConfigError.

    load: the product of a name or path, given the joint file's own name.
    """
    try:
        model = JointFile.model_validate(tree.root)
    except ValidationError as error:
        raise first_problem(tree, error) from None
    check_list(tree, ("deltas",), model.deltas)
    products: list[Allocation] = []
    for i, text in enumerate(model.joint):
        product = _load(tree, ("joint", i), text, load)
        if any(product.name == other.name for other in products):
            raise tree.error(("joint", i), f"a second product named {product.name}; names must differ")
        products.append(product)
    if sum(len(product.levels) for product in products) > MAX_LEVELS:
        raise tree.error(("joint",), f"the products have more than {MAX_LEVELS} levels together")
    allocation = join(
        name=model.name,
        title=model.title,
        source=model.source or _sources(products),
        products=products,
        patterns=_patterns(tree, model, products),
        deltas=tuple(model.deltas),
        resolution=Resolution(model.resolution.thresholds, model.resolution.eps_points),
    )
    if model.total_rho not in (None, allocation.total_rho):
        message = (
            f"the products' totals add up to {with_decimals(allocation.total_rho)}; leave it out or say that"
        )
        raise tree.error(("total_rho",), message)
    return allocation


def _sources(products: Sequence[Allocation]) -> str:
    text = "; ".join(f"{product.name}: {product.source}" for product in products)
    return text if len(text) <= MAX_PROSE else "those of " + ", ".join(product.name for product in products)


def _load(tree: TextTree, path: KeyPath, text: str, load: Callable[[str, str], Allocation]) -> Allocation:
    try:
        return load(text, tree.file)
    except ConfigError:
        raise
    except ValueError as error:
        raise tree.error(path, str(error)) from None


def _patterns(tree: TextTree, model: JointFile, products: Sequence[Allocation]) -> list[tuple[str, ...]]:
    path: KeyPath = ("patterns",)
    if model.patterns == "default":
        return first_patterns(products)
    if model.patterns == "complete":
        number = 1
        for product in products:
            number *= len(product.patterns)
        if number > MAX_PATTERNS:
            raise tree.error(path, f"{number} choices of the products' patterns; at most {MAX_PATTERNS}")
        return all_patterns(products)
    resolved = [_resolve(tree, (*path, i), entry, products) for i, entry in enumerate(model.patterns)]
    check_list(tree, path, resolved)
    return resolved


def _resolve(
    tree: TextTree, path: KeyPath, entry: str | list[str], products: Sequence[Allocation]
) -> tuple[str, ...]:
    """A joint pattern's parts: one pattern of every product."""
    parts = entry.split(SEPARATOR) if isinstance(entry, str) else entry
    if len(parts) != len(products):
        names = ", ".join(product.name for product in products)
        raise tree.error(
            path, f"{how_many(len(parts), 'patterns')}; a joint pattern has one of each of {names}"
        )
    try:
        return tuple(map(resolve_mechanism, products, parts))
    except ValueError as error:
        raise tree.error(path, str(error)) from None
