"""The methods that the benchmarks compare with compute the same numbers; tables go to their place only."""

from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from benchmarks import other_methods as other
from benchmarks.cost import with_cells, with_nodes
from benchmarks.measure import show
from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.tiers import Tiers
from kernels.numerics.absolute.trapezoid import tails

COMPOSITION = Composition.from_counts({F(1, 3): 5, F(2, 7): 3})


def test_other_methods_agree() -> None:
    tiers = Tiers(COMPOSITION)
    plan = tiers.plan
    s = range(1, 60)
    ours = tails(tiers.rule, [2 * one - 1 for one in s])
    n = other.smooth_modulus(plan)
    assert other.double_curve(plan, n)[: len(s)] == pytest.approx(ours[:, 0], abs=1e-14)
    convolved = other.double_convolution(COMPOSITION, plan.spacing)[: len(s)]
    assert convolved == pytest.approx(ours[: len(convolved), 0], rel=1e-12)
    exact, lost, bits = other.exact_convolution(COMPOSITION)
    for one, row in zip(exact, ours, strict=False):
        assert abs(F(one, 2**bits) - sum(map(F, row.tolist()))) <= F(lost, 2**bits) + F(1, 10**35)


def test_mpmath_has_the_same_coefficients() -> None:
    plan = Tiers(COMPOSITION).plan
    n = other.smooth_modulus(plan)
    some = other.mpmath_coefficients(plan, [rho for rho, _ in COMPOSITION.cells], n, 7)
    assert np.array(some, dtype=float) == pytest.approx(other.double_coefficients(plan, n)[::7], abs=1e-15)


def test_smooth_modulus() -> None:
    plan = Tiers(COMPOSITION).plan
    n = other.smooth_modulus(plan)
    assert plan.modulus <= n <= 1.1 * plan.modulus
    for prime in (2, 3, 5):
        while n % prime == 0:
            n //= prime
    assert n == 1


@pytest.mark.parametrize("nodes", [10**6, 10**18])
def test_finer_lattices_keep_their_survivors(nodes: int) -> None:
    plan = Accountant(with_nodes(nodes)).plan_summary()
    assert plan.nodes == pytest.approx(nodes, rel=0.01)
    assert plan.survivors == 104
    assert plan.reaches_tolerance


def test_cells() -> None:
    assert [with_cells(cells).size for cells in (10, 1000)] == [10, 1000]
    assert with_cells(10).total_rho == with_cells(1000).total_rho == 10


def test_tables_go_to_their_place(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- one -->\nold\n<!-- end of one -->\nafter\n")
    show("one", ["a", "b"], [["1", "2"]], document)
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    assert document.read_text() == f"before\n<!-- one -->\n{table}<!-- end of one -->\nafter\n"
    with pytest.raises(SystemExit, match="no place for the table"):
        show("two", ["a"], [["1"]], document)
