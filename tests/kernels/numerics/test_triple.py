"""Triple-double arithmetic against exact rationals: every stated bound as an inequality."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction as F
from types import FunctionType

import numba
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.numerics.arithmetic import triple
from kernels.numerics.arithmetic.triple import (
    UNIT,
    add,
    from_fraction,
    multiply,
    negate,
    reciprocal,
    renormalise,
    scale,
    scaled_power,
    self_test,
    two_prod,
    two_sum,
)
from tests.kernels.numerics.exact import MANY, SOME, Triple, doubles, total, triples

ONE_BIT = F(UNIT)
THIRD = from_fraction(F(1, 3))


@MANY
@given(doubles(), doubles())
@example(1.0, 2.0**-53)
@example(1.0, -(2.0**-54))
@example(2.0**-300, 2.0**300)
@example(0.0, -0.0)
def test_two_sum_is_exact_and_correctly_rounded(a: float, b: float) -> None:
    rounded, error = two_sum(a, b)
    assert rounded == a + b
    assert total((rounded, error)) == total((a, b))


@MANY
@given(doubles(-450, 450), doubles(-450, 450))
@example(1.0 + 2.0**-52, 1.0 + 2.0**-52)
@example(1.0 - 2.0**-53, 1.0 - 2.0**-53)
@example(2.0**-450 * (1 + 2.0**-52), 2.0**-449 * (1 + 2.0**-52))
@example(0.0, 3.0)
def test_two_prod_is_exact_and_correctly_rounded(a: float, b: float) -> None:
    rounded, error = two_prod(a, b)
    assert rounded == a * b
    assert total((rounded, error)) == F(a) * F(b)


@MANY
@given(doubles(-60, 60), doubles(-60, 60), doubles(-60, 60))
@example(1.0, -1.0, 2.0**-60)
def test_renormalise_is_exact_for_any_three_doubles(a: float, b: float, c: float) -> None:
    assert total(renormalise(a, b, c)) == total((a, b, c))


@MANY
@given(triples(), st.sampled_from([1.0, 16.0, 256.0]))
def test_renormalised_parts_do_not_overlap(number: Triple, overlap: float) -> None:
    first, second, third = renormalise(number[0], overlap * number[1], overlap**2 * number[2])
    assert abs(second) <= 2.0**-52 * abs(first)
    assert abs(third) <= 2.0**-52 * abs(second)


@MANY
@given(triples(), triples())
@example((1.0, 2.0**-53, 2.0**-106), (-1.0, -(2.0**-54), 2.0**-107))
@example((1.0, -(2.0**-53) * (1 - 2.0**-30), 2.0**-107), (-1.0 + 2.0**-53, 0.0, 0.0))
@example((1.0, 2.0**-53, 2.0**-106), (2.0**-53, 2.0**-106, 2.0**-159))
def test_sum_is_within_its_bound(a: Triple, b: Triple) -> None:
    assert abs(total(add(a, b)) - total(a) - total(b)) <= ONE_BIT * (abs(total(a)) + abs(total(b)))


@MANY
@given(triples(), triples())
@example((1.0, 2.0**-53, 2.0**-106), (1.0, 2.0**-53, 2.0**-106))
@example((1.0, -(2.0**-54), -(2.0**-108)), (2.0 - 2.0**-52, 2.0**-53, -(2.0**-106)))
def test_product_is_within_its_bound(a: Triple, b: Triple) -> None:
    exact = total(a) * total(b)
    assert abs(total(multiply(a, b)) - exact) <= ONE_BIT * abs(exact)


@SOME
@given(triples(0, 0), triples(0, 1), triples())
@example((1.0, -(2.0**-53) * (1 - 2.0**-30), 2.0**-107), (-1.0 + 2.0**-53, 0.0, 0.0), THIRD)
def test_product_of_a_cancelled_sum_is_good_to_the_size_of_its_parts(a: Triple, b: Triple, c: Triple) -> None:
    """What is left of two numbers that cancel may overlap; relative to the two, nothing is lost."""
    size = (abs(total(a)) + abs(total(b))) * abs(total(c))
    exact = (total(a) + total(b)) * total(c)
    assert abs(total(multiply(add(a, b), c)) - exact) <= 2 * ONE_BIT * size


@SOME
@given(triples(), doubles(-40, 40))
def test_scaling_and_negation(a: Triple, b: float) -> None:
    exact = total(a) * F(b)
    assert abs(total(scale(a, b)) - exact) <= ONE_BIT * abs(exact)
    assert total(negate(a)) == -total(a)


@SOME
@given(triples(-1, 0), st.integers(0, 5000))
@example((1.0 - 2.0**-53, 2.0**-107, 0.0), 199)
@example((0.5, 0.0, 0.0), 1)
@example((2.0**-40, 2.0**-94, 0.0), 4000)
def test_power_is_within_its_bound(a: Triple, exponent: int) -> None:
    if total(a) <= 0:
        a = negate(a)
    exact = total(a) ** exponent
    part, binary = scaled_power(a, exponent)
    found = total(part) * F(2) ** int(binary)
    assert abs(found - exact) <= 2 * exponent * ONE_BIT * exact


@MANY
@given(triples(-250, 250))
@example(THIRD)
@example((1.0, 2.0**-53, 2.0**-106))
@example((1.0, -(2.0**-54), 2.0**-108))
def test_reciprocal_is_within_its_bound(a: Triple) -> None:
    exact = 1 / total(a)
    assert abs(total(reciprocal(a)) - exact) <= F(1, 2**147) * abs(exact)


@SOME
@given(st.fractions().filter(bool), st.integers(-100, 100))
@example(F(1, 3), 0)
@example(F(-(2**300) + 1, 3**150), 7)
@example(F(2**159 - 1), 0)
def test_from_fraction_is_within_its_bound(number: F, shift: int) -> None:
    number *= F(2) ** shift
    assert abs(total(from_fraction(number)) - number) <= F(1, 2**159) * abs(number)


def test_the_self_test_passes() -> None:
    self_test()


def test_the_self_test_is_run() -> None:
    """By the first plan of a process."""
    code = (
        "import kernels.numerics.arithmetic.triple as t\n"
        "def called(): raise SystemExit(7)\n"
        "t.self_test = called\n"
        "from kernels.numerics.nodes.plan import make_plan\n"
        "from fractions import Fraction as F\n"
        "make_plan([F(1)], [1], 11)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 7


def planted(name: str, broken: Callable[..., object]) -> Callable[..., None]:
    """The self-test's probe with one broken function in it, interpreted."""
    return FunctionType(triple._probe.py_func.__code__, {**vars(triple), name: broken})


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("two_prod", lambda a, b: (a * b, 0.0)),
        ("two_prod", lambda a, b: (a * b, a * b - a * b)),  # what is left without a fused operation
        ("two_prod", lambda a, b: (a * b, 2.0**-54)),
        ("two_sum", lambda a, b: (a + b, 0.0)),
        ("two_sum", numba.njit(fastmath=True)(two_sum.py_func)),
        ("multiply", lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1] * b[0], 0.0)),
    ],
    ids=["no error", "not fused", "wrong error", "no error of a sum", "fast math", "double-double product"],
)
def test_the_self_test_catches(
    name: str, broken: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triple, "_probe", planted(name, broken))
    with pytest.raises(RuntimeError, match="error-free transformations"):
        self_test()
