"""Joint allocation files: products named one by one, and which of their mechanisms go together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernels.accounting.census.allocation import Allocation, Resolution
from kernels.accounting.census.joint import all_patterns, first_patterns, join
from kernels.accounting.census.mechanism import SEPARATOR, resolve_mechanism
from workflow.allocation.product import read_product
from workflow.allocation.schema import ALLOCATION, MAX_LEVELS, MAX_PATTERNS, JointFile
from workflow.input.find import check_name, find_from
from workflow.input.model import MAX_PROSE, validated
from workflow.input.rational import with_decimals
from workflow.input.tree import KeyPath, TextTree, Tree, parse_text_tree, read_text
from workflow.words import how_many, suggestion


def is_joint(root: Tree) -> bool:
    """Whether a file is one of a joint allocation, its key `joint` perhaps misspelt."""
    if not isinstance(root, dict):
        return False
    alone = "levels" in root or "budget" in root
    return "joint" in root or (not alone and any(suggestion(key, ["joint"]) for key in root))


def read_joint(tree: TextTree) -> Allocation:
    """The joint allocation that a file describes. Raises ConfigError."""
    model = validated(tree, JointFile, "an allocation file")
    tree.check_distinct(("deltas",), model.deltas)
    products: list[Allocation] = []
    for i, text in enumerate(model.joint):
        product = _product(tree, ("joint", i), text)
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


def _product(tree: TextTree, path: KeyPath, text: str) -> Allocation:
    """A product: a name, or a path relative to the folder of the joint file."""
    try:
        file = find_from(Path(tree.file).parent, text, ALLOCATION)
    except ValueError as error:
        raise tree.error(path, str(error)) from None
    product_tree = parse_text_tree(read_text(file), str(file))
    if is_joint(product_tree.root):
        raise tree.error(path, "is joint itself; list its products")
    product = read_product(product_tree)
    check_name(text, file, product.name)
    return product


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
    tree.check_distinct(path, resolved)
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
