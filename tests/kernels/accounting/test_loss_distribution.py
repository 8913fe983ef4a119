"""The exported distribution is never below the exact delta, and within one grid step of it."""

from fractions import Fraction as F

import numpy as np
import pytest

from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.loss_distribution import (
    MOST_POINTS,
    LossDistribution,
    loss_distribution,
    points_needed,
)
from tests.reference.arb_tail import ArbTail
from tests.reference.balls import ball, exact, precision
from tests.reference.cells import Cells

CELLS: dict[str, Cells] = {
    "one cell, sigma^2 = 1": {F(1): 1},
    "two lattices": {F(2, 7): 3, F(3, 11): 2},
    "lattice of the grid itself": {F(1, 4): 2, F(1, 2): 4},
    "near the Census": {F(1, 20): 40, F(1, 5): 12, F(1, 100): 20},
    "tiny": {F(1, 1000): 2},
}
GRIDS = (0.125, 0.01)


def exported_delta(found: LossDistribution, eps: F) -> F:
    """The hockey-stick divergence as its definition says, rounded up at most by 1e-20 of itself."""
    total = F(found.infinity_mass)
    for i, mass in enumerate(found.probabilities.tolist()):
        loss = (found.lowest + i) * F(found.grid)
        if mass and loss > eps:
            with precision(120):
                total += F(mass) * exact((1 - ball(eps - loss).exp()).upper())
    return total


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", CELLS)
def test_delta_lies_between_the_exact_ones(name: str, grid: float) -> None:
    cells = CELLS[name]
    truth = ArbTail(cells)
    found = loss_distribution(Accountant(Composition.from_counts(cells)), grid)
    for eps in (F(0), F(1, 3), F(2), F(5), F(-1)):
        delta = exported_delta(found, eps)
        assert delta >= truth.delta(eps).lower
        assert delta <= truth.delta(eps - F(grid)).upper * (1 + F(1, 10**10)) + F(2, 10**35)


def test_every_tail_dominates_the_exact_one() -> None:
    cells = CELLS["two lattices"]
    truth = ArbTail(cells)
    found = loss_distribution(Accountant(Composition.from_counts(cells)), 0.125)
    left = F(found.infinity_mass)
    for i in reversed(range(len(found.probabilities))):
        k = found.lowest + i
        assert left >= truth.power(k * F(1, 8)).lower, k
        left += F(float(found.probabilities[i]))
    assert 1 <= left <= 1 + F(1, 10**10)
    assert np.all(found.probabilities >= 0.0)


def test_too_fine_a_grid_is_refused() -> None:
    composition = Composition.from_counts({F(1): 1})
    assert sum(points_needed(composition.total_rho, 1e-9)) > MOST_POINTS
    with pytest.raises(ValueError, match="losses on this grid"):
        loss_distribution(Accountant(composition), 1e-9)


def test_dp_accounting_agrees_where_it_is_installed() -> None:
    pld_pmf = pytest.importorskip("dp_accounting.pld.pld_pmf")
    distribution = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    accountant = Accountant(Composition.from_counts(CELLS["near the Census"]))
    found = loss_distribution(accountant, 0.001)
    pmf = pld_pmf.DensePLDPmf(found.grid, found.lowest, found.probabilities, found.infinity_mass, True)
    eps = [0.0, 1.0, 3.0, 8.0, 20.0]
    for one, delta in zip(
        eps, distribution.PrivacyLossDistribution(pmf).get_delta_for_epsilon(eps), strict=True
    ):
        near, far = accountant.profile([F(one), F(one) - F(0.001)])
        assert near.delta.lower <= delta <= float(far.delta.upper) * (1 + 1e-9)
