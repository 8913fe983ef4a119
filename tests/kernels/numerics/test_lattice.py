"""Short points of the lattice of nodes against a scan of every odd p, and against planted nodes of huge N."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction as F
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given

from kernels.numerics.nodes.lattice import (
    NEAR,
    LatticeError,
    NodeLattice,
    _enumerate,
    choose_factors,
    node_lattice,
    short_points,
)
from kernels.numerics.nodes.residues import Nodes, resolve
from tests.kernels.numerics.exact import SEEDS, SOME, integer
from tests.reference.cells import FINE, PRIMES

#: weights, N, decay of every factor, bound on the sum of decay f^2
CASES: dict[str, tuple[list[int], int, list[float], float]] = {
    "one cell, N even": ([1], 1000, [400.0], 30.0),
    "one cell, N odd": ([1], 1001, [400.0], 30.0),
    "one weak cell": ([1], 61, [0.05], 80.0),
    "one weight with N in common": ([6], 600, [900.0], 12.0),
    "N divides the weight": ([50], 25, [900.0], 12.0),
    "N = 1": ([1], 1, [10.0], 5.0),
    "N = 2": ([3], 2, [10.0], 5.0),
    "two cells": ([3, 7], 2000, [500.0, 200.0], 20.0),
    "two cells, N odd": ([3, 7], 2001, [500.0, 200.0], 20.0),
    "one factor weak": ([3, 7], 2001, [5000.0, 1e-3], 20.0),
    "both weak, everything survives": ([3, 8], 101, [0.5, 0.2], 30.0),
    "weights chosen have a common divisor, the rest not": ([6, 10, 15], 3000, [8e4, 9e4, 1.0], 18.0),
    "all weights and N have a common divisor": ([6, 10, 14], 3000, [8e4, 9e4, 1e3], 18.0),
    "four cells": ([73, 999, 310, 478], 40_000, [9e4, 6e3, 2e4, 1.2e4], 60.0),
    "four cells, N odd": ([73, 999, 310, 478], 40_001, [9e4, 6e3, 2e4, 1.2e4], 60.0),
    "weights beyond N": ([10**12 + 39, 10**12 + 61], 5001, [2000.0, 3000.0], 25.0),
    "no node survives": ([1, 2], 100, [1e6, 1e6], 1e-3),
}


def metric(lattice: NodeLattice, decay: Sequence[float]) -> list[float]:
    """What a chosen factor counts for in the enumeration."""
    return [max(decay[c], 4.0) for c in lattice.chosen]


def spent(weights: Sequence[int], modulus: int, p: int, a: Sequence[float]) -> float:
    """Sum of a f^2 at one node, from exact residues."""
    total = 0.0
    for weight, size in zip(weights, a, strict=True):
        residue = weight * p % (2 * modulus)
        total += size * (min(residue, 2 * modulus - residue) / (2 * modulus)) ** 2
    return total


def assert_exact(nodes: Nodes, weights: Sequence[int], modulus: int) -> list[int]:
    """The nodes are distinct odd integers in 1 .. N with the centred residues of every weight."""
    ps = [integer(row) for row in nodes.p]
    assert len(set(ps)) == len(ps)
    for p, row in zip(ps, nodes.residue, strict=True):
        assert 0 < p <= modulus
        assert p % 2 == 1
        for weight, digits in zip(weights, row, strict=True):
            residue = integer(digits)
            assert -modulus < residue <= modulus
            assert (residue - weight * p) % (2 * modulus) == 0
    return ps


def check_against_scan(weights: list[int], modulus: int, decay: list[float], bound: float) -> NodeLattice:
    """Everything within the bound is found; nothing beyond the metric's own, slightly larger ball."""
    lattice = node_lattice(weights, modulus, decay, bound)
    found = set(
        assert_exact(resolve(lattice, weights, short_points(lattice, bound, 10**6)), weights, modulus)
    )
    part = [weights[c] for c in lattice.chosen]
    a = metric(lattice, decay)
    radius = bound + lattice.surplus
    for p in range(1, modulus + 1, 2):
        size = spent(part, modulus, p, a) + NEAR * (p / modulus) ** 2
        if p in found:
            assert size <= radius * (1 + 1e-5) + 1e-12
        else:
            assert size > radius * (1 - 1e-12)
            assert spent(part, modulus, p, [decay[c] for c in lattice.chosen]) > bound
    return lattice


@pytest.mark.parametrize("name", CASES)
def test_nodes_found_are_those_of_a_scan(name: str) -> None:
    check_against_scan(*CASES[name])


@SOME
@given(SEEDS)
def test_nodes_found_are_those_of_a_scan_at_random(seed: int) -> None:
    random = np.random.default_rng(seed)
    d = int(random.integers(1, 6))
    common = int(random.choice([1, 1, 1, 2, 3, 12]))
    weights = [common * int(w) for w in random.integers(1, 10 ** random.integers(1, 6), d)]
    modulus = common * int(random.integers(1, 300)) if seed % 3 else int(random.integers(1, 3000))
    decay = [float(a) for a in 10 ** random.uniform(-2, 5, d)]
    check_against_scan(weights, modulus, decay, float(random.uniform(1, 100)))


@pytest.mark.parametrize("modulus", [2**64 + 13, 2**64 + 14, 10**40 + 4, 3**150])
def test_planted_nodes_of_a_huge_lattice_are_found(modulus: int) -> None:
    """A node p of which all residues are small, chosen first; the weights follow from it."""
    random = Random(modulus)
    size, d, bound = 2 * modulus, 12, 60.0
    p = size // 3 - size // 3 % 2 + 1
    while math.gcd(p, size) > 1:
        p += 2
    # sharp enough that a random node has no chance, while p, 3 p, 5 p ... stay well within the bound
    sharpness = (modulus * 1e12) ** (2 / d)
    decay = [sharpness * random.uniform(0.5, 2.0) for _ in range(d)]
    most = [int(F(math.sqrt(bound / 2000 / d / a)) * size) for a in decay]
    small = [random.randrange(residue - residue // 1000, residue) for residue in most]
    weights = [residue * pow(p, -1, size) % size for residue in small]
    lattice = node_lattice(weights, modulus, decay, bound)
    nodes = resolve(lattice, weights, short_points(lattice, bound, 10**4))
    found = assert_exact(nodes, weights, modulus)
    multiples = {k * p % size for k in range(1, 200, 2) if spent(weights, modulus, k * p, decay) <= bound}
    multiples = {q if q <= modulus else size - q for q in multiples}
    assert len(multiples) >= 20
    assert len(found) <= 1000
    assert set(found) >= multiples
    part = [weights[c] for c in lattice.chosen]
    for q in found:
        assert spent(part, modulus, q, metric(lattice, decay)) <= bound * 1.001


def test_nodes_beyond_64_bits_around_zero() -> None:
    """All small p survive on any lattice: there the angles are w p / 2 N without reduction."""
    rhos = list(FINE)
    spacing = F(355, 113 * 7 * math.prod(PRIMES))
    weights = [int(rho / spacing) for rho in rhos]
    modulus = 2**64 + 13
    decay = [2 * 2 * math.pi**2 * prime / float(rho) for rho, prime in zip(rhos, PRIMES, strict=True)]
    lattice = node_lattice(weights, modulus, decay, 85.0)
    nodes = resolve(lattice, weights, short_points(lattice, 85.0, 10**6))
    found = set(assert_exact(nodes, weights, modulus))
    start = {p for p in range(1, 5000, 2) if spent(weights, modulus, p, decay) <= 85.0}
    assert len(start) > 20
    assert found >= start


@SOME
@given(SEEDS)
def test_enumeration_equals_a_search_of_a_box(seed: int) -> None:
    random = np.random.default_rng(seed)
    d = int(random.integers(1, 4))
    triangle = np.triu(random.normal(size=(d, d)))
    triangle[np.diag_indices(d)] = random.uniform(0.6, 2.0, d)
    parity = random.integers(0, 2, d)
    bound = float(random.uniform(0.1, 6.0))
    reach = math.ceil(2.2 * math.sqrt(bound) * np.linalg.norm(np.linalg.inv(triangle), 2)) + 1
    expected = set()
    for point in product(*(range(-reach + (reach + int(odd)) % 2, reach + 1, 2) for odd in parity)):
        if np.sum((triangle @ np.array(point) / 2) ** 2) <= bound:
            expected.add(point)
    found = _enumerate(triangle, parity.astype(np.int64), bound, 10**6)
    assert {tuple(row) for row in found.tolist()} == expected
    assert len(found) == len(expected)


def test_factors_are_chosen_by_their_strength() -> None:
    assert choose_factors([0.0], 80.0) == (0,)
    assert choose_factors([1.0, 1e6, 2.0, 1e5], 80.0) == (1, 3)
    assert choose_factors([1e6] * 5, 80.0) == (0, 1, 2, 3, 4)
    assert choose_factors([0.1, 0.2], 80.0) == (1,)
    many = choose_factors([1e6] * 100 + [79.0, 81.0], 80.0)
    assert many == (*range(100), 101), "one more turn of a factor below the bound would be within it"


def test_too_many_points_are_refused() -> None:
    weights, modulus, decay, bound = CASES["both weak, everything survives"]
    lattice = node_lattice(weights, modulus, decay, bound)
    assert len(short_points(lattice, bound, 10**4)) >= 101
    with pytest.raises(LatticeError, match="more than 50 nodes"):
        short_points(lattice, bound, 50)


def test_a_skew_lattice_is_refused() -> None:
    with pytest.raises(LatticeError, match="skew"):
        node_lattice([1, 2], 10**18 + 1, [1e4, 1e4], 80.0)
