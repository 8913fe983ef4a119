"""Families of blocks (subsets of the sensitive symbols) for block mechanisms.

A family must look the same from every symbol and every pair of symbols: a share f of the blocks holds a
symbol, of those blocks a share `together` holds a given other symbol, of the rest a share `apart`. All that
an estimator does depends on these three numbers only, so a small family may stand in for a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

Block = tuple[int, ...]

_MOST_LISTED = 20_000  # blocks
_MOST_ENTRIES = 2_000_000  # of all blocks of a small family together


@dataclass(frozen=True, slots=True)
class Design:
    """A family of blocks of the points 0 .. v-1. `blocks` is None where all k-subsets are meant but not
    listed.

    size is k, or 0 where blocks differ in size.
    """

    name: str
    v: int
    size: int
    count: int
    share: Fraction
    together: Fraction
    apart: Fraction
    blocks: tuple[Block, ...] | None = None

    def listed(self) -> tuple[Block, ...]:
        """All blocks. Raises ValueError when there are more than 20,000."""
        if self.blocks is not None:
            return self.blocks
        if self.count > _MOST_LISTED:
            raise ValueError(f"{self.count} blocks are too many to list; at most {_MOST_LISTED}")
        return tuple(combinations(range(self.v), self.size))


def complete(v: int, k: int) -> Design:
    """All k-subsets of v points. Raises ValueError unless 1 <= k <= v."""
    if not 1 <= k <= v:
        raise ValueError(f"a block has 1 to {v} symbols, not {k}")
    return _balanced("complete", v, k, comb(v, k), None)


def small(v: int, k: int) -> Design:
    """The smallest family known here with the parameters of complete(v, k): v blocks, or the complete one.

    Singletons, projective planes and spaces (Singer), Hadamard designs (Singer for v = 2^j - 1, Paley for
    prime v = 3 mod 4), and the complements of all of these. Raises ValueError unless 1 <= k <= v.
    """
    if not 1 <= k <= v or v * k > _MOST_ENTRIES:
        return complete(v, k)
    if k in (1, v):
        return _balanced("complete", v, k, comb(v, k), tuple(combinations(range(v), k)))
    if k > v - k:
        other = small(v, v - k)
        if other.blocks is None:
            return complete(v, k)
        rest = tuple(tuple(sorted(set(range(v)) - set(block))) for block in other.blocks)
        return _balanced(f"complement of {other.name}", v, k, len(rest), rest)
    for name, base in (("Singer", _singer(v, k)), ("Paley", _paley(v, k))):
        if base is not None:
            blocks = tuple(tuple(sorted((point + shift) % v for point in base)) for shift in range(v))
            return _balanced(name, v, k, v, blocks)
    return complete(v, k)


def hadamard(v: int) -> Design:
    """The columns of Sylvester's Hadamard matrix of the least order above v: point s is in block y where the
    entry in row s + 1 is +1. Each holds half of the blocks, each two a quarter; blocks differ in size."""
    order = 1 << v.bit_length()
    blocks = tuple(
        tuple(s for s in range(v) if ((s + 1) & column).bit_count() % 2 == 0) for column in range(order)
    )
    half = Fraction(1, 2)
    return Design("Hadamard", v, 0, order, half, half, half, blocks)


def _balanced(name: str, v: int, k: int, count: int, blocks: tuple[Block, ...] | None) -> Design:
    rest = max(v - 1, 1)
    return Design(
        name, v, k, count, Fraction(k, v), Fraction(k - 1, rest), Fraction(min(k, v - 1), rest), blocks
    )


def _paley(v: int, k: int) -> Iterable[int] | None:
    """The squares modulo a prime v = 3 mod 4: a difference set of (v-1)/2 points (Paley 1933)."""
    if 2 * k != v - 1 or v % 4 != 3 or not _is_prime(v):
        return None
    return {x * x % v for x in range(1, v)}


def _singer(v: int, k: int) -> Iterable[int] | None:
    """A hyperplane of the projective space with v points, as a difference set (Singer 1938), where v and k
    are the numbers of points of PG(d, q) and PG(d-1, q) for a prime q and d >= 2."""
    for q, d in _spaces(v):
        if (q**d - 1) // (q - 1) == k:
            return _hyperplane(q, d + 1, v)
    return None


def _spaces(v: int) -> Iterator[tuple[int, int]]:
    for d in range(2, v.bit_length()):
        q = 2
        while (points := (q ** (d + 1) - 1) // (q - 1)) <= v:
            if points == v and _is_prime(q):
                yield q, d
            q += 1


def _hyperplane(q: int, degree: int, v: int) -> set[int]:
    """Exponents i < v for which the last coordinate of x^i vanishes in GF(q^degree), x of full order."""
    for low in range(1, q**degree):
        polynomial = [low // q**i % q for i in range(degree)]  # x^degree = sum polynomial_i x^i
        if polynomial[0] and (exponents := _zeros(q, polynomial, v)) is not None:
            return exponents
    raise ArithmeticError(f"no primitive polynomial of degree {degree} over GF({q})")


def _zeros(q: int, polynomial: list[int], v: int) -> set[int] | None:
    """The exponents, or None when some power before x^v is a constant, or x^v is not one."""
    degree = len(polynomial)
    power, zeros = [1] + [0] * (degree - 1), set()
    for i in range(v):
        if i and not any(power[1:]):
            return None
        if power[-1] == 0:
            zeros.add(i)
        carry = power[-1]
        power = [
            (below + carry * factor) % q for below, factor in zip([0, *power[:-1]], polynomial, strict=True)
        ]
    return zeros if not any(power[1:]) else None


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
