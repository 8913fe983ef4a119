"""Mills ratio and quantiles against mpmath."""

import math

import mpmath
import pytest

from kernels.accounting.tradeoff.normal import mills, quantile


@pytest.mark.parametrize("x", [-5.0, 0.0, 0.3, 2.0, 19.9, 20.1, 200.0])
def test_mills_ratio(x: float) -> None:
    with mpmath.workdps(400):
        exact = mpmath.ncdf(-x) / mpmath.npdf(x) if x < 30 else None
    if exact is None:  # 1/x - 1/x^3 and 1/x hold it
        assert 1 / x - 1 / x**3 <= mills(x) <= 1 / x
    else:
        assert math.isclose(mills(x), float(exact), rel_tol=1e-5 if x > 20 else 1e-12)


@pytest.mark.parametrize("z", [-8.0, -1.5, 0.0, 0.7, 3.0, 12.0, 37.0])
def test_quantile_undoes_the_tail(z: float) -> None:
    with mpmath.workdps(60):
        log_tail = float(mpmath.log(mpmath.ncdf(-z)))
    assert math.isclose(quantile(log_tail), z, rel_tol=1e-6, abs_tol=1e-6)


def test_quantile_beyond_doubles() -> None:
    assert 21.4 < quantile(-233.0) < 21.5
    assert math.isclose(quantile(-5e11), 1e6, rel_tol=1e-9)
    assert quantile(-1e-300) < -36
