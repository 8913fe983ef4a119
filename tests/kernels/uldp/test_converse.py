"""No ULDP mechanism does better than M*: random ones, by exact arithmetic against certified bounds."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf, log

import pytest

from kernels.uldp.bounds import certify
from kernels.uldp.converse import (
    cramer_rao_sum,
    efficient_error,
    extremal,
    extremal_law,
    size_shares,
)
from kernels.uldp.domain import Domain
from kernels.uldp.law import violations
from kernels.uldp.objective import Objective
from kernels.uldp.saddle import solve
from tests.kernels.uldp.cases import SMALL, mechanisms, saddle_of
from tests.kernels.uldp.random_mechanisms import random_law

DOMAINS = [(2, 1), (4, 1), (3, 2), (6, 2), (4, 3), (6, 4), (4, 4), (7, 5)]
ODDS = [Fraction(21, 20), Fraction(3, 2), Fraction(3), Fraction(20)]


@pytest.mark.parametrize("pair", DOMAINS, ids=str)
def test_random_mechanisms_do_not_beat_the_limit(pair: tuple[int, int]) -> None:
    domain, source = Domain(*pair), random.Random(repr(pair))
    compared = 0
    for odds in ODDS:
        eps = Fraction(log(odds))
        saddle = solve(domain, float(eps))
        limit, alpha = certify(saddle, eps).m_star.lower, Fraction(saddle.alpha)
        for _ in range(40):
            law = random_law(domain, odds, source)
            assert violations(law, odds) == []
            refined = extremal(law, odds)
            assert violations(refined, odds) == []
            best = cramer_rao_sum(refined, alpha)
            assert best >= limit * (1 - Fraction(1, 10**13))  # odds is e^eps but for rounding
            plain = cramer_rao_sum(law, alpha)
            assert plain >= best
            compared += plain < 10 * limit
    assert compared > 40


@pytest.mark.parametrize(("domain", "odds"), SMALL, ids=str)
def test_sum_of_an_extremal_mechanism_is_that_of_its_sizes(domain: Domain, odds: Fraction) -> None:
    source = random.Random(1)
    tradeoff = Objective(domain, log(odds))
    for _ in range(10):
        law = extremal(random_law(domain, odds, source), odds)
        shares = size_shares(law, odds)
        assert sum(shares.values()) == 1
        mixture = {k - 1: float(share) for k, share in shares.items()}
        for alpha in (0.0, 0.3, 0.9, 1.0) if domain.others else (1.0,):
            total = float(cramer_rao_sum(law, Fraction(alpha)))
            assert total == inf or total == pytest.approx(tradeoff.terms(alpha).value(mixture), rel=1e-11)


@pytest.mark.parametrize(("domain", "odds"), SMALL, ids=str)
def test_block_design_attains_the_sum_and_the_efficient_error(domain: Domain, odds: Fraction) -> None:
    saddle = saddle_of(domain, odds)
    mechanism = mechanisms(domain, odds)["uBD"]
    law, alpha = mechanism.law(), Fraction(saddle.alpha)
    assert cramer_rao_sum(law, alpha) == mechanism.error.at_uniform(alpha)
    if 0 < alpha < 1 or not domain.others:
        assert efficient_error(law, float(alpha)) == pytest.approx(saddle.m_star, rel=1e-9)


def test_sum_never_exceeds_the_efficient_error() -> None:
    source = random.Random(3)
    for pair in ((6, 3), (5, 5), (5, 2)):
        domain = Domain(*pair)
        alpha = Fraction(2, 5) if domain.others else Fraction(1)
        for _ in range(30):
            law = random_law(domain, Fraction(3), source)
            total = float(cramer_rao_sum(law, alpha))
            assert total <= efficient_error(law, float(alpha)) * (1 + 1e-9)


def test_exact_errors_of_all_mechanisms_are_above_their_own_bounds() -> None:
    domain, odds, alpha = Domain(6, 3), Fraction(3), Fraction(2, 5)
    for mechanism in mechanisms(domain, odds).values():
        bound = efficient_error(mechanism.law(), float(alpha))
        assert float(mechanism.error.at_uniform(alpha)) >= bound * (1 - 1e-12)


def test_extremal_mechanisms_stay_what_they_are() -> None:
    domain, odds = Domain(5, 3), Fraction(2)
    layers = {(0,): Fraction(1, 8), (1,): Fraction(1, 8), (2,): Fraction(1, 8), (0, 1, 2): Fraction(1, 4)}
    law = extremal_law(domain, odds, layers)
    assert violations(law, odds) == []
    assert dict(extremal(law, odds).columns) == dict(law.columns)
