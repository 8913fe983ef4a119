"""Named compositions for the accountant's tests, each with an accountant and a sharp reference, made once."""

from fractions import Fraction as F
from functools import cache

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.profile_point import ProfilePoint
from tests.reference.arb_tail import ArbTail
from tests.reference.cells import Cells
from tests.reference.census import PER_LEVEL, level_cells, pair_cells
from tests.reference.checks import assert_absolute, assert_encloses, assert_relative
from tests.reference.convolution import ConvolutionTail

Tail = ArbTail | ConvolutionTail

PAIRS = {
    "no bypass": ("000000", "000000"),
    "one deep bypass": ("000000", "011111"),
    "two mixed": ("001111", "010010"),
    "heavy, one path": ("111111", "111111"),
    "heavy, two paths": ("010111", "111011"),
}

SMALL: dict[str, Cells] = {
    "one cell, sigma^2 = 1": {F(1): 1},
    "two cells, sigma^2 = 1": {F(1): 2},
    "one cell, sigma^2 = 1/100": {F(100): 1},
    "one cell, sigma^2 = 10^6": {F(1, 10**6): 1},
    "sigma^2 from 1/100 to 10^6": {F(100): 1, F(1): 1, F(1, 100): 2, F(1, 10**6): 20},
    "sigma^2 = 1/6 and 1/5": {F(6): 3, F(5): 2},
    "three lattices": {F(2, 7): 3, F(3, 11): 2, F(1, 13): 4},
    "200 equal cells": {F(1, 20): 200},
    "200 cells, R = 10000": {F(50): 200},
    "one 40-digit denominator": {F(2718281828459045235360287471352662497757, 10**40 - 17): 7},
} | {f"level {level}": level_cells(level) for level in PER_LEVEL}

MANY: dict[str, Cells] = {
    "200 cells of 50 kinds": {F(k, 1000): 4 for k in range(1, 51)},
    "160 cells of 8 primes": {F(p, 500): 20 for p in (2, 3, 5, 7, 11, 13, 17, 19)},
}

#: Lattices too fine to plan at once.
LONG: Cells = {
    F(2718281828459045235360287471352662497757, 10**40 - 17): 3,
    F(1414213562373095048801688724209698078570, 10**40 + 121): 2,
}
NEARLY_EQUAL: Cells = {F(1, 2): 10, F(1, 2) * (1 + F(1, 10**10)): 10}

#: Where one cell's sigma^2 is so small that the law of T is lumpy, no tilt fits the valleys between its
#: lumps: the bounds stay valid there but are wider than 1e-12.
LUMPY: dict[str, F] = {
    "sigma^2 = 1/6 and 1/5": F(1, 10**10),
    "200 cells, R = 10000": F(1, 10**11),
    "sigma^2 from 1/100 to 10^6": F(10**100),
}


def cells_of(name: str) -> Cells:
    """Cells of a named composition."""
    if name in PAIRS:
        return pair_cells(*PAIRS[name])
    return (SMALL | MANY)[name]


@cache
def accountant(name: str) -> Accountant:
    """The accountant under test."""
    return Accountant(Composition.from_counts(cells_of(name)))


@cache
def reference(name: str) -> Tail:
    """A reference for absolute work to 1e-35 and relative work to about 1e-25 in the tails."""
    if name in SMALL or name == "heavy, one path":
        return ConvolutionTail(cells_of(name), bits=420)
    return ArbTail(cells_of(name), digits=38 if name == "heavy, two paths" else 70)


def assert_holds(point: ProfilePoint, truth: Tail) -> None:
    """The bounds of delta and of both tails hold the reference's."""
    for name in ("delta", "alpha", "power"):
        assert_encloses(getattr(point, name), getattr(truth, name)(point.eps))


def assert_exact(point: ProfilePoint, truth: Tail) -> None:
    """Both tails to 1e-35, delta to 1e-12 relatively where the reference is sharp enough, else held."""
    assert_absolute(point.alpha, truth.alpha(point.eps))
    assert_absolute(point.power, truth.power(point.eps))
    delta = truth.delta(point.eps)
    (assert_relative if delta.width < delta.lower / 10**14 else assert_encloses)(point.delta, delta)


@cache
def arb_reference(name: str, digits: int) -> ArbTail:
    """Ball arithmetic at a given number of digits, for far tails or as a second opinion."""
    return ArbTail(cells_of(name), digits)


@cache
def convolution_reference(name: str, bits: int) -> ConvolutionTail:
    """Integer products with a given number of bits, for far tails."""
    return ConvolutionTail(cells_of(name), bits)
