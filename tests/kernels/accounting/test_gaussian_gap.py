"""The distance from the Gaussian limit, against direct sums over every outcome; its expansion's cumulants."""

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from flint import ctx

from kernels.accounting.closeness.edgeworth import cell_cumulants
from kernels.accounting.closeness.families import homogeneous, split
from kernels.accounting.closeness.gaussian_gap import gaussian_gap
from kernels.accounting.composition import Composition
from tests.kernels.numerics.exact import to_mpf

NORMAL = NormalDist()


@pytest.mark.parametrize("rho", ["1/100", "1/16", "9/10", "3", "40"])
def test_the_cumulants_of_a_cell_are_those_of_its_sum(rho: str) -> None:
    number = Fraction(rho)
    with ctx.workprec(256), mpmath.workdps(60):
        found = [mpmath.mpf(part.mid().str(50, radius=False)) for part in cell_cumulants(number)]
    with mpmath.workdps(60):
        precision = to_mpf(number)
        reach = int(mpmath.ceil(mpmath.sqrt(300 / precision))) + 2
        weights = [mpmath.exp(-precision * x * x / 2) for x in range(-reach, reach + 1)]
        moments = [
            mpmath.fsum(w * (x - reach) ** k for x, w in enumerate(weights)) / mpmath.fsum(weights)
            for k in (2, 4)
        ]
        exact = moments[0], moments[1] - 3 * moments[0] ** 2
        assert abs(found[0] - exact[0]) < mpmath.mpf("1e-45") * exact[0]
        assert abs(found[1] - exact[1]) < mpmath.mpf("1e-40") * max(1, exact[0] ** 2)


def curve(composition: Composition) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of the trade-off function, alpha rising, by convolution over every outcome."""
    (rho, count), *others = composition.cells
    assert not others
    x = np.arange(-60, 61)
    cell = np.exp(-float(rho) * x**2 / 2)
    cell /= cell.sum()
    law = np.ones(1)
    for _ in range(count):
        law = np.convolve(law, cell)
    outcome = np.arange(len(law)) - len(law) // 2
    shifted = law * np.exp(float(rho) * outcome - float(composition.total_rho) / 2)
    return np.r_[0.0, np.cumsum(law[::-1])], np.r_[1.0, 1.0 - np.cumsum(shifted[::-1])]


@pytest.mark.parametrize(("total", "cells"), [("4", 4), ("9", 12), ("1/2", 3)])
def test_the_distance_is_the_largest_over_a_dense_grid(total: str, cells: int) -> None:
    composition = homogeneous(Fraction(total), cells)
    alpha, beta = curve(composition)
    mu = sqrt(float(Fraction(total)))
    grid = np.linspace(1e-6, 1 - 1e-6, 20_001)
    limit = np.array([NORMAL.cdf(-NORMAL.inv_cdf(a) - mu) for a in grid])
    densest = np.abs(np.interp(grid, alpha, beta) - limit).max()
    found = gaussian_gap(composition)
    assert found.complete
    assert densest <= float(found.gap.upper) * (1 + 1e-9)
    assert float(found.gap.lower) == pytest.approx(densest, rel=1e-4)
    assert found.gap.width < 1e-30


def test_equal_cells_come_nearer_as_their_number_squared() -> None:
    coarse, fine = (gaussian_gap(homogeneous(Fraction(10), cells)) for cells in (40, 80))
    assert float(coarse.gap.value / fine.gap.value) == pytest.approx(4, rel=5e-3)
    assert float(fine.gap.value) == pytest.approx(float(fine.leading.value), rel=1e-3)
    assert float(fine.leading.value) == pytest.approx((10 / 80) ** 2 / (12 * sqrt(20 * np.pi)), rel=1e-12)


def test_the_expansion_leaves_the_sixth_order() -> None:
    coarse, fine = (gaussian_gap(homogeneous(Fraction(10), cells)) for cells in (40, 80))
    assert fine.corrected.upper < fine.gap.lower / 10**6
    assert float(coarse.corrected.value / fine.corrected.value) == pytest.approx(64, rel=0.1)


def test_unequal_cells_leave_their_nodes_behind_once_split() -> None:
    whole = Composition.from_counts({Fraction(7, 10): 2, Fraction(1, 5): 3, Fraction(33, 100): 4})
    gaps = [gaussian_gap(split(whole, parts)) for parts in (1, 4)]
    assert gaps[0].gap.lower > 3 * gaps[0].leading.upper
    assert float(gaps[1].gap.value) == pytest.approx(float(gaps[1].leading.value), rel=1e-3)
    assert gaps[1].corrected.upper < gaps[1].gap.lower / 10**6
