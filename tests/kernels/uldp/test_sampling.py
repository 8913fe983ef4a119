"""Compiled clients and server against the exact laws; streams against their published test values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from kernels.uldp.blocks import block_design
from kernels.uldp.domain import Domain
from kernels.uldp.law import Output
from kernels.uldp.mechanism import Mechanism, odds_of
from kernels.uldp.saddle import solve
from kernels.uldp.sampling.exchange import Reports
from kernels.uldp.sampling.reports import supported
from kernels.uldp.sampling.server import project
from kernels.uldp.sampling.simulation import alias_table, simulate
from kernels.uldp.sampling.streams import below, hashed, mixed, new_stream, next_bits, uniform
from tests.kernels.uldp.cases import NAMES, mechanisms, saddle_of
from tests.kernels.uldp.exact_checks import contribution

MASK = (1 << 64) - 1


def split_mix(state: int) -> tuple[int, int]:
    """SplitMix64 in whole numbers: the new state and the output."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


def xoshiro(state: list[int]) -> int:
    """xoshiro256++ in whole numbers."""

    def turned(x: int, by: int) -> int:
        return ((x << by) | (x >> (64 - by))) & MASK

    result = (turned((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
    shifted = (state[1] << 17) & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = turned(state[3], 45)
    return result


@pytest.mark.parametrize("seed", [0, 1, 0x123456789ABCDEF0, MASK])
def test_streams_are_those_of_the_published_generators(seed: int) -> None:
    stream, state, expected = new_stream(np.uint64(seed)), seed, []
    for _ in range(4):
        state, output = split_mix(state)
        expected.append(output)
    assert stream.tolist() == expected
    assert [int(next_bits(stream)) for _ in range(100)] == [xoshiro(expected) for _ in range(100)]


def test_split_mix_has_its_published_first_output() -> None:
    assert int(mixed(np.uint64(0x9E3779B97F4A7C15))) == 0xE220A8397B1DCDAF


def test_uniform_numbers_are_uniform() -> None:
    stream = new_stream(np.uint64(7))
    draws = np.array([uniform(stream) for _ in range(20_000)])
    assert 0 <= draws.min() < draws.max() < 1
    assert_chi_square(np.bincount((draws * 20).astype(int), minlength=20), np.full(20, 1 / 20))
    draws = np.array([below(stream, 7) for _ in range(20_000)])
    assert_chi_square(np.bincount(draws, minlength=7), np.full(7, 1 / 7))


def test_hash_functions_are_uniform_and_independent() -> None:
    stream = new_stream(np.uint64(8))
    pairs = np.zeros((5, 5))
    for _ in range(20_000):
        seed = np.uint64(next_bits(stream))
        pairs[hashed(seed, 0, 5), hashed(seed, 1, 5)] += 1
    assert_chi_square(pairs.ravel(), np.full(25, 1 / 25))


def assert_chi_square(counts: np.ndarray, probabilities: np.ndarray) -> None:
    """Counts fit the probabilities: chi square within 4.5 standard deviations of its mean."""
    assert counts[probabilities == 0].sum() == 0
    expected = probabilities[probabilities > 0] * counts.sum()
    freedom = expected.size - 1
    statistic = ((counts[probabilities > 0] - expected) ** 2 / expected).sum()
    assert abs(statistic - freedom) < 4.5 * np.sqrt(2 * max(freedom, 1))


def meanings(mechanism: Mechanism, reports: Reports) -> Counter[tuple[int, tuple[int, ...], int]]:
    """How often each (class, support, name) occurs."""
    found: Counter[tuple[int, tuple[int, ...], int]] = Counter()
    support = np.empty(mechanism.domain.sensitive, dtype=np.int64)
    for i in range(reports.groups.size):
        message = reports.messages[reports.start[i] : reports.start[i + 1]]
        length = supported(mechanism.coder, mechanism.domain.sensitive, message, message.size, support)
        supports = tuple(sorted(support[:length].tolist()))
        found[int(reports.groups[i]), supports, int(reports.named[i])] += 1
    return found


@pytest.mark.parametrize("case", [(6, 4, Fraction(3, 2)), (7, 4, Fraction(2)), (5, 1, Fraction(2))], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_reports_follow_the_exact_law(case: tuple[int, int, Fraction], name: str) -> None:
    w, v, odds = case
    mechanism = mechanisms(Domain(w, v), odds)[name]
    expected: dict[tuple[int, tuple[int, ...], int], list[Fraction]] = {}
    for output, column in mechanism.law().columns.items():
        key = (output.group, output.support, -1 if output.named is None else output.named)
        known = expected.get(key, [Fraction(0)] * w)
        expected[key] = [p + q for p, q in zip(known, column, strict=True)]
    for x in range(w):
        found = meanings(mechanism, mechanism.report(np.full(8000, x), seed=1000 + x))
        assert set(found) <= set(expected)
        keys = sorted(expected)
        probabilities = np.array([float(expected[key][x]) for key in keys])
        assert_chi_square(np.array([found[key] for key in keys]), probabilities)


@pytest.mark.parametrize("name", NAMES)
def test_server_adds_up_what_each_report_tells(name: str) -> None:
    domain = Domain(7, 4)
    mechanism = mechanisms(domain, Fraction(2))[name]
    reports = mechanism.report(np.arange(300) % 7, seed=5)
    total = np.zeros(7)
    for (group, support, named), count in meanings(mechanism, reports).items():
        output = Output(group, support, None if named < 0 else named)
        parts = contribution(domain, mechanism.weights, output)
        total += count * np.array([float(part) for part in parts])
    assert mechanism.estimate(reports) == pytest.approx(total / 300, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_simulated_error_and_mean_are_the_exact_ones(name: str) -> None:
    domain, odds = Domain(9, 7), Fraction(5, 4)
    mechanism = mechanisms(domain, odds)[name]
    distribution = np.arange(1, 10) / 45
    n, repetitions = 200, 2000
    survey = simulate(mechanism.coder, mechanism.weight_table, distribution, 7, n, repetitions, seed=11)
    exact = float(mechanism.error.at([Fraction(x, 45) for x in range(1, 10)]))
    noise = n * survey.errors.std() / np.sqrt(repetitions)
    assert abs(n * survey.errors.mean() - exact) < 4 * noise
    assert np.all(np.abs(survey.mean - distribution) < 5 * np.sqrt(survey.square / repetitions))
    assert survey.square.sum() == pytest.approx(survey.errors.mean())
    assert survey.projected.mean() < survey.errors.mean()


def test_simulated_error_is_within_two_percent_of_the_limit() -> None:
    """At the least favourable P, 10,000 surveys of 500 clients each, for each regime."""
    for w, v, eps in ((10, 1, 1.0), (10, 6, 1.5), (20, 8, 1.0)):
        domain = Domain(w, v)
        saddle = solve(domain, eps)
        mechanism = block_design(saddle, odds_of(eps))
        distribution = np.array([saddle.alpha / v] * v + [(1 - saddle.alpha) / (w - v)] * (w - v))
        survey = simulate(
            mechanism.coder, mechanism.weight_table, distribution, v, n=500, repetitions=10_000, seed=3
        )
        assert 500 * survey.errors.mean() == pytest.approx(saddle.m_star, rel=0.02)


def test_same_seed_same_surveys_other_seed_others() -> None:
    domain, odds = Domain(7, 4), Fraction(2)
    mechanism = block_design(saddle_of(domain, odds), odds)
    arguments = (mechanism.coder, mechanism.weight_table, np.full(7, 1 / 7), 4, 50, 20)
    first, again, other = (simulate(*arguments, seed) for seed in (2**63 + 5, 2**63 + 5, 2**63 + 6))
    assert np.array_equal(first.errors, again.errors)
    assert not np.array_equal(first.errors, other.errors)
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            simulate(*arguments, seed)
    with pytest.raises(ValueError, match="numbered 0 to 6"):
        mechanism.report([7], seed=1)


def test_estimates_are_unbiased_or_projected() -> None:
    mechanism = mechanisms(Domain(6, 4), Fraction(3, 2))["uBD"]
    reports = mechanism.report(np.full(50, 5), seed=9)
    plain, projected = mechanism.estimate(reports), mechanism.estimate(reports, projected=True)
    assert plain.min() < 0
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1)
    assert plain.sum() == pytest.approx(1)


def test_projection_is_the_nearest_distribution() -> None:
    source = np.random.default_rng(4)
    for _ in range(50):
        point = source.normal(size=6)
        nearest = np.empty(6)
        project(point, nearest)
        assert nearest.sum() == pytest.approx(1)
        for other in source.dirichlet(np.ones(6), size=50):
            assert np.dot(point - nearest, other - nearest) <= 1e-12


def test_alias_table_gives_the_distribution() -> None:
    distribution = np.array([0.5, 0.0, 0.2, 0.2, 0.1])
    threshold, alias = alias_table(distribution)
    total = threshold / 5
    for i, other in enumerate(alias):
        total[other] += (1 - threshold[i]) / 5
    assert total == pytest.approx(distribution, abs=1e-15)
    assert total[1] == 0


def test_thousand_sensitive_symbols_are_sampled_without_a_list() -> None:
    domain = Domain(1500, 1000)
    mechanism = block_design(solve(domain, 1.0), odds_of(1.0))
    reports = mechanism.report(np.arange(1500), seed=1)
    size = mechanism.mixture[0][1].size
    for i in np.flatnonzero(reports.named < 0):
        message = reports.messages[reports.start[i] : reports.start[i + 1]]
        assert message.size == size == np.unique(message).size
        assert 0 <= message.min() <= message.max() < 1000
