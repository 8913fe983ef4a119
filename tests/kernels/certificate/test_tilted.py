"""delta from tilted sums: any tilt, the nodes left out, and what is done where nodes are too many."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from kernels.certificate import claims, short
from kernels.certificate.allocation_text import rational_gcd
from kernels.certificate.balls import ends
from kernels.certificate.survivors import OutOfReach
from kernels.certificate.tails import BITS, Family, Half, Pair, common_period, needed_period
from kernels.certificate.tilted import tilted_delta
from tests.reference.convolution import ConvolutionTail
from tests.reference.small import single_cell

CELLS = {Fraction(3, 7): 2, Fraction(5, 11): 1, Fraction(9, 4): 1}
TOTAL = sum(rho * count for rho, count in CELLS.items())
STEP = rational_gcd(list(CELLS))


def pair() -> Pair:
    return Pair(Family(common_period([STEP], needed_period(TOTAL, 4 * TOTAL))), CELLS, {})


@pytest.mark.parametrize("tilt", ["1/5", "9/10", "11/10", "5/2"])
def test_every_tilt_gives_the_same_delta(tilt: str) -> None:
    """With all nodes, on both sides of the poles at 0 and 1; with some left out, within what that may add."""
    eps, modulus = Fraction(3), pair().modulus
    half = Half(tuple(sorted(CELLS.items())), modulus)
    transforms = pair().family.transforms(half, Fraction(tilt), Fraction(1))
    terms = [(n, transforms.at(n)) for n in range(modulus // 2 + 1)]
    truth = ConvolutionTail(CELLS).delta(eps)
    found = tilted_delta(eps, Fraction(tilt), TOTAL, STEP, modulus, terms, 0.0, BITS)
    assert ends(found)[0] <= truth.upper
    assert truth.lower <= ends(found)[1]
    assert found.rad() < 1e-11 * found.mid()
    plain = pair().family.transforms(half, Fraction(0), Fraction(1))
    for kept in (5, 50):
        out = math.fsum(float(plain.at(n).upper()) / (2 * n * n) for n in range(kept, modulus // 2 + 1))
        fewer = tilted_delta(eps, Fraction(tilt), TOTAL, STEP, modulus, terms[:kept], out, BITS)
        assert fewer.contains(found)


@pytest.mark.parametrize(("rho", "eps"), [(60, 30), (100, 50), (100, 80), (200, 700)])
def test_lumps_of_which_delta_is_far_below_the_bound(rho: int, eps: int) -> None:
    """Chernoff's bound of Q(T > rho / 2) is 1, and delta is exp(-rho / 2)."""
    cell = Fraction(rho)
    lump = Pair(Family(common_period([cell], needed_period(cell, 4 * cell))), {cell: 1}, {})
    found = lump.delta(Fraction(eps))
    assert found.overlaps(single_cell(cell, Fraction(eps)).delta)
    assert found.rad() < 1e-8 * found.mid()
    assert lump.loose == (not found.rad() < 1e-16 * found.mid())


def test_what_is_too_lumpy_is_undecided() -> None:
    """delta(500) = exp(-500) for one cell of rho = 1000; neither proven nor called wrong."""
    cell, logarithm = Fraction(1000), -500 / math.log(10)
    lump = Pair(Family(common_period([cell], needed_period(cell, 4 * cell))), {cell: 1}, {})
    one = stored(
        eps=np.array([500.0]),
        delta=np.array([10**logarithm]),
        log10_delta=np.array([logarithm]),
        relative_bound=np.array([1e-12]),
    )
    with pytest.raises(OutOfReach, match="undecided"):
        claims.check(lump, one, "delta", 0)


def test_an_eps_beyond_everything_is_out_of_reach() -> None:
    with pytest.raises(OutOfReach, match="too far out"):
        pair().delta(Fraction(10**300))


def stored(**fields: Any) -> Any:
    """The part of a result that is looked at."""
    return SimpleNamespace(
        threshold_first=Fraction(1), threshold_step=Fraction(1), absolute_bound=1e-30, **fields
    )


def row(value: arb, off: str = "0") -> np.ndarray:
    """Three doubles whose sum is a number to 1e-45, or off by so much."""
    rest, parts = sum(ends(value)) / 2 + Fraction(off), []
    for _ in range(3):
        parts.append(float(rest))
        rest -= Fraction(parts[-1])
    return np.array([parts])


def test_fewer_nodes_where_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wider enclosures prove what is right, and refute what is wrong."""
    monkeypatch.setattr("kernels.certificate.tails.MOST_SCANNED", 0)
    right = pair().alpha(Fraction(1), [1e-40])
    asked, listed = [], short.short_nodes

    def few(cells: Any, modulus: int, step: Fraction, out: float, *rest: Any) -> list[int]:
        asked.append(out)
        if out < 2e-31:
            raise OutOfReach("too many")
        return listed(cells, modulus, step, out, *rest)

    monkeypatch.setattr("kernels.certificate.tails.short_nodes", few)
    loose = pair()
    finding = claims.check(loose, stored(alpha=row(right)), "alpha", 0)
    assert loose.loose
    assert len(asked) == 3
    assert not finding.wrong
    assert finding.share is not None
    assert 0.1 < finding.share <= 0.5
    assert claims.check(loose, stored(alpha=row(right, "3e-30")), "alpha", 0).wrong
    with pytest.raises(OutOfReach, match="undecided"):
        claims.check(loose, stored(alpha=row(right, "1e-30")), "alpha", 0)
