"""Plans that leave out more than 1e-35 allows, against scans of all nodes and exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import takewhile

import numpy as np
import pytest

from kernels.numerics.absolute.trapezoid import quadrature, tails
from kernels.numerics.nodes import plan as sieve
from kernels.numerics.nodes.lattice import node_lattice, short_points
from kernels.numerics.nodes.plan import DROPPED, PRUNED, Plan
from kernels.numerics.nodes.residues import resolve
from kernels.numerics.nodes.shells import Weight, _log_theta, choose_bounds, left_out, make_shells
from kernels.numerics.nodes.survivors import SOFTEST
from kernels.numerics.relative.selection import select, softness
from kernels.numerics.relative.tilt import Tilt
from tests.kernels.numerics.exact import integer
from tests.kernels.numerics.scan import SMALL, Scan, log_phi, nodes_of, plan_of, scan
from tests.kernels.numerics.test_lattice import spent
from tests.kernels.numerics.tilting import check_points
from tests.reference.cells import Cells
from tests.reference.census import pair_cells
from tests.reference.convolution import ConvolutionTail

Planner = Callable[[str], Plan]

#: Compositions, and how many angles (nodes times distinct rhos) their plans may use.
CASES: dict[str, tuple[Cells, int]] = {
    "three kinds": (SMALL["three kinds"], 60),
    "two lattices": (SMALL["two lattices"], 40),
    "narrow and wide": (SMALL["narrow and wide"], 60),
    "close lattices": ({F(1, 3): 2, F(101, 300): 3, F(2, 29): 2}, 90),
    "far peaks": ({F(1, 4): 5, F(401, 1600): 5}, 30),
    "census": (pair_cells("000000", "000000"), 200),
}


EVERY = CASES | {f"all of {name}": (cells, sieve.MOST_ANGLES) for name, cells in SMALL.items()}
FLOAT = 1 + 1e-9  # relative accuracy of the scan's doubles, generously


@pytest.fixture
def plan_with(monkeypatch: pytest.MonkeyPatch) -> Planner:
    def make(name: str) -> Plan:
        cells, most = EVERY[name]
        monkeypatch.setattr(sieve, "MOST_ANGLES", most)
        return plan_of(cells, 101)

    return make


def weights(plan: Plan, every: Scan, kept: set[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The kernel of tails and that of delta at the nodes not kept, and which nodes these are."""
    missing = every.missing(kept)
    kernel = every.kernel[missing]
    sine = np.sin(math.pi * every.p[missing] / (2 * plan.modulus))
    return kernel, kernel * float(plan.spacing) / sine, missing


@pytest.mark.parametrize("name", EVERY)
def test_what_is_left_out_weighs_no_more_than_the_plan_says(name: str, plan_with: Planner) -> None:
    cells, plan = EVERY[name][0], plan_with(name)
    every = scan(plan, cells)
    kept = set(nodes_of(plan))
    assert len(kept) == len(plan.nodes.p)
    kernel, smooth, missing = weights(plan, every, kept)
    phi = np.exp(every.log_phi[missing])
    left_out = float((kernel * phi).sum())
    assert left_out <= plan.left_out.plain * FLOAT
    assert plan.left_out.plain <= plan.sieve_bound * FLOAT
    assert float((smooth * phi).sum()) <= plan.left_out.smooth * FLOAT
    assert left_out > 0.0 or name not in CASES
    assert plan.sieve_bound <= (PRUNED + DROPPED) * FLOAT or name in CASES
    norm = every.f[missing] ** 2 @ (plan.factors.count * plan.factors.decay)
    for soft in (SOFTEST, 0.7, 0.85, 1.0):
        said = plan.faint.at(soft)
        for turned in (norm, -every.log_phi[missing]):
            assert float((kernel * np.exp(-soft * turned)).sum()) <= said.plain * FLOAT
            assert float((smooth * np.exp(-soft * turned)).sum()) <= said.smooth * FLOAT


def test_some_plan_leaves_out_much(plan_with: Planner) -> None:
    assert max(plan_with(name).sieve_bound for name in CASES) > 1e-12


@pytest.mark.parametrize("soft", [1.0, 0.8, 0.74, SOFTEST])
@pytest.mark.parametrize("name", EVERY)
def test_nodes_not_selected_for_the_relative_tier(name: str, soft: float, plan_with: Planner) -> None:
    """Also with all rhos scaled up as far as the softness allows."""
    cells, plan = EVERY[name][0], plan_with(name)
    every, nodes = scan(plan, cells), select(plan, soft)
    kept = {round(float(q) * 4 * plan.modulus) for q in nodes.turn[:, 0]}
    assert len(kept) == len(nodes.turn)
    kernel, smooth, missing = weights(plan, every, kept)
    norm = every.f[missing] ** 2 @ (plan.factors.count * plan.factors.decay)
    phis = [np.exp(-soft * norm)]
    for scale in takewhile(
        lambda scale: softness(plan, scale) >= soft, (1 + k * F(1, 16) for k in range(40))
    ):
        scaled = [rho * scale for rho in cells]
        phis.append(np.exp(log_phi(every.f[missing], scaled, list(cells.values()))))
    for phi in phis:
        assert float((kernel * phi).sum()) <= nodes.left_out.plain * FLOAT
        assert float((smooth * phi).sum()) <= nodes.left_out.smooth * FLOAT


@pytest.mark.parametrize("name", [name for name in CASES if name != "census"])
def test_values_lie_within_the_stated_bounds(name: str, plan_with: Planner) -> None:
    """Both tiers, at lattice points from the middle to far out."""
    cells = CASES[name][0]
    plan = plan_with(name)
    rule = quadrature(plan)
    law = ConvolutionTail(cells, bits=400)
    bound = F(plan.truncation_bound + plan.sieve_bound + rule.rounding_bound)
    limit = int(F(plan.reach) / plan.spacing)
    for s in {0, 1, limit // 7, -limit // 5, limit // 3, limit}:
        exact = law.tail_beyond(s * plan.spacing - plan.spacing / 2)
        value = sum(F(float(part)) for part in tails(rule, [2 * s - 1])[0])
        assert exact.lower - bound <= value <= exact.upper + bound
    eps = [plan.total * share for share in (F(0), F(1, 3), F(1), F(2), F(5))]
    check_points(Tilt(plan, select(plan, 1.0)), eps, law, None)


@pytest.mark.parametrize("farthest", [30, 200, 1001])
def test_a_shell_holds_its_nodes(farthest: int) -> None:
    """Every node up to a distance whose norm is within the bound is found from the shell's lattice."""
    weights, modulus, decay, bound = [73, 999, 310], 40_001, [9e4, 6e3, 2e4], 30.0
    shells = make_shells(weights, modulus, decay)
    assert [shell.lattice.farthest for shell in shells][1:] == [shell.nearest for shell in shells][:-1]
    assert shells[0].lattice.farthest == modulus
    assert shells[-1].nearest == 0
    whole = node_lattice(weights, modulus, decay, bound)
    near = node_lattice(weights, modulus, decay, bound, whole, farthest)
    found = {integer(row) for row in resolve(near, weights, short_points(near, bound, 10**5)).p}
    for p in range(1, farthest + 1, 2):
        assert (p in found) or spent(weights, modulus, p, decay) > bound
    assert max(found) <= farthest


def test_bounds_grow_with_what_they_may_cost() -> None:
    weights, modulus, decay = [73, 999, 310], 400_001, [9e4, 6e3, 2e4]
    shells = make_shells(weights, modulus, decay)
    weighed = []
    for most in (10.0, 100.0, 1e4, 1e6):
        bounds = choose_bounds(shells, 1.0, Weight(1e-30, 1e-17), most)
        weighed.append(left_out(shells, bounds, 1.0, 1.0).plain)
    assert weighed == sorted(weighed, reverse=True)
    assert weighed[-1] <= 1e-30 < weighed[0]


@pytest.mark.parametrize("a", [1e-6, 0.3, 0.99, 1.0, 1.5, 7.0, 40.0])
def test_theta_series_is_rounded_up(a: float) -> None:
    ks = np.arange(-20_000, 20_001, dtype=np.float64)
    exact = math.log(math.fsum(np.exp(-a * ks * ks)))
    assert exact * (1 - 1e-14) <= _log_theta(a) <= exact + 1e-3
