"""Every mechanism by its exact law: privacy, no bias, variance; what the checker catches; small designs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb, exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.uldp import designs
from kernels.uldp.blocks import BlockMechanism, block_design, subset_selection
from kernels.uldp.closed_forms import single_size_limit, single_size_until
from kernels.uldp.domain import Domain
from kernels.uldp.law import Law, violations
from kernels.uldp.mechanism import odds_of
from kernels.uldp.saddle import solve
from kernels.uldp.unary import UnaryEncoding
from tests.kernels.uldp.cases import DESIGNED, NAMES, SMALL, domains, mechanisms, saddle_of
from tests.kernels.uldp.exact_checks import error_by_law, expected_estimate, is_balanced, is_unbiased


@pytest.mark.parametrize(("domain", "odds"), SMALL, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_law_is_private_unbiased_and_has_the_error(domain: Domain, odds: Fraction, name: str) -> None:
    w, mechanism = domain.symbols, mechanisms(domain, odds)[name]
    law = mechanism.law()
    assert violations(law, odds) == []
    for x in range(w):
        assert expected_estimate(law, mechanism.weights, x) == [int(i == x) for i in range(w)]
    weights = [Fraction(3 * x * x + 1) for x in range(w)]
    distribution = [weight / sum(weights) for weight in weights]
    assert error_by_law(law, mechanism.weights, distribution) == mechanism.error.at(distribution)
    assert is_unbiased(domain, mechanism.classes, mechanism.weights)
    outputs = Counter(output.group for output in law.columns)
    assert max(outputs.values()) <= 1 << mechanism.bits or name == "uOLH"  # whose hash functions are 64 bits


@pytest.mark.parametrize(("domain", "odds"), DESIGNED, ids=str)
def test_small_designs_do_what_the_complete_ones_do(domain: Domain, odds: Fraction) -> None:
    w, saddle = domain.symbols, saddle_of(domain, odds)
    complete, small = block_design(saddle, odds), block_design(saddle, odds, small=True)
    law = small.law()
    assert len(law.columns) == w < len(complete.law().columns)
    assert violations(law, odds) == []
    for x in range(w):
        assert expected_estimate(law, small.weights, x) == [int(i == x) for i in range(w)]
    assert small.weights == complete.weights
    assert small.error == complete.error
    assert small.bits < complete.bits


@pytest.mark.parametrize(("w", "v"), [(6, 4), (20, 8), (10, 4), (9, 7), (40, 30), (100, 50)])
@pytest.mark.parametrize("position", [0.02, 0.3, 0.7, 0.98])
def test_subset_selection_is_strictly_worse_where_one_size_is_optimal(
    w: int, v: int, position: float
) -> None:
    """By exact rationals: its worst case, for its own best k, exceeds M*, which block designs attain."""
    domain = Domain(w, v)
    odds = 1 + Fraction(position) * (Fraction(single_size_until(domain)) - 1)
    limit = single_size_limit(domain, odds)
    assert subset_selection(domain, odds).error.worst > limit
    designed = block_design(solve(domain, log(odds)), odds)
    assert designed.error.worst == limit


@settings(max_examples=30, deadline=None)
@given(domains(30, 40), st.floats(0.01, 6))
def test_worst_error_of_the_block_design_is_the_limit(domain: Domain, eps: float) -> None:
    saddle = solve(domain, eps)
    error = block_design(saddle, Fraction(exp(eps))).error
    assert float(error.worst) == pytest.approx(saddle.m_star, rel=1e-10)
    assert float(error.worst_alpha) == pytest.approx(saddle.alpha, abs=1e-6)
    assert float(error.at_uniform(Fraction(saddle.alpha))) == pytest.approx(saddle.m_star, rel=1e-10)


@settings(max_examples=30, deadline=None)
@given(domains(12, 20), st.floats(0.1, 6))
def test_no_baseline_beats_the_limit(domain: Domain, eps: float) -> None:
    """At the least favourable P, and so in the worst case too."""
    saddle = solve(domain, eps)
    for mechanism in mechanisms(domain, odds_of(eps)).values():
        assert is_unbiased(domain, mechanism.classes, mechanism.weights)
        at_least_favourable = mechanism.error.at_uniform(Fraction(saddle.alpha))
        assert at_least_favourable >= saddle.m_star * (1 - 1e-11)
        assert mechanism.error.worst >= at_least_favourable


def planted(law: Law, change: str) -> Law:
    """A law with a violation."""
    columns = {output: list(column) for output, column in law.columns.items()}
    protected = [output for output in columns if output.named is None]
    named = next(output for output in columns if output.named is not None)
    if change == "ratio":  # a little of a sensitive symbol's probability moves to the output it prefers
        first, second = sorted(protected, key=lambda output: columns[output][0])[:: len(protected) - 1]
        columns[first][0] -= Fraction(1, 10**9)
        columns[second][0] += Fraction(1, 10**9)
    if change == "name":  # a sensitive symbol may be named as well
        columns[protected[0]][0] -= Fraction(1, 1000)
        columns[replace(protected[0], detail=(99,))] = [
            Fraction(1, 1000) if x == 0 else Fraction(0) for x in range(law.domain.symbols)
        ]
    if change == "shared name":  # another symbol's name, given by a second symbol too
        other = law.domain.symbols - 1 if named.named != law.domain.symbols - 1 else law.domain.sensitive
        columns[named][other] += Fraction(1, 1000)
        columns[protected[0]][other] -= Fraction(1, 1000)
    if change == "sum":
        columns[protected[0]] = [2 * q for q in columns[protected[0]]]
    if change == "negative":
        columns[named][named.named] *= -1
    return Law(law.domain, columns)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("ratio", "likelier by the factor"),
        ("name", "only the sensitive symbol 0"),
        ("shared name", "likelier without bound"),
        ("sum", "add up to"),
        ("negative", "negative"),
    ],
)
@pytest.mark.parametrize("name", ["uBD", "uSS", "uOUE", "uOLH", "uHR"])
def test_checker_catches_planted_violations(name: str, change: str, told: str) -> None:
    odds = Fraction(2)
    law = mechanisms(Domain(6, 4), odds)[name].law()
    assert violations(law, odds) == []
    found = violations(planted(law, change), odds)
    assert any(told in violation.reason for violation in found)


def test_checker_is_exact() -> None:
    """No slack: the law for e^eps is refused for anything less."""
    odds = Fraction(2)
    for mechanism in mechanisms(Domain(6, 4), odds).values():
        law = mechanism.law()
        assert violations(law, odds) == []
        assert violations(law, odds - Fraction(1, 10**15)) != []


@pytest.mark.parametrize(
    ("v", "k", "name", "count"),
    [
        (7, 3, "Singer", 7),
        (7, 4, "complement of Singer", 7),
        (13, 4, "Singer", 13),
        (31, 6, "Singer", 31),
        (57, 8, "Singer", 57),
        (15, 7, "Singer", 15),
        (31, 15, "Singer", 31),
        (40, 13, "Singer", 40),
        (11, 5, "Paley", 11),
        (11, 6, "complement of Paley", 11),
        (19, 9, "Paley", 19),
        (5, 1, "complete", 5),
        (5, 5, "complete", 1),
        (6, 2, "complete", 15),
        (6, 4, "complete", 15),
    ],
)
def test_families_of_blocks_are_balanced(v: int, k: int, name: str, count: int) -> None:
    design = designs.small(v, k)
    assert (design.name, design.count) == (name, count)
    assert is_balanced(design)
    full = designs.complete(v, k)
    assert (design.share, design.together) == (full.share, full.together)


@pytest.mark.parametrize("v", [1, 2, 3, 4, 7, 8, 20])
def test_hadamard_columns_are_balanced(v: int) -> None:
    design = designs.hadamard(v)
    assert v < design.count <= 2 * v
    assert is_balanced(design)


def test_unbalanced_families_are_told() -> None:
    good = designs.small(7, 3)
    assert good.blocks is not None
    assert not is_balanced(replace(good, blocks=(*good.blocks[:-1], good.blocks[0])))
    assert not is_balanced(replace(good, blocks=good.blocks[:-1]))


def test_nothing_needs_a_list_of_all_subsets() -> None:
    """Errors, weights, coder and bits are there where no law could be listed."""
    domain = Domain(2000, 1000)
    mechanism = block_design(solve(domain, 1.0), odds_of(1.0))
    assert [design.size for _, design in mechanism.mixture] == [269]
    assert mechanism.coder.blocks == 0
    assert mechanism.bits == (comb(1000, 269) + 999).bit_length()
    with pytest.raises(ValueError, match="too many to list"):
        mechanism.law()
    with pytest.raises(ValueError, match="too many to list"):
        UnaryEncoding(domain, odds_of(1.0)).law()


def test_odds_never_exceed_those_asked_for() -> None:
    for eps in (1e-3, 0.1, 1.0, 5.0, 20.0):
        assert 0 < exp(eps) - float(odds_of(eps)) <= 2e-15 * exp(eps)


def test_impossible_mechanisms_are_refused() -> None:
    domain, odds, family = Domain(6, 4), Fraction(2), designs.complete(4, 2)
    with pytest.raises(ValueError, match="add up to 1"):
        BlockMechanism("x", domain, odds, [(Fraction(1, 2), family)])
    with pytest.raises(ValueError, match="sensitive symbols"):
        BlockMechanism("x", Domain(6, 5), odds, [(Fraction(1), family)])
    with pytest.raises(ValueError, match="above 1"):
        UnaryEncoding(domain, Fraction(1))
    with pytest.raises(ValueError, match="1 to 4 symbols"):
        designs.complete(4, 5)
    with pytest.raises(ValueError, match="eps must be"):
        odds_of(0.0)
