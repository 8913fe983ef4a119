"""Integers in limbs against Python's own, and the conversions to doubles and triples to their bounds."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.nodes.lattice import LatticeError, node_lattice, short_points
from kernels.numerics.nodes.residues import (
    LIMB_BITS,
    Nodes,
    _centre,
    _exceeds,
    limb_count,
    limbs,
    resolve,
    to_float,
    to_triple,
)
from tests.kernels.numerics.exact import MANY, SEEDS, SOME, integer, total

LENGTH = 12


def integers() -> st.SearchStrategy[int]:
    """Integers of either sign up to 340 bits, many with runs of equal bits or close to a power of 2."""
    return st.builds(_integer, SEEDS)


def _integer(seed: int) -> int:
    random = Random(seed)
    bits = random.randint(0, 340)
    number = random.choice([2**bits, 2**bits - 2 ** random.randint(0, bits), random.getrandbits(bits + 1)])
    return random.choice([1, -1]) * (number + random.choice([-1, 0, 0, 1]))


def test_limbs_of_known_numbers() -> None:
    assert limbs(-1, 3).tolist() == [2**30 - 1, 2**30 - 1, -1]
    assert limbs(2**30, 2).tolist() == [0, 1]
    assert limbs(7, 1).tolist() == [7]
    assert limbs(-(2**61) - 1, 3).tolist() == [2**30 - 1, 2**30 - 1, -3]


@SOME
@given(integers(), st.integers(LENGTH, LENGTH + 3))
def test_limbs_hold_the_number(number: int, length: int) -> None:
    digits = limbs(number, length)
    assert integer(digits) == number
    assert all(0 <= digit < 2**LIMB_BITS for digit in digits[:-1])


@pytest.mark.parametrize("modulus", [1, 2, 2**28, 2**29 - 1, 2**29, 2**59, 2**64 + 13, 10**40])
def test_limb_count_leaves_room_for_the_sign(modulus: int) -> None:
    for number in (2 * modulus, -2 * modulus):
        digits = limbs(number, limb_count(modulus))
        assert integer(digits) == number
        assert abs(int(digits[-1])) < 2**LIMB_BITS


@MANY
@given(integers())
@example(0)
@example(-1)
@example(2**53 + 1)
@example(-(2**330) + 2**200 - 1)
def test_conversions_are_within_their_bounds(number: int) -> None:
    digits = limbs(number, LENGTH)
    assert abs(F(to_float(digits)) - number) <= F(abs(number), 2**51)
    assert abs(total(to_triple(digits)) - number) <= F(abs(number), 2**149)


@MANY
@given(integers(), integers())
@example(0, 0)
@example(5, -5)
@example(2**60, -(2**60))
def test_comparison_with_half_the_modulus(half: int, difference: int) -> None:
    half = abs(half)
    for number in (half + difference, half, -half, -half - difference):
        digits, bar = limbs(number, LENGTH), limbs(half, LENGTH)
        assert _exceeds(digits, bar, 1) == (number > half)
        assert _exceeds(digits, bar, -1) == (-number >= half)


def centred(number: int, modulus: int) -> int:
    """The residue modulo 2 N in (-N, N], by way of the limbs."""
    length = limb_count(modulus)
    digits = limbs(number, length)
    _centre(digits, limbs(2 * modulus, length), limbs(modulus, length), float(2 * modulus))
    return integer(digits)


@MANY
@given(integers(), st.integers(-(2**30), 2**30), st.sampled_from([-1, 0, 1, 2]))
@example(1, 3, 1)
@example(2**64 + 13, 2**30, 1)
@example(3**150, -(2**30), -1)
def test_centring_reduces_exactly(modulus: int, turns: int, nudge: int) -> None:
    modulus = abs(modulus) + 1
    for number in (turns * modulus + nudge, turns * 2 * modulus + modulus // 3, (2 * turns + 1) * modulus):
        residue = centred(number, modulus)
        assert -modulus < residue <= modulus
        assert (residue - number) % (2 * modulus) == 0


def test_centring_a_number_whose_limbs_are_not_carried() -> None:
    modulus = 2**64 + 13
    length = limb_count(modulus)
    digits = np.array([-(2**60), 2**60, -(2**59)], dtype=np.int64)
    assert length == len(digits)
    number = integer(digits)
    _centre(digits, limbs(2 * modulus, length), limbs(modulus, length), float(2 * modulus))
    assert (integer(digits) - number) % (2 * modulus) == 0
    assert -modulus < integer(digits) <= modulus


def test_coefficients_too_large_for_exact_limbs_are_refused() -> None:
    lattice = node_lattice([1], 1000, [400.0], 30.0)
    with pytest.raises(LatticeError, match="too large"):
        resolve(lattice, [1], np.array([[2**30 + 1]], dtype=np.int32))


def test_no_points_give_no_nodes() -> None:
    lattice = node_lattice([1, 2], 100, [1e6, 1e6], 1e-3)
    nodes = resolve(lattice, [1, 2], short_points(lattice, 1e-3, 10))
    assert nodes.p.shape == (0, limb_count(100))
    assert nodes.residue.shape == (0, 2, limb_count(100))


def test_take_keeps_rows_together() -> None:
    lattice = node_lattice([3, 7], 2000, [500.0, 200.0], 20.0)
    nodes = resolve(lattice, [3, 7], short_points(lattice, 20.0, 10**4))
    order = np.array([5, 0, 3])
    taken = nodes.take(order)
    assert isinstance(taken, Nodes)
    assert [integer(row) for row in taken.p] == [integer(nodes.p[i]) for i in order]
    assert np.array_equal(taken.residue, nodes.residue[order])
