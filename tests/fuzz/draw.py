"""Random compositions, and questions about them, from a seed."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.cells import Cells, rational_gcd, total

LEAST, MOST = -6.0, 2.0  # log10 of rho, so that sigma^2 goes from 1/100 to 10^6
MOST_CELLS = 200
FAR = (Fraction(709), Fraction(710), Fraction(5000))


@dataclass(frozen=True)
class Case:
    """A composition, and what is asked about it: eps of the profile, delta of the inverse, alpha of the
    trade-off function, and whether the variance reduction is asked too."""

    kind: str
    cells: Cells
    eps: tuple[Fraction, ...]
    delta: Fraction
    alpha: Fraction
    reduction: bool


def case(seed: int, index: int, attempt: int = 0) -> Case:
    """The case of this number; `attempt` gives another one of the same kind in its place."""
    [kind] = random.Random(f"{seed}/{index}").choices(list(KINDS), [weight for weight, _ in KINDS.values()])
    rng = random.Random(f"{seed}/{index}/{attempt}")
    cells = KINDS[kind][1](rng)
    return Case(kind, cells, _eps(rng, cells), _delta(rng), _alpha(rng), rng.random() < 0.1)


def _log_rho(rng: random.Random, low: float = LEAST, high: float = MOST) -> Fraction:
    return Fraction(10.0 ** rng.uniform(low, high))


def _rounded(rho: Fraction, denominator: int) -> Fraction:
    return Fraction(max(1, round(rho * denominator)), denominator)


def _shared(rng: random.Random, rhos: list[Fraction]) -> Cells:
    """A number of cells for every rho, 200 together at most."""
    counts: dict[Fraction, int] = {}
    left = MOST_CELLS
    for place, rho in enumerate(rhos):
        most = left - (len(rhos) - place - 1)
        if most < 1:
            break
        count = 1 if rng.random() < 0.3 else rng.randint(1, max(1, most // rng.randint(1, 8)))
        counts[rho] = counts.get(rho, 0) + count
        left -= count
    return counts


def _equal(rng: random.Random) -> Cells:
    """One rho of any size, plain or with a 40-digit denominator."""
    return {_any_rho(rng): rng.randint(1, MOST_CELLS)}


def _any_rho(rng: random.Random) -> Fraction:
    rho = _log_rho(rng)
    return rng.choice(
        [
            lambda: _rounded(rho, 10 ** rng.randint(0, 8)),
            lambda: rho.limit_denominator(rng.randint(1, 1000)) or Fraction(1, 1000),
            lambda: _long(rng, rho),
        ]
    )()


def _long(rng: random.Random, rho: Fraction) -> Fraction:
    """A rational near rho with a denominator of 40 digits."""
    denominator = rng.randrange(10**39, 10**40)
    return Fraction(max(1, int(rho * denominator)), denominator)


def _nearly_equal(rng: random.Random) -> Cells:
    """Two or three rhos that differ relatively by a few per cent to 1e-40."""
    rho = _any_rho(rng) if rng.random() < 0.3 else Fraction(rng.randint(1, 9), rng.randint(1, 30))
    rhos = [rho]
    for _ in range(rng.randint(1, 2)):
        apart = Fraction(rng.choice([-1, 1]) * rng.randint(1, 9), 10 ** rng.choice([1, 2, 3, 4, 6, 20, 40]))
        rhos.append(rho * (1 + apart))
    return _shared(rng, rhos)


def _long_denominators(rng: random.Random) -> Cells:
    """A few unrelated rhos with 40-digit denominators."""
    return _shared(rng, [_long(rng, _log_rho(rng)) for _ in range(rng.randint(1, 3))])


def _decimals(rng: random.Random) -> Cells:
    """Rhos with a few decimals within a window of up to 8 orders of magnitude."""
    width = rng.choice([1.0, 2.0, 4.0, 8.0])
    low = rng.uniform(LEAST, MOST - width)
    denominator = 10 ** rng.randint(math.ceil(max(-low, 0.0)), 6)
    rhos = [_rounded(_log_rho(rng, low, low + width), denominator) for _ in range(rng.randint(1, 20))]
    return _shared(rng, rhos)


def _small_fractions(rng: random.Random) -> Cells:
    """Rhos p/q with small numbers, on up to four unlike lattices."""
    return _shared(rng, [Fraction(rng.randint(1, 40), rng.randint(1, 30)) for _ in range(rng.randint(1, 4))])


def _wide(rng: random.Random) -> Cells:
    """sigma^2 of 1/100 beside 10^6, and some between."""
    between = [_rounded(_log_rho(rng), 10**6) for _ in range(rng.randint(0, 4))]
    return _shared(rng, [Fraction(1, 10**6), *between, Fraction(100)])


def _census_like(rng: random.Random) -> Cells:
    """Several rhos with a common denominator, many cells of each."""
    denominator = 10 ** rng.randint(2, 5)
    scale = 10 ** rng.uniform(-5, 0.5)
    rhos = [_rounded(Fraction(scale * rng.randint(1, 200) / 200), denominator) for _ in range(12)]
    return _shared(rng, rhos[: rng.randint(2, 12)])


def _all_different(rng: random.Random) -> Cells:
    """Up to 200 cells, hardly two of them alike, in a window of up to 8 orders of magnitude."""
    width = rng.choice([1.0, 2.0, 4.0, 8.0])
    low = rng.uniform(LEAST, MOST - width)
    denominator = 10 ** rng.randint(math.ceil(max(-low, 0.0)), 8)
    number = rng.randint(1, MOST_CELLS)
    return dict(Counter(_rounded(_log_rho(rng, low, low + width), denominator) for _ in range(number)))


WIDE = "1/100 to 10^6"
FINE = ("nearly equal", "40-digit denominators", WIDE)
#: Kinds of compositions: how often, and how they are drawn.
KINDS: dict[str, tuple[int, Callable[[random.Random], Cells]]] = {
    "equal": (2, _equal),
    "nearly equal": (1, _nearly_equal),
    "40-digit denominators": (1, _long_denominators),
    "decimals": (4, _decimals),
    "small fractions": (3, _small_fractions),
    WIDE: (1, _wide),
    "census-like": (4, _census_like),
    "all different": (2, _all_different),
}


def _eps(rng: random.Random, cells: Cells) -> tuple[Fraction, ...]:
    """Two or three eps: anywhere on the curve, on and beside lattice points, far out, beyond a double's
    range."""
    middle, step = total(cells) / 2, rational_gcd(list(cells))
    spread = Fraction(math.sqrt(total(cells)))

    def along(low: float, high: float) -> Fraction:
        return Fraction(round((middle + spread * Fraction(rng.uniform(low, high))) * 10**8), 10**8)

    def on_lattice() -> Fraction:
        return (along(-2, 8) - middle) // step * step + middle

    choices = [
        lambda: Fraction(0),
        lambda: along(-2, 6),
        lambda: along(4, 12),
        on_lattice,
        lambda: on_lattice() + rng.choice([-1, 1]) * step / 10**6,
        lambda: along(10, 40),
        lambda: -along(-1, 3),
        lambda: rng.choice(FAR),
    ]
    chosen = rng.choices(choices, [2, 4, 4, 2, 2, 2, 1, 1], k=rng.randint(2, 3))
    return tuple(choose() for choose in chosen)


def _delta(rng: random.Random) -> Fraction:
    if rng.random() < 0.1:
        return rng.choice([Fraction(999, 1000), Fraction(1, 10**100), Fraction(1, 10**300), Fraction(1, 2)])
    return Fraction(rng.randint(1, 99), 10 ** rng.randint(2, 20))


def _alpha(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(1, 99), 10 ** rng.choice([2, 2, 3, 6, 12, 20]))
