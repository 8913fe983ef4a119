"""The envelope of a stored curve: it holds f everywhere, from the table alone."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.settings import Settings
from kernels.accounting.tradeoff.tabulated import Curve
from tests.reference.checks import assert_encloses

CELLS = Composition.from_counts({Fraction(1, 3): 5, Fraction(2, 7): 3, Fraction(1): 1})
ALPHAS = [Fraction(text) for text in ("0", "1e-60", "1e-12", "1e-3", "1/7", "0.9", "0.999999", "1")]


def curve_of(composition: Composition, thresholds: int) -> Curve:
    found = evaluate([composition], Settings(thresholds=thresholds, eps_points=2))[0]
    return Curve(found.threshold_first, found.threshold_step, found.alpha, found.beta, found.absolute_bound)


@pytest.mark.parametrize("thresholds", [2, 9, 101, 1001])
def test_the_envelope_holds_the_function(thresholds: int) -> None:
    curve, accountant = curve_of(CELLS, thresholds), Accountant(CELLS)
    for alpha in ALPHAS:
        assert_encloses(curve.at(alpha), accountant.tradeoff(alpha))


def test_more_points_make_it_narrower() -> None:
    curves = [curve_of(CELLS, thresholds) for thresholds in (9, 101, 1001)]
    widths = [max(curve.at(alpha).width for alpha in ALPHAS) for curve in curves]
    assert widths[0] > widths[1] > widths[2]
    assert widths[1] < 1e-2


def test_it_is_exact_at_stored_points_and_at_the_ends() -> None:
    curve = curve_of(CELLS, 101)
    alpha, beta, _ = curve.points[40]
    found = curve.at(alpha)
    assert found.width < 1e-30
    assert abs(Fraction(found.value) - beta) < Fraction(1, 10**30)
    assert curve.at(Fraction(1)).upper == 0
    assert curve.at(Fraction(0)).upper == 1


def test_a_wide_error_bound_makes_a_wide_interval_that_still_holds() -> None:
    curve, accountant = curve_of(CELLS, 101), Accountant(CELLS)
    off = 1e-4
    shift = np.array([off, 0.0, 0.0])
    spoilt = Curve(curve.first, curve.step, curve.alpha + shift, curve.beta - shift, 1.01 * off)
    for alpha in ALPHAS:
        assert_encloses(spoilt.at(alpha), accountant.tradeoff(alpha))


def test_it_falls() -> None:
    curve = curve_of(CELLS, 33)
    alphas = [Fraction(float(alpha)) for alpha in np.linspace(0.0, 1.0, 200)]
    found = [curve.at(alpha) for alpha in alphas]
    assert all(later.lower <= earlier.upper for earlier, later in pairwise(found))
