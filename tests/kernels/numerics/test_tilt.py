"""The relative tier: every error bound against references that never leave exact integers or balls."""

from __future__ import annotations

import math
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.nodes.shells import Weight
from kernels.numerics.relative.selection import select
from kernels.numerics.relative.tilt import LatticePoint, Tilt
from kernels.numerics.relative.tilted_sums import X_SIDE
from tests.kernels.numerics.exact import FEW
from tests.kernels.numerics.scan import SMALL, plan_of, scan
from tests.kernels.numerics.tilting import CASES, ONE, check, check_points, law, planned, tilt_of, tilted
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import enclosure
from tests.reference.cells import FINE, total
from tests.reference.convolution import ConvolutionTail
from tests.reference.small import single_cell

SCALED = [
    ("three kinds", F(9, 8)),
    ("census level", F(121, 100)),
    ("over x", F(11, 10)),
    ("R above 4", F(5, 4)),
]


def far(name: str, scale: F = ONE) -> list[F]:
    """eps from 0 to where delta is below 1e-300, and a little before 0 and beyond R/2."""
    r = total(CASES[name]) * scale
    last = float(r) / 2 + math.sqrt(2.0 * float(r) * 680.0)
    spread = [F(round(last * share * 1000), 1000) for share in (0.002, 0.03, 0.09, 0.2, 0.37, 0.55, 0.8, 1.0)]
    return sorted({F(0), F(1, 3), r / 4, r / 2, r / 2 + F(1, 1000), 3 * r / 4, r, *spread})


@pytest.mark.parametrize(("name", "scale"), [*((name, ONE) for name in CASES), *SCALED], ids=str)
def test_bounds_cover_the_error_down_to_1e_300(name: str, scale: F) -> None:
    """Where narrow cells leave gaps in the law, the bound is honest but may be wider than 1e-12."""
    lumpy = ("narrow and wide", "both sides of the switch", "lumps", "half narrow")
    relative = None if name in lumpy else 1e-12
    check_points(tilted(name, scale), far(name, scale), law(name, scale), relative)


def test_nodes_left_out_weigh_little_under_any_tilt_of_narrow_cells() -> None:
    """A narrow cell's factor is near 1, tilted or not, so it costs nothing; and the windows hold tilted laws,
    which are wider than the law itself."""
    tilt = tilted("lumps")
    assert tilt.nodes.left_out.plain > 0.0
    found = tilt.tails([tilt.first_point(F(266))])
    assert -found.log_norm[0] > 30.0
    for which, exact in enumerate((law("lumps").power(F(266)), law("lumps").alpha(F(266)))):
        check(found, 0, which, exact, 1e-11)


def test_both_ways_of_summing_and_both_sides_are_in_use() -> None:
    middle = {name: tilted(name).tails([tilted(name).first_point(F(0))]).middle[0] for name in CASES}
    assert middle["many equal cells"]
    assert not middle["R below 4"]
    sides = {name: set(planned(name).factors.g[:, 0] >= X_SIDE) for name in CASES}
    assert sides["over x"] == {False}
    assert sides["both sides of the switch"] == {False, True}
    assert sides["three kinds"] == {True}
    assert any(not tilted(name).nodes.unwrapped.all() for name in CASES)
    assert any(tilted(name).nodes.left_out.plain > 0.0 for name in CASES)


@pytest.mark.parametrize("name", ["R below 4", "R above 4", "three kinds", "over x", "census level"])
@pytest.mark.parametrize("share", [F(0), F(1, 5), F(1, 2), F(4, 5), F(2)], ids=str)
def test_eps_on_and_beside_lattice_points(name: str, share: F) -> None:
    """Tails jump at a lattice point, delta does not; a point so close that doubles cannot tell is told."""
    tilt = tilted(name)
    near = tilt.first_point(total(CASES[name]) * share)
    point = F(near.t, tilt._denominator)
    h = tilt.spacing
    eps = [
        point - h / 2,
        point - F(1, 10**30),
        point - F(1, 10**9),
        point,
        point + F(1, 10**30),
        point + h / 3,
    ]
    positions = [tilt.first_point(one).position for one in eps]
    assert positions == [near.position] * 3 + [near.position + 1] * 3
    check_points(tilt, eps, law(name), 1e-12)


def test_closed_tails_at_a_lattice_point() -> None:
    for name in ("R above 4", "many equal cells"):
        tilt, exact = tilted(name), law(name)
        for position in (0, 1, 7, tilt.plan.width // 2):
            t = position * tilt.spacing - tilt.total / 2
            point = tilt.first_point(t, closed=True)
            assert (point.position, point.gap) == (position, 0.0)
            assert tilt.first_point(t).position == position + 1
            found = tilt.tails([LatticePoint(point.position, point.t, 0.0)])
            before = t - tilt.spacing / 2
            if t >= 0:
                check(found, 0, 0, exact.power(before), 1e-12)
                check(found, 0, 1, exact.alpha(before), 1e-12)


@FEW
@given(st.fractions(-20, 20), st.booleans())
@example(F(-3, 4), True)
def test_first_point_is_the_first(eps: F, closed: bool) -> None:
    tilt = tilted("three kinds", F(9, 8))
    point = tilt.first_point(eps, closed)
    t = point.position * tilt.spacing - tilt.total / 2
    assert F(point.t, tilt._denominator) == t
    assert (t >= eps) if closed else (t > eps)
    assert (t - tilt.spacing < eps) if closed else (t - tilt.spacing <= eps)
    assert point.gap == pytest.approx(float(t - eps), rel=1e-15)


def test_results_do_not_depend_on_the_company() -> None:
    tilt = tilted("census level")
    points = [tilt.first_point(one) for one in far("census level")]
    together = tilt.tails(points)
    for row, point in enumerate(points):
        alone = Tilt(tilt.plan, tilt.nodes).tails([point])
        assert F(alone.exponent[0], alone.exponent_denominator) == F(
            together.exponent[row], together.exponent_denominator
        )
        assert np.array_equal(alone.mantissa[0], together.mantissa[row])
        assert np.array_equal(alone.error[0], together.error[row])


@pytest.mark.parametrize("rho", [F(1, 40), F(1), F(90), F(100), F(500), F(1000)], ids=str)
def test_bounds_cover_the_error_of_a_single_cell(rho: F) -> None:
    """Against the sum of the definition; from rho = 360 on only two values of the cell weigh anything."""
    tilt = tilt_of({rho: 1})
    for eps in (F(0), rho / 3, rho / 2, 2 * rho, rho / 2 + F(round(30 * math.sqrt(rho) * 1000), 1000)):
        balls = single_cell(rho, eps)
        found = tilt.tails([tilt.first_point(eps)])
        for which, truth in enumerate((balls.power, balls.alpha, balls.delta)):
            check(found, 0, which, enclosure(truth), 1e-12 if rho <= 100 else None)


def test_bounds_cover_the_error_where_sigma_is_largest() -> None:
    """sigma^2 = 10^6."""
    cells = {F(1, 10**6): 3}
    eps = [F(0), F(1, 10**6), F(1, 1000), F(1, 200), F(1, 50)]
    check_points(tilt_of(cells), eps, ArbTail(cells, digits=70), 1e-12)


def test_bounds_cover_the_error_on_a_lattice_beyond_doubles() -> None:
    """N near 5e17; balls at 10^-60 serve as the reference."""
    tilt = tilt_of(FINE)
    assert tilt.plan.modulus > 2**53
    check_points(tilt, [F(0), F(1, 7), F(2), F(5), F(12), F(25)], ArbTail(FINE, digits=60), 1e-12)


def test_nodes_chosen_for_less_do_not_serve_more() -> None:
    plan = planned("three kinds")
    with pytest.raises(ValueError, match="do not serve this scale"):
        Tilt(plan, select(plan, 1.0), F(5, 4))


@pytest.mark.parametrize("name", ["three kinds", "two lattices", "R above 4", "many equal cells"])
@pytest.mark.parametrize("kept", [3, 10, 25])
def test_bounds_cover_nodes_left_out(name: str, kept: int) -> None:
    """With most nodes taken away and their true weight told, the bounds must still hold."""
    cells = SMALL.get(name) or CASES[name]
    plan = plan_of(cells)
    nodes = select(plan, 1.0)
    every = scan(plan, cells)
    missing = every.missing({round(float(q) * 4 * plan.modulus) for q in nodes.turn[:kept, 0]})
    terms = every.kernel[missing] * np.exp(every.log_phi[missing])
    sharpness = float(plan.spacing) / np.sin(math.pi * every.p[missing] / (2 * plan.modulus))
    weight = Weight(float(terms.sum()), float((terms * sharpness).sum()))
    eps = [total(cells) * share for share in (F(0), F(1, 4), F(1, 2), F(1), F(2))]
    check_points(Tilt(plan, nodes.first(kept, weight)), eps, ConvolutionTail(cells, bits=400), None)


@pytest.mark.parametrize("name", ["R above 4", "many equal cells", "over x", "R below 4"])
def test_points_outside_the_windows_weigh_no_more_than_their_bound(name: str) -> None:
    cells, tilt = CASES[name], tilted(name)
    exact = ConvolutionTail(cells, bits=1400)
    plan, h = tilt.plan, float(tilt.spacing)
    reach = exact.widest.reach * int(exact.widest.step / tilt.spacing)
    assert not exact.others
    s = np.arange(-reach, reach + 1)
    log_p = np.array([mpmath.log(w) if w else -math.inf for w in exact.widest.weights], dtype=np.float64)
    for step, middle in ((1, True), (tilt.law.first_right, False), (4 * tilt.law.first_right, False)):
        mu = step * tilt.law.step
        log_tilted = log_p + mu * h * s
        tilted_law = np.exp(log_tilted - np.logaddexp.reduce(log_tilted))
        contour = tilt._contour(step, middle)
        for eps in (0.0, 0.5 * tilt.law.r, 2.0 * tilt.law.r):
            point = tilt.first_point(F(eps))
            outside = (s >= point.position + plan.modulus // 2) | (
                s < point.position - (plan.modulus - plan.modulus // 2)
            )
            bound = tilt.law.outside(mu, np.array([point.t / tilt._denominator]), contour.loss)
            assert float(tilted_law[outside].sum()) <= float(np.max(bound))
