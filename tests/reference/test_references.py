"""The two references agree with each other, with the definition and with published figures.

A test of the package is worth no more than the reference behind it, so these run first.
"""

from __future__ import annotations

import json
from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import mpmath
import numpy as np
import pytest
from flint import acb, arb

from kernels.certificate import survivors
from kernels.certificate.transform import Cell
from tests.paths import DATA
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, enclosure, precision
from tests.reference.cells import FINE, Cells
from tests.reference.census import PER_LEVEL, level_cells, pair_cells, path_cells
from tests.reference.convolution import ConvolutionTail
from tests.reference.fine import FineTail
from tests.reference.small import PUBLISHED, delta_unit_cells, single_cell
from tests.reference.tradeoff import tradeoff

FILES = sorted((DATA / "reference").glob("census-*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_published_rows_are_reproduced_by_ball_arithmetic(path: Path) -> None:
    published = json.loads(path.read_text())
    tails = ArbTail(pair_cells(*published["patterns"]), digits=80)
    assert tails.step == F(published["h"])
    assert tails.total_rho == F(published["R"])
    accuracy = F(published["absolute_accuracy_of_tails"])
    for row in published["rows"]:
        eps = F(row["eps"])
        for name, enclosed in (("P(T>eps)", tails.alpha(eps)), ("Q(T>eps)", tails.power(eps))):
            figure = F(row[name])
            assert abs(enclosed.middle - figure) <= figure / 10**35 + accuracy + enclosed.width
        if row["delta"] is not None:
            figure = F(row["delta"])
            assert abs(tails.delta(eps).middle - figure) <= figure / 10**23


def test_there_are_three_published_files() -> None:
    assert [path.name for path in FILES] == ["census-0.json", "census-1.json", "census-2.json"]


ALL = ("alpha", "power", "delta")
#: Cells; digits of the sums and bits of the products; eps; what is compared.
COMPOSITIONS: dict[str, tuple[Cells, int, int, tuple[F, ...], tuple[str, ...]]] = {
    **{
        f"level {level}": (level_cells(level), 60, 260, (F(0), F(1, 3), F(2), F(-1), F(7)), ALL)
        for level in PER_LEVEL
    },
    **{
        name: (cells, digits, 300, (F(0), F(1, 2), F(3), F(60)), ALL[:2])
        for name, cells, digits in (
            ("one cell, sigma^2 = 1", {F(1): 1}, 50),
            ("one cell, sigma^2 = 1/100", {F(100): 1}, 50),
            ("eight decades of sigma^2", {F(100): 1, F(1): 1, F(1, 100): 2, F(1, 10**6): 2}, 24),
            ("two lattices", {F(355, 1130): 2, F(3, 10): 3}, 50),
            ("three lattices", {F(2, 7): 3, F(3, 11): 2, F(1, 13): 4}, 50),
        )
    },
    "heavily bypassed": (pair_cells("111111", "111111"), 20, 256, (F(0), F(49, 2)), ALL[:2]),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_methods_agree(name: str) -> None:
    cells, digits, bits, grid, questions = COMPOSITIONS[name]
    by_arb, by_products = ArbTail(cells, digits), ConvolutionTail(cells, bits)
    for eps, question in product(grid, questions):
        first, second = getattr(by_arb, question)(eps), getattr(by_products, question)(eps)
        assert first.overlaps(second), (eps, question)
        assert max(first.width, second.width) < F(1, 10 ** min(digits, 55))


@pytest.mark.parametrize("count", PUBLISHED)
def test_small_cases_three_ways(count: int) -> None:
    tails = ConvolutionTail({F(1): count}, bits=400)
    at_zero, at_one, eps = PUBLISHED[count]
    for point, figure in ((F(0), at_zero), (F(1), at_one)):
        exact = tails.delta(point).middle
        assert abs(exact - F(figure)) < F(1, 10**15)
        assert abs(exact - F(mpmath.nstr(delta_unit_cells(count, point), 58))) < F(1, 10**50)
    assert tails.delta(F(eps) - F(1, 10**13)).lower > F(1, 10**10) > tails.delta(F(eps) + F(1, 10**13)).upper


@pytest.mark.parametrize(
    ("rho", "eps"), [(F(1), F(-3)), (F(1), F(0)), (F(1), F(38)), (F(1, 40), F(5)), (F(90), F(1))]
)
def test_single_cell_sums_agree_with_products(rho: Fraction, eps: Fraction) -> None:
    sums, tails = single_cell(rho, eps), ConvolutionTail({rho: 1}, bits=2500)
    for name in ("alpha", "power", "delta"):
        first, second = enclosure(getattr(sums, name)), getattr(tails, name)(eps)
        assert first.overlaps(second)
        assert max(first.width, second.width) < F(1, 10**60) * first.upper


@pytest.mark.parametrize("digits", [100, 300])
def test_far_tails_agree_relatively(digits: int) -> None:
    cells = level_cells("State")
    eps = F(36) if digits == 100 else F(61)
    by_arb, by_products = ArbTail(cells, digits + 60), ConvolutionTail(cells, bits=4 * (digits + 60))
    first, second = by_arb.delta(eps), by_products.delta(eps)
    assert F(1, 10 ** (digits + 15)) < second.lower < F(1, 10 ** (digits - 20))
    assert first.overlaps(second)
    assert max(first.width, second.width) < second.lower / 10**20


@pytest.mark.parametrize("smallest", [0, 10**9], ids=["sum over x", "Poisson's series"])
@pytest.mark.parametrize("rho", [F(1, 900), F(999, 10_000), F(1), F(6), F(40)], ids=str)
def test_both_series_of_the_transform_are_the_library_theta(
    rho: Fraction, smallest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """theta_3(u, tau) = sum_x exp(-rho x^2 / 2 + 2 pi i u x)"""
    monkeypatch.setattr("kernels.certificate.transform._LARGE_RHO", smallest)
    with precision(300):
        cell, tau = Cell(rho, F(0), 220), acb(0, 1) * acb(ball(rho)) / (2 * arb.pi())
        for turns in (F(0), F(1, 100), F(3, 7), F(1, 2), F(-5, 3)):
            found = cell.at(turns.numerator, turns.denominator)
            library = (acb(ball(turns)).modular_theta(tau)[2] / acb(0).modular_theta(tau)[2]).real
            assert found.overlaps(library)
            assert found.rad() < 1e-60


def test_scan_drops_no_node_that_matters() -> None:
    cells, nats, nodes = {F(1, 3): 2, F(2, 5): 1, F(1, 50): 3}, 12.0, 8001
    step = F(1, 150)
    kept = set(survivors.scan(cells, nodes * step, nats).residue.tolist())
    assert len(kept) < nodes // 2
    with precision(80):
        factors = [(Cell(rho, F(0), 60), int(rho / step), count) for rho, count in cells.items()]
        limit = (-ball(F(12))).exp()
        for n in range(1, nodes):
            value = arb(1)
            for cell, weight, count in factors:
                value *= cell.at(n * weight, nodes) ** count
            assert n in kept or value < limit


def test_scan_by_arcs_equals_scan_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, nodes = level_cells("US") | level_cells("Block"), 400_001
    by_arcs = survivors.scan(cells, F(nodes, 10_000), 60.0)
    every = np.arange(nodes // 2 + 1, dtype=np.int64)
    monkeypatch.setattr(survivors, "_arcs", lambda *_: iter([every]))
    assert np.array_equal(by_arcs.residue, survivors.scan(cells, F(nodes, 10_000), 60.0).residue)


def test_paths_keep_their_total_and_their_queries() -> None:
    for number in range(64):
        cells = path_cells(f"{number:06b}")
        assert sum(rho * count for rho, count in cells.items()) == F(24811, 5000)
        assert sum(cells.values()) == 10 * (8 - number.bit_count())
    assert path_cells("111111") == {
        F(73, 10_000): 9,
        F(73, 2500): 1,
        F(48_673, 130_000): 9,
        F(48_673, 32_500): 1,
    }


def test_tradeoff_reference_is_the_dual_of_the_profile() -> None:
    tails = ConvolutionTail({F(1, 2): 2, F(1, 3): 1}, bits=300)
    slopes = [k * tails.step - F(2, 3) for k in range(-60, 61)]
    for alpha in (F(1, 1000), F(1, 7), F(1, 2), F(99, 100)):
        with precision(400):  # sup over eps of 1 - delta(eps) - e^eps alpha, attained at a lattice point
            dual = max(1 - tails.delta(t).middle - enclosure(ball(t).exp()).middle * alpha for t in slopes)
        assert abs(tradeoff(tails, alpha).beta.middle - dual) < F(1, 10**40)


def test_short_vectors_on_a_lattice_beyond_a_scan() -> None:
    """No second exact method reaches 5e17 nodes; a series of another period is good to the step, 1e-16."""
    exact, series = ArbTail(FINE, digits=40), FineTail(FINE, F(150))
    assert exact.nodes > 10**17
    for eps in (F(0), F(5)):
        assert abs(exact.alpha(eps).middle - series.alpha(eps).middle) < F(1, 10**15)
        assert exact.alpha(eps).width < F(1, 10**38)
