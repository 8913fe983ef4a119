"""The batch job: arrays against the references and against single questions, the same bits in any batch."""

import dataclasses
import math
from fractions import Fraction as F
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.plan_summary import cost
from kernels.accounting.result import PairResult
from kernels.accounting.settings import Settings
from tests.kernels.accounting.cases import LUMPY, MANY, PAIRS, accountant, arb_reference, cells_of, reference
from tests.kernels.numerics.exact import total as summed
from tests.reference.balls import ball, enclosure, precision
from tests.reference.cells import total
from tests.reference.checks import RELATIVE

DEFAULT = Settings()
PLAIN = ["no bypass", "one deep bypass", "heavy, two paths", "level Block", "level US", "three lattices"]
NAMES = [*PLAIN, *MANY]
WIDE_STEPS = ["one cell, sigma^2 = 1", "two cells, sigma^2 = 1", "sigma^2 = 1/6 and 1/5"]
ALL = [*NAMES, *WIDE_STEPS, "one cell, sigma^2 = 1/100"]


@cache
def results() -> dict[str, PairResult]:
    compositions = [Composition.from_counts(cells_of(name)) for name in ALL]
    return dict(zip(ALL, evaluate(compositions, DEFAULT), strict=True))


@pytest.mark.parametrize("name", ALL)
def test_shapes_and_types(name: str) -> None:
    result = results()[name]
    points = result.threshold.shape[0]
    assert result.alpha.shape == result.beta.shape == (points, 3)
    assert result.eps.shape == result.delta.shape == result.log10_delta.shape == result.relative_bound.shape
    assert result.eps.size >= 2
    for table in (result.epsilon, result.reduction, result.eps_zcdp, result.scale):
        assert table.shape == (len(DEFAULT.deltas), 3)
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert value.dtype == np.float64
            assert not np.isnan(value).any(), field.name
    for table in (result.alpha, result.beta):
        assert np.all(np.abs(table[:, 1]) <= np.spacing(np.abs(table[:, 0])))  # the first is the nearest one
        assert np.all((table[:, 0] >= 0) & (table[:, 0] <= 1))
    assert result.summary == accountant(name).plan_summary().figures
    if name in NAMES:
        assert points >= DEFAULT.thresholds
        assert result.eps.size >= DEFAULT.eps_points
        assert max(summed(result.beta[0]), summed(result.alpha[-1])) < F(1, 10**33)


@pytest.mark.parametrize("name", ALL)
def test_thresholds_are_equally_spaced_and_exact(name: str) -> None:
    result = results()[name]
    assert result.threshold_step > 0
    for j, threshold in enumerate(result.threshold.tolist()):
        assert threshold == float(result.threshold_first + j * result.threshold_step)


def sample(count: int, wanted: int) -> list[int]:
    """Indices over the whole range, both ends included."""
    return sorted({round(k * (count - 1) / (wanted - 1)) for k in range(wanted)}) if count > 1 else [0]


@pytest.mark.parametrize("name", ALL)
def test_vertices_against_the_reference(name: str) -> None:
    result, truth = results()[name], reference(name)
    bound = F(result.absolute_bound)
    assert 0 <= bound <= F(1, 10**35)
    wanted = 9 if name == "heavy, two paths" else 41
    for j in sample(result.threshold.size, wanted):
        tau = result.threshold_first + j * result.threshold_step
        alpha, power = truth.alpha(tau), truth.power(tau)
        assert alpha.lower - bound <= summed(result.alpha[j]) <= alpha.upper + bound
        assert 1 - power.upper - bound <= summed(result.beta[j]) <= 1 - power.lower + bound


@pytest.mark.parametrize("name", ALL)
def test_vertices_are_symmetric_monotone_and_convex(name: str) -> None:
    result = results()[name]
    alpha = [summed(row) for row in result.alpha]
    beta = [summed(row) for row in result.beta]
    slack = 2 * F(result.absolute_bound)
    assert all(right <= left + slack for left, right in pairwise(alpha))
    assert all(left <= right + slack for left, right in pairwise(beta))
    for j in range(len(alpha) - 2):
        run, total_run = alpha[j] - alpha[j + 1], alpha[j] - alpha[j + 2]
        chord = beta[j] * (total_run - run) + beta[j + 2] * run
        assert beta[j + 1] * total_run <= chord + 4 * slack


@pytest.mark.parametrize("name", ALL)
def test_profile_against_the_reference(name: str) -> None:
    result = results()[name]
    truth = (
        arb_reference(name, 38 if name == "heavy, two paths" else 60) if name in NAMES else reference(name)
    )
    assert result.eps[0] == 0
    assert np.all(np.diff(result.eps) > 0)
    assert np.all(np.diff(result.log10_delta) <= 0)
    assert result.delta[-1] <= float(min(DEFAULT.deltas))
    assert np.all(result.relative_bound <= float(LUMPY.get(name, RELATIVE)))
    assert np.all(result.relative_bound >= 0)
    compared = 0
    for j in sample(result.eps.size, 9 if name == "heavy, two paths" else 33):
        delta = truth.delta(F(float(result.eps[j])))
        if delta.width > delta.lower / 10**14:
            continue
        compared += 1
        allowed = F(float(result.relative_bound[j])) * delta.upper
        if delta.lower > F(1, 10**300):
            assert delta.lower - allowed <= F(float(result.delta[j])) <= delta.upper + allowed
        with precision(200):
            log10 = float((ball(delta.middle).log() / arb(10).log()).mid())
        rounding = 2 * math.ulp(log10) + float(result.relative_bound[j])
        assert abs(result.log10_delta[j] - log10) <= rounding
    assert compared >= 2


@pytest.mark.parametrize("name", ALL)
def test_eps_and_reductions_agree_with_single_questions(name: str) -> None:
    result, case = results()[name], accountant(name)
    for row, delta in enumerate(DEFAULT.deltas):
        single = case.reduction(delta)
        for table, answer in (
            (result.epsilon, case.epsilon(delta)),
            (result.reduction, single.reduction),
            (result.eps_zcdp, single.eps_zcdp),
            (result.scale, single.scale),
        ):
            value, lower, upper = (F(float(part)) for part in table[row])
            assert lower <= value <= upper
            assert lower <= F(answer.upper)
            assert F(answer.lower) <= upper
            if name != "one cell, sigma^2 = 1/100":  # there delta is all but a step in c
                assert upper - lower <= 100 * LUMPY.get(name, RELATIVE) * max(1, upper)


@pytest.mark.parametrize("name", NAMES)
def test_eps_put_back_in(name: str) -> None:
    result, truth = results()[name], reference(name)
    for row, delta in enumerate(DEFAULT.deltas):
        _, lower, upper = (F(float(part)) for part in result.epsilon[row])
        assert truth.delta(upper).lower <= delta
        assert lower == 0 or truth.delta(lower).upper >= delta


def test_published_pairs_agree_with_the_profile_command() -> None:
    """alpha at a vertex is the same number whether it comes from the batch or from one question."""
    result, case = results()["no bypass"], accountant("no bypass")
    picks = sample(result.threshold.size, 7)
    taus = [result.threshold_first + j * result.threshold_step for j in picks]
    for j, point in zip(picks, case.profile(taus), strict=True):
        allowed = F(result.absolute_bound) + F(1, 10**35)
        assert abs(F(point.alpha.value) - summed(result.alpha[j])) <= allowed
        assert abs(1 - F(point.power.value) - summed(result.beta[j])) <= allowed


def content(result: PairResult) -> list[bytes]:
    """Every bit of a result."""
    parts = []
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        parts.append(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return parts


def test_same_bits_in_any_batch() -> None:
    names = ["no bypass", "one deep bypass", "level Block", "one cell, sigma^2 = 1", "three lattices"]
    settings = Settings(thresholds=101, eps_points=32)
    compositions = [Composition.from_counts(cells_of(name)) for name in names]
    together = [content(result) for result in evaluate(compositions, settings)]
    backwards = [content(result) for result in evaluate(compositions[::-1], settings)][::-1]
    assert together == backwards
    for number, composition in enumerate(compositions):
        assert content(evaluate([composition], settings)[0]) == together[number]
    twice = evaluate([compositions[0], compositions[0]], settings)
    assert [content(result) for result in twice] == [together[0], together[0]]
    assert evaluate([], settings) == []


def test_cost_is_positive_and_larger_for_heavy_pairs() -> None:
    costs = {name: cost(Composition.from_counts(cells_of(name))) for name in PAIRS}
    assert all(value > 0 for value in costs.values())
    assert costs["heavy, one path"] > costs["no bypass"]


def test_settings_are_honoured() -> None:
    settings = Settings(deltas=(F(1, 100), F(1, 10**300), F(9, 10)), thresholds=11, eps_points=5)
    [result] = evaluate([Composition.from_counts(cells_of("level State"))], settings)
    assert 11 <= result.threshold.size < 100
    assert result.epsilon.shape == (3, 3)
    assert result.epsilon[1, 1] > result.epsilon[0, 2] > 0
    assert np.all(result.epsilon[2] == 0)


@pytest.mark.parametrize("name", WIDE_STEPS)
def test_slope_between_vertices_is_the_likelihood_ratio(name: str) -> None:
    """One lattice point t lies between two thresholds; there beta changes by -e^t times alpha."""
    result, cells = results()[name], cells_of(name)
    step, offset = reference(name).step, total(cells) / 2
    assert result.threshold_step == step
    alpha = [summed(row) for row in result.alpha]
    beta = [summed(row) for row in result.beta]
    for j in range(1, len(alpha)):
        tau = result.threshold_first + j * step
        t = (tau + offset) // step * step - offset
        with precision(300):
            ratio = enclosure(ball(t).exp()).middle
        error = 2 * F(result.absolute_bound) * (1 + ratio)
        assert abs((beta[j] - beta[j - 1]) - ratio * (alpha[j - 1] - alpha[j])) <= error
