"""Allocations made from others: levels scaled, and budget moved between two levels.

A level's query shares never change, so the lattice of its bypassed paths, which depends on them, stays as
coarse as it was.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, lcm

from kernels.accounting.census.allocation import Allocation
from kernels.errors import Refused
from kernels.numerics.arithmetic.rational import rational_gcd


class Unmet(Refused):
    """What is asked of an allocation cannot be had; the message says why, in one sentence."""


def with_rho(allocation: Allocation, rho: Mapping[str, Mapping[str, Fraction]]) -> Allocation:
    """The allocation with the rhos of some levels replaced; no longer a joint one, since its products
    differ."""
    return replace(allocation, rho={**allocation.rho, **rho}, products=())


def scale_levels(
    allocation: Allocation, factor: Fraction, levels: Collection[str], denominator: int | None = None
) -> Allocation:
    """The allocation with every rho of the levels times `factor`, which must be above 0.

    denominator: round down, so that every rho of these levels is a multiple of 1/denominator. What is rounded
    is the level's unit, the largest number of which all its rhos are multiples.

    Raises Unmet when a unit would be rounded to 0.
    """
    return with_rho(allocation, {level: _scaled(allocation, level, factor, denominator) for level in levels})


def _scaled(
    allocation: Allocation, level: str, factor: Fraction, denominator: int | None
) -> dict[str, Fraction]:
    rhos = allocation.rho[level]
    if denominator is not None:
        unit = level_unit(allocation, level)
        whole = int(unit * factor * denominator)
        if whole < 1:
            least = ceil(1 / (unit * factor))
            raise Unmet(
                f"the denominator {denominator} is too small for level {level}: its rhos are multiples of "
                f"about {float(unit * factor):.3g}, so it must be at least {least}"
            )
        factor = Fraction(whole, denominator) / unit
    return {query: rho * factor for query, rho in rhos.items()}


def level_unit(allocation: Allocation, level: str) -> Fraction:
    """The largest rational of which every rho of the level is a multiple."""
    return rational_gcd(list(allocation.rho[level].values()))


def common_denominator(allocation: Allocation) -> int:
    """The least N for which every rho is a multiple of 1/N."""
    return lcm(*(level_unit(allocation, level).denominator for level in allocation.levels))


def move_budget(allocation: Allocation, source: str, target: str, amount: Fraction) -> Allocation:
    """The allocation with `amount` of rho moved from one level to another; the total stays the same.

    Raises Unmet when the source has no more than that or both are the same, ValueError for an unknown level.
    """
    has = allocation.level_rho(source)
    gets = allocation.level_rho(target)
    if source == target:
        raise Unmet(f"budget is moved between two different levels, not from {source} to itself")
    if not 0 < amount < has:
        raise Unmet(f"level {source} has rho {has}, so what it gives must lie above 0 and below that")
    return with_rho(
        allocation,
        {
            source: _scaled(allocation, source, (has - amount) / has, None),
            target: _scaled(allocation, target, (gets + amount) / gets, None),
        },
    )
