"""Nodes found as short vectors, against all nodes one by one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb

from kernels.certificate import short
from kernels.certificate.allocation_text import AllocationText, rational_gcd
from kernels.certificate.short import loss, short_nodes
from kernels.certificate.survivors import OutOfReach
from kernels.certificate.tails import Family, Pair, common_period, needed_period

from .small import TEXT

CELLS = {Fraction(3, 7): 2, Fraction(5, 11): 1, Fraction(9, 4): 1}
STEP = rational_gcd(list(CELLS))
MODULUS = 12_320  # 40 / STEP
ONE = Fraction(1)


@pytest.fixture(autouse=True)
def lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few nodes are looked at one by one otherwise."""
    monkeypatch.setattr(short, "FEW", 0)


def phi(rho: Fraction, turns: float) -> float:
    """By theta functions."""
    tau = acb(0, arb(rho.numerator) / rho.denominator / (2 * arb.pi()))
    values = [acb.modular_theta(acb(u), tau)[2].real for u in (turns, 0.0)]
    return float(values[0] / values[1])


@pytest.mark.parametrize("rho", ["1/50", "1", "23/4", "6", "60"])
def test_loss_is_that_of_theta_functions(rho: str) -> None:
    turns = np.linspace(0.0, 0.5, 7)
    expected = [-math.log(phi(Fraction(rho), u)) for u in turns]
    np.testing.assert_allclose(loss(float(Fraction(rho)), turns), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("few", [0, 10**6])
@pytest.mark.parametrize("out", [1e-4, 1e-7, 1e-10])
def test_what_is_left_out_weighs_no_more_than_allowed(
    out: float, few: int, power: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short, "FEW", few)
    found = short_nodes(CELLS, MODULUS, STEP, out, ONE, power)
    assert found[0] == 0
    assert found == sorted(set(found))
    assert found[-1] <= MODULUS // 2
    n = np.arange(1, MODULUS // 2 + 1)
    spent = np.zeros(len(n))
    for rho, count in CELLS.items():
        turns = n * int(rho / STEP) % MODULUS / MODULUS
        spent += count * loss(float(rho), np.minimum(turns, 1.0 - turns))
    weights = np.exp(-spent) / (2.0 * n**power)
    left_out = np.ones(len(n), dtype=bool)
    left_out[np.array(found[1:], dtype=np.int64) - 1] = False
    assert 0 < weights[left_out].sum() <= out
    # Few more are kept than must be.
    lightest = np.sort(weights)
    needed = len(n) - np.searchsorted(np.cumsum(lightest), out)
    assert len(found) <= 1.3 * needed + 50


def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short, "MOST_COORDINATES", 100)
    with pytest.raises(OutOfReach, match="lattice vectors"):
        short_nodes(CELLS, MODULUS, STEP, 1e-30, ONE, 1)


def test_endless_periods_are_refused() -> None:
    with pytest.raises(OutOfReach, match="lattice steps"):
        short_nodes(CELLS, 10**400, STEP, 1e-30, ONE, 1)


def test_both_ways_find_the_same_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scan of residues on a period common to both members, and short vectors on one that is not."""
    first, second = AllocationText.parse(TEXT).members("/pairs/00,10")
    steps = [rational_gcd(list(first)), rational_gcd(list(second))]
    total = sum((rho * count for half in (first, second) for rho, count in half.items()), Fraction(0))
    needed = needed_period(total, 4 * total)
    scanned = Pair(Family(common_period(steps, needed)), first, second)
    assert scanned.coarse
    values = [scanned.alpha(ONE, [1e-30]), scanned.beta(ONE, [1e-30]), scanned.delta(Fraction(3))]
    monkeypatch.setattr("kernels.certificate.tails.MOST_SCANNED", 0)
    listed = Pair(Family(common_period([scanned.step], needed)), first, second)
    assert not listed.coarse
    again = [listed.alpha(ONE, [1e-30]), listed.beta(ONE, [1e-30]), listed.delta(Fraction(3))]
    for one, other in zip(values, again, strict=True):
        assert one.overlaps(other)
        assert other.rad() < 1e-14 * one.mid()
