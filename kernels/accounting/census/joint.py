"""Joint releases: several products about the same record, accounted for together.

A record that is replaced is replaced in every product, so the joint composition is that of all products'
cells. A joint allocation is an ordinary one: its levels are the products' levels, one product after the other
and each named PRODUCT.LEVEL, and a joint pattern is the products' patterns one after the other. As the last
level of a product never absorbs, no budget crosses from one product to the next, and the bypass rule needs no
change.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product as every_choice

from kernels.accounting.census.allocation import Allocation, Resolution
from kernels.accounting.census.mechanism import SEPARATOR, pair_composition
from kernels.accounting.composition import Composition
from kernels.intervals.interval import ZERO, Interval


def join(
    *,
    name: str,
    title: str,
    source: str,
    products: Sequence[Allocation],
    patterns: Sequence[Sequence[str]],
    deltas: tuple[Fraction, ...],
    resolution: Resolution,
) -> Allocation:
    """The joint allocation of at least two products with different names and the same neighbour relation.

    patterns: the joint mechanisms in order, each with one pattern of every product.

    Raises ValueError, with a sentence that says what is allowed, when the parts do not fit each other.
    """
    names = [product.name for product in products]
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError("a joint allocation needs at least two products with different names")
    if any(product.products for product in products):
        raise ValueError("a product of a joint allocation must not be joint itself; list its products")
    relations = {product.neighbours for product in products}
    if len(relations) > 1:
        raise ValueError("the products of a joint allocation need the same neighbour relation")
    return Allocation(
        name=name,
        title=title,
        source=source,
        neighbours=relations.pop(),
        levels=tuple(joint_level(part, level) for part in products for level in part.levels),
        rho={joint_level(part, level): part.rho[level] for part in products for level in part.levels},
        absorbing_levels=tuple(joint_level(part, one) for part in products for one in part.absorbing_levels),
        fixed_digits={
            joint_level(part, level): digit for part in products for level, digit in part.fixed_digits.items()
        },
        patterns=tuple("".join(parts) for parts in patterns),
        deltas=deltas,
        resolution=resolution,
        products=tuple(products),
    )


def joint_level(product: Allocation, level: str) -> str:
    """The name in a joint allocation of one product's level."""
    return f"{product.name}.{level}"


def first_patterns(products: Sequence[Allocation]) -> list[tuple[str, ...]]:
    """The one joint mechanism made of every product's M00."""
    return [tuple(product.patterns[0] for product in products)]


def all_patterns(products: Sequence[Allocation]) -> list[tuple[str, ...]]:
    """Every choice of one listed pattern of each product; the last product's changes fastest."""
    return list(every_choice(*(product.patterns for product in products)))


def product_patterns(allocation: Allocation, pattern: str) -> tuple[str, ...]:
    """The products' patterns that a joint pattern consists of; of a single product, the pattern itself."""
    if not allocation.products:
        return (pattern,)
    parts, start = [], 0
    for product in allocation.products:
        end = start + len(product.absorbing_levels)
        parts.append(pattern[start:end])
        start = end
    return tuple(parts)


def pattern_text(allocation: Allocation, pattern: str) -> str:
    """A pattern as people read it: the products' patterns with + between them."""
    return SEPARATOR.join(product_patterns(allocation, pattern))


def product_pairs(allocation: Allocation, first: str, second: str) -> dict[str, Composition]:
    """What each product alone releases about the record of a joint pair, by the product's name; of a single
    product, nothing."""
    if not allocation.products:
        return {}
    patterns = (product_patterns(allocation, pattern) for pattern in (first, second))
    parts = zip(allocation.products, *patterns, strict=True)
    return {product.name: pair_composition(product, *pair) for product, *pair in parts}


def loose_sum(epsilons: Sequence[Callable[[Fraction], Interval]], delta: Fraction) -> Interval:
    """What is known without joint accounting: the sum of the products' exact eps, each at an equal part of
    delta.

    By basic composition the joint release is (sum of eps_k, sum of delta_k)-differentially private, so the
    exact joint eps is no larger. epsilons: each product's exact eps as a function of delta.
    """
    return sum((epsilon(delta / len(epsilons)) for epsilon in epsilons), ZERO)
