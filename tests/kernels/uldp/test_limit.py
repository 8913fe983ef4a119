"""M*: known values, closed forms, bounds, the edges of its domain, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import exp, expm1, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.uldp.bounds import certify
from kernels.uldp.closed_forms import (
    randomised_response_from,
    randomised_response_limit,
    single_size_limit,
    single_size_until,
)
from kernels.uldp.domain import Domain
from kernels.uldp.objective import MOST_EPS, Objective
from kernels.uldp.saddle import LARGEST_GAP, solve
from tests.kernels.uldp.cases import domains
from tests.reference.checks import assert_encloses

# (w, v, eps): M*, alpha*, {k: t*}, computed once by another program.
KNOWN = {
    (10, 1, "1"): ("2.0528", "0", {1: "1"}),
    (10, 2, "1.5"): ("2.1761", "0", {1: ".883", 2: ".117"}),
    (10, 3, "1"): ("6.2006", ".1083", {1: ".736", 2: ".264"}),
    (10, 4, ".5"): ("37.5093", "1", {2: "1"}),
    (10, 6, "1.5"): ("6.4404", ".641", {1: ".784", 2: ".216"}),
    (20, 8, "1"): ("22.6114", "1", {2: "1"}),
    (20, 8, "3"): ("1.9115", ".238", {1: ".966", 2: ".034"}),
    (10, 6, "5"): (".9748", ".584", {1: "1"}),
}

eps_values = st.floats(-3, 1.3).map(lambda exponent: 10.0**exponent)


def rounds_to(value: float, text: str) -> bool:
    """Whether a value is the text's, to the digits that the text has."""
    known = Decimal(text)
    return abs(Decimal(value) - known) <= Decimal(5).scaleb(known.as_tuple().exponent - 1)


def assert_equal(m_star: float, closed_form: Fraction) -> None:
    assert abs(Fraction(m_star) / closed_form - 1) <= Fraction(1, 10**10)


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_known_values(case: tuple[int, int, str]) -> None:
    w, v, eps = case
    m_star, alpha, shares = KNOWN[case]
    saddle = solve(Domain(w, v), float(eps))
    assert rounds_to(saddle.m_star, m_star)
    assert rounds_to(saddle.alpha, alpha)
    assert saddle.sizes == tuple(shares)
    assert all(map(rounds_to, saddle.shares, shares.values()))


@settings(max_examples=100, deadline=None)
@given(domains(60, 200), eps_values)
def test_gap_is_certified(domain: Domain, eps: float) -> None:
    saddle = solve(domain, eps)
    certificate = certify(saddle, Fraction(eps))
    for known in (certificate.m_star, certificate.alpha, *certificate.shares.values()):
        assert known.lower <= known.value <= known.upper
    assert certificate.gap <= 1e-13
    assert abs(saddle.m_star / float(certificate.m_star.value) - 1) < 1e-13
    assert sum(saddle.shares) == pytest.approx(1, rel=1e-14)
    assert sum(known.value for known in certificate.shares.values()) == 1


@settings(max_examples=50, deadline=None)
@given(domains(60, 200), st.floats(-2, 1.2).map(lambda exponent: 10.0**exponent), st.integers(1, 2**40))
def test_certificate_of_a_rough_saddle_point_holds(domain: Domain, eps: float, parts: int) -> None:
    """alpha and t moved a little give wider bounds, which still hold the exact ones."""
    saddle = solve(domain, eps)
    exact = certify(saddle, Fraction(eps))
    share = 1 / parts
    rough = replace(
        saddle,
        alpha=min(max(saddle.alpha + (share / 10 if parts % 2 else -share / 10), 0.0), 1.0)
        if domain.others
        else 1.0,
        shares=tuple(
            max(each + (share / 10 if k == 1 else 0), 1e-9)
            for k, each in zip(saddle.sizes, saddle.shares, strict=True)
        ),
    )
    certificate = certify(rough, Fraction(eps))
    assert_encloses(certificate.m_star, exact.m_star)
    assert_encloses(certificate.alpha, exact.alpha)
    for k, known in certificate.shares.items():
        assert_encloses(known, exact.shares[k])


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_saddle_points_are_certain_to_many_digits(case: tuple[int, int, str]) -> None:
    w, v, eps = case
    certificate = certify(solve(Domain(w, v), float(eps)), Fraction(eps))
    for known in (certificate.alpha, *certificate.shares.values()):
        assert known.upper - known.lower < Fraction(1, 10**6)


@pytest.mark.parametrize("v", [100, 1_000, 10_000])
@pytest.mark.parametrize("eps", [1e-3, 0.1, 1.0, 5.0, 9.5, 20.0])
def test_gap_is_certified_for_large_domains(v: int, eps: float) -> None:
    for w in (v, v + 1, 2 * v, 100 * v):
        saddle = solve(Domain(w, v), eps)
        assert certify(saddle, Fraction(eps)).gap <= LARGEST_GAP


@settings(max_examples=100, deadline=None)
@given(domains(60, 200), st.floats(1.00001, 1.5))
def test_randomised_response_is_optimal_from_its_threshold(domain: Domain, factor: float) -> None:
    odds = randomised_response_from(domain) * factor
    if odds <= 1 or (domain.others == 0 and domain.sensitive > 2):
        return
    saddle = solve(domain, log(odds))
    assert saddle.sizes == (1,)
    assert_equal(saddle.m_star, randomised_response_limit(domain, Fraction(exp(log(odds)))))


@settings(max_examples=100, deadline=None)
@given(st.integers(4, 60), st.integers(0, 200), st.floats(0.01, 0.9999999))
def test_single_size_is_optimal_up_to_its_threshold(v: int, others: int, position: float) -> None:
    domain = Domain(v + others, v)
    odds = 1 + position * (single_size_until(domain) - 1)
    eps = log(odds)
    saddle = solve(domain, eps)
    assert saddle.regime == "single size"
    assert saddle.alpha == 1
    assert_equal(saddle.m_star, single_size_limit(domain, 1 + Fraction(expm1(eps))))


@settings(max_examples=100, deadline=None)
@given(st.integers(3, 60), st.integers(1, 200), st.floats(0.0001, 0.9999))
def test_between_the_thresholds_the_sizes_are_one_and_two(v: int, others: int, position: float) -> None:
    domain = Domain(v + others, v)
    low, high = max(single_size_until(domain), 1.0), randomised_response_from(domain)
    saddle = solve(domain, log(low + position * (high - low)))
    assert saddle.sizes == (1, 2)


@settings(max_examples=100, deadline=None)
@given(domains(60, 200), eps_values)
def test_closed_forms_enclose_the_limit(domain: Domain, eps: float) -> None:
    m_star = solve(domain, eps).m_star
    odds = Fraction(exp(eps))
    assert m_star <= randomised_response_limit(domain, odds) * (1 + Fraction(1, 10**9))
    if domain.sensitive > 1:
        assert m_star >= single_size_limit(domain, odds) * (1 - Fraction(1, 10**9))


EPS = (1e-3, 0.5, 1.0, 4.0, 20.0)
#: Domains with eps, the closed form of their limit, sizes and alpha (None: any).
SIMPLE = [
    *((w, 1, eps, randomised_response_limit, (1,), None) for w in (2, 3, 10, 1000) for eps in EPS),
    *((w, 2, 0.05, randomised_response_limit, (1,), None) for w in (2, 3, 10, 100)),
    *((v, v, eps, single_size_limit, None, 1) for v in (2, 3, 10, 1000) for eps in EPS),  # local privacy
]


@pytest.mark.parametrize(("w", "v", "eps", "closed_form", "sizes", "alpha"), SIMPLE)
def test_simple_domains_have_closed_forms(
    w: int, v: int, eps: float, closed_form: Callable, sizes: tuple[int, ...] | None, alpha: float | None
) -> None:
    domain = Domain(w, v)
    saddle = solve(domain, eps)
    assert saddle.sizes == sizes or sizes is None
    assert saddle.alpha == alpha or alpha is None
    assert_equal(saddle.m_star, closed_form(domain, 1 + Fraction(expm1(eps))))


def test_closed_forms_are_exact_on_rationals() -> None:
    assert single_size_limit(Domain(9, 4), Fraction(2)) == Fraction(75, 4)
    assert randomised_response_limit(Domain(2, 1), Fraction(3)) == Fraction(9, 8)
    with pytest.raises(ValueError, match="one sensitive symbol"):
        single_size_limit(Domain(2, 1), Fraction(3))


@settings(max_examples=50, deadline=None)
@given(domains(60, 200), eps_values, st.floats(0, 1), st.data())
def test_saddle_point_cannot_be_improved(
    domain: Domain, eps: float, alpha: float, data: st.DataObject
) -> None:
    """No other alpha is worse for t*, no other mixture is better at alpha*."""
    saddle, tradeoff = solve(domain, eps), Objective(domain, eps)
    mixture = {k - 1: share for k, share in zip(saddle.sizes, saddle.shares, strict=True)}
    assert tradeoff.terms(alpha).value(mixture) <= saddle.m_star * (1 + 1e-12)
    weights = data.draw(st.lists(st.floats(0.01, 1), min_size=domain.sensitive, max_size=domain.sensitive))
    other = dict(enumerate(np.array(weights) / np.sum(weights)))
    assert tradeoff.terms(saddle.alpha).value(other) >= saddle.m_star * (1 - 1e-12)


@settings(max_examples=50, deadline=None)
@given(domains(60, 200), eps_values, st.floats(1e-3, 1))
def test_limit_falls_with_eps(domain: Domain, eps: float, more: float) -> None:
    assert solve(domain, eps + more).m_star < solve(domain, eps).m_star


def test_limit_approaches_that_without_privacy() -> None:
    """At large eps the symbols are all but sent: n MSE of empirical frequencies, P uniform."""
    for w, v in ((2, 1), (10, 4), (10, 10)):
        assert solve(Domain(w, v), 40.0).m_star == pytest.approx(1 - 1 / w, rel=1e-12)


def test_limit_of_a_thousand_sensitive_symbols_is_certified() -> None:
    for eps in (0.1, 1.0, 7.5, 8.0):
        assert certify(solve(Domain(2000, 1000), eps), Fraction(eps)).gap < 1e-12


@pytest.mark.parametrize(("w", "v"), [(1, 1), (5, 0), (5, 6), (0, 0)])
def test_impossible_domains_are_refused(w: int, v: int) -> None:
    with pytest.raises(ValueError, match="symbols"):
        Domain(w, v)


@pytest.mark.parametrize("eps", [0.0, -1.0, MOST_EPS * 1.01, float("nan"), float("inf")])
def test_eps_out_of_range_is_refused(eps: float) -> None:
    with pytest.raises(ValueError, match="eps must lie between"):
        solve(Domain(5, 2), eps)
