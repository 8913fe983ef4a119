"""Answers of the public functions: bounds around independent values, shapes, floats rounded outward."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest

import exact_census as ec
from tests.paths import DATA
from tests.reference.balls import ball, enclosure, precision
from tests.reference.cells import Cells
from tests.reference.census import level_cells, pair_cells
from tests.reference.convolution import ConvolutionTail
from tests.reference.tradeoff import tradeoff
from tests.reference.zcdp import zcdp_epsilon

CELLS: Cells = {F(1, 3): 5, F(2, 7): 3}
COMPOSITION = ec.Composition({"1/3": 5, "2/7": 3})
REFERENCE = ConvolutionTail(CELLS, bits=420)
CENSUS = ec.Composition.from_pair("dhc_persons_us", "M00", "M00")


def assert_bounds(found: ec.Bounded, truths: list[tuple[F, F]]) -> None:
    """Floats outside the intervals, the intervals around the true values, all of them tight."""
    floats = (np.ravel(part).tolist() for part in (found.lower, found.value, found.upper))
    for interval, low, value, high, truth in zip(found.intervals, *floats, truths, strict=True):
        assert F(interval.lower) <= truth[1]
        assert truth[0] <= F(interval.upper)
        assert low <= interval.lower <= interval.value <= interval.upper <= high
        assert low <= value <= high
        assert high - low <= 1e-12 * abs(high)


def test_profile_and_delta_hold_the_true_values_in_the_shape_of_eps() -> None:
    eps = [F(0), F(1, 3), F(2), F(-1), F(5), F(5, 2)]
    points = np.array(eps, dtype=object).reshape(2, 3)
    found = ec.profile(COMPOSITION, points)
    assert found.delta.value.shape == found.alpha.lower.shape == found.power.upper.shape == (2, 3)
    parts = ((found.delta, REFERENCE.delta), (found.alpha, REFERENCE.alpha), (found.power, REFERENCE.power))
    for part, truth in parts:
        assert_bounds(part, [(truth(one).lower, truth(one).upper) for one in eps])
    assert ec.delta(COMPOSITION, points).intervals == found.delta.intervals
    assert ec.delta(COMPOSITION, []).value.shape == (0,)


def test_epsilon_is_where_delta_is_reached() -> None:
    deltas = ["1e-6", F(1, 10**10), Decimal("1e-300"), 0.25]
    found = ec.epsilon(COMPOSITION, deltas)
    for interval, delta in zip(found.intervals, map(F, deltas), strict=True):
        assert REFERENCE.delta(F(interval.lower)).upper >= delta
        assert REFERENCE.delta(F(interval.upper)).lower <= delta
    assert np.all(found.lower <= found.upper)
    assert ec.epsilon(COMPOSITION, 0).value == np.inf
    assert ec.epsilon(COMPOSITION, 1).upper == 0.0


def test_tradeoff_reduction_and_conversion() -> None:
    alpha = [F(1, 20), F(1, 3), F(1, 10**9)]
    pieces = [tradeoff(REFERENCE, one).beta for one in alpha]
    assert_bounds(ec.tradeoff(COMPOSITION, alpha), [(beta.lower, beta.upper) for beta in pieces])
    found = ec.reduction(COMPOSITION, "1e-10")
    eps = zcdp_epsilon(CELLS, F(1, 10**10))
    assert_bounds(found.eps_zcdp, [(eps.lower, eps.upper)])
    assert ec.convert(COMPOSITION.zcdp_rho, "1e-10").eps_zcdp.intervals == found.eps_zcdp.intervals
    for bound, holds in (("lower", F.__le__), ("upper", F.__ge__)):
        scale = F(getattr(found.scale.intervals[0], bound))
        scaled = ConvolutionTail({rho * scale: count for rho, count in CELLS.items()}, bits=420)
        assert holds(scaled.delta(eps.middle).middle, F(1, 10**10))
    assert found.reduction.upper == pytest.approx(1 - 1 / found.scale.value)


def test_published_rows_of_the_census_pair() -> None:
    rows = json.loads((DATA / "reference" / "census-0.json").read_text())["rows"]
    found = ec.profile(CENSUS, [row["eps"] for row in rows])
    for i, row in enumerate(rows):
        for part, name in ((found.alpha, "P(T>eps)"), (found.power, "Q(T>eps)")):
            assert part.value[i] == pytest.approx(float(row[name]), rel=1e-14, abs=1e-35)
        if row["delta"] is not None:
            assert found.delta.value[i] == pytest.approx(float(row["delta"]), rel=1e-14)


def test_a_float_is_the_double_that_it_is_and_text_is_decimal() -> None:
    assert ec.delta(COMPOSITION, 0.1).intervals == ec.delta(COMPOSITION, F(0.1)).intervals
    assert ec.delta(COMPOSITION, "0.1").intervals == ec.delta(COMPOSITION, F(1, 10)).intervals
    assert (
        ec.delta(COMPOSITION, np.float32(0.1)).intervals
        == ec.delta(COMPOSITION, F(0.10000000149011612)).intervals
    )
    assert isinstance(ec.delta(COMPOSITION, np.array(1)).value, float)


def test_bounds_beyond_the_range_of_floats_stay_outside() -> None:
    found = ec.delta(COMPOSITION, 300)
    assert found.lower == found.value == 0.0 < found.upper
    assert 0 < found.intervals[0].lower < Decimal("1e-1000")


def test_compositions_by_cells_pair_level_and_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cells.yaml").write_text("1/3: 5\n2/7: 3\n")
    assert ec.Composition.from_file(tmp_path / "cells.yaml") == COMPOSITION
    assert ec.Composition({F(2, 7): 3, Decimal(1): 2, 2: 1, 3.0: 1}) == ec.Composition(
        {"2/7": 3, "1": 2, "2.0": 1, np.int64(3): 1}
    )
    allocation = ec.load_allocation("dhc_persons_us")
    assert dict(CENSUS.cells) == pair_cells("000000", "000000")
    assert dict(ec.Composition.from_pair(allocation, "000000", "011111").cells) == pair_cells(
        "000000", "011111"
    )
    assert dict(ec.Composition.from_level(allocation, "County").cells) == level_cells("County")
    both = COMPOSITION + COMPOSITION
    assert both == ec.Composition({"1/3": 10, "2/7": 6})
    assert eval(repr(both), {"Composition": ec.Composition}) == both
    assert both.zcdp_rho == COMPOSITION.total_rho


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "float rho": (lambda: ec.Composition({0.1: 2}), "rho = 0.1: .*'0.1'"),
    "rho twice": (lambda: ec.Composition({"1/10": 2, "0.1": 1}), "rho = 0.1: the same"),
    "no rho": (lambda: ec.Composition({"tenth": 2}), "rho = 'tenth'"),
    "rho of 0": (lambda: ec.Composition({0: 2}), "rho = 0: .*above 0"),
    "a list of rhos": (lambda: ec.Composition(["1/3"]), "cells = .*map"),  # type: ignore[arg-type]
    "no composition": (lambda: ec.epsilon("dhc_persons_us", "1e-6"), "Composition"),  # type: ignore[arg-type]
    "reduction at 0": (lambda: ec.reduction(COMPOSITION, 0), "delta = 0: must be above 0"),
    "float budget": (lambda: ec.convert(0.1, "1e-6"), "rho = 0.1: a float"),
    "no cells": (lambda: ec.Composition({}), "at least one cell"),
    "half a cell": (lambda: ec.Composition({1: 0.5}), "cells"),
    "not a number": (lambda: ec.epsilon(COMPOSITION, float("nan")), "delta = nan"),
    "no delta": (lambda: ec.epsilon(COMPOSITION, [0.5, 2]), "delta = 2"),
    "huge": (lambda: ec.delta(COMPOSITION, Decimal("1e-99999999")), "eps = .*exponent"),
    "truth": (lambda: ec.delta(COMPOSITION, True), "eps = True"),
    "no alpha": (lambda: ec.tradeoff(COMPOSITION, -1), "alpha = -1"),
    "no mechanism": (lambda: ec.Composition.from_pair("dhc_persons_us", "M00", "M43"), "M43"),
    "no level": (lambda: ec.Composition.from_level("dhc_persons_us", "Town"), "Town"),
    "no allocation": (lambda: ec.load_allocation("dhc_person_us"), "dhc_persons_us"),
    "no file": (lambda: ec.Composition.from_file("nowhere.yaml"), "nowhere.yaml"),
    "no curves": (lambda: ec.read_curves("nowhere.h5"), "nowhere.h5"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake: str) -> None:
    call, words = MISTAKES[mistake]
    with pytest.raises(ec.InputError, match=words) as raised:
        call()
    assert isinstance(raised.value, ValueError)
    assert "\n" not in str(raised.value)


def test_what_is_out_of_reach_is_refused() -> None:
    with precision(64):  # every cell of another kind
        roots = [enclosure(ball(F(k)).sqrt()).lower for k in range(2, 2200)]
    with pytest.raises(ec.Refused, match="out of reach"):
        ec.epsilon(ec.Composition(dict.fromkeys((F(int(root * 10**9), 10**9) for root in roots), 1)), "1e-10")
