"""Every planted fault is caught. Digests are made anew after each, so that only the numbers can tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.accounting import evaluate as evaluate_module
from kernels.accounting import inverse
from kernels.numerics.absolute.grid import GridTails
from kernels.numerics.absolute.trapezoid import Quadrature
from kernels.numerics.nodes.plan import Plan
from workflow.certificate.make import Request, certify
from workflow.digests import settings_of
from workflow.results.curves import CurveFile, Header, StoredResult
from workflow.results.file import StoreError

from .small import TEXT, allocation, compute, write

EVERYTHING = Request(size=None)
PAIR = 1  # which of the results is spoilt: [00, 10], on two lattices

Results = list[StoredResult]


@pytest.fixture(scope="module")
def right() -> Results:
    return compute()


def verdict(path: Path, **options: Any) -> dict[str, Any]:
    return certify(path, EVERYTHING, jobs=1, **options)["verdict"]


def test_right_results_pass(right: CurveFile, tmp_path: Path) -> None:
    found = verdict(write(tmp_path / "right.h5", right), allocation_text=TEXT)
    assert found["passed"], found
    assert found["values_checked"] == found["values_hold"] > 200
    assert found["groups_checked"] == found["groups"] == 6


def changed(result: StoredResult, **fields: Any) -> StoredResult:
    return dataclasses.replace(result, **fields)


def planned(result: StoredResult, **fields: Any) -> StoredResult:
    return changed(result, summary=dataclasses.replace(result.summary, **fields))


def at(array: np.ndarray, place: Any, factor: float) -> np.ndarray:
    spoilt = array.copy()
    spoilt[place] *= factor
    return spoilt


def one_bit(array: np.ndarray, place: tuple[int, int], bit: int) -> np.ndarray:
    spoilt = array.copy()
    spoilt.view(np.uint64)[place] ^= np.uint64(1 << bit)
    return spoilt


FAULTS: dict[str, Callable[[StoredResult], StoredResult]] = {
    "last bit of a leading double": lambda r: changed(r, alpha=one_bit(r.alpha, (7, 0), 0)),
    "one bit of a second double": lambda r: changed(r, beta=one_bit(r.beta, (7, 1), 20)),
    "third doubles left out": lambda r: changed(r, alpha=at(r.alpha, (slice(None), 2), 0.0)),
    "alpha and beta swapped": lambda r: changed(r, alpha=r.beta, beta=r.alpha),
    "thresholds shifted by one": lambda r: changed(
        r,
        threshold_first=r.threshold_first + r.threshold_step,
        threshold=r.threshold + float(r.threshold_step),
    ),
    "alpha shifted by one": lambda r: changed(r, alpha=np.roll(r.alpha, 1, axis=0)),
    "threshold column of another grid": lambda r: changed(r, threshold=r.threshold * (1 + 1e-14)),
    "absolute bound too small": lambda r: changed(r, absolute_bound=1e-60),
    "absolute bound not a number": lambda r: changed(r, absolute_bound=float("nan")),
    "relative bound too small": lambda r: changed(r, relative_bound=r.relative_bound * 1e-9),
    "delta off by 1e-11": lambda r: changed(r, delta=at(r.delta, 3, 1 + 1e-11)),
    "log10 of delta off by 1e-11": lambda r: changed(r, log10_delta=at(r.log10_delta, 5, 1 + 1e-11)),
    "deepest delta is noise": lambda r: changed(
        r, delta=at(r.delta, -1, 1.5), log10_delta=at(r.log10_delta, -1, 0.99)
    ),
    "eps too small": lambda r: changed(r, epsilon=r.epsilon * (1 - 1e-12)),
    "eps too large": lambda r: changed(r, epsilon=r.epsilon * (1 + 1e-12)),
    "eps below its lower bound": lambda r: changed(r, epsilon=at(r.epsilon, (0, 0), 0.999)),
    "scale too large": lambda r: changed(r, scale=r.scale * (1 + 1e-11)),
    "scale too small": lambda r: changed(r, scale=r.scale * (1 - 1e-11)),
    "reduction above what its scale gives": lambda r: changed(r, reduction=r.reduction * (1 + 1e-9)),
    "eps of the zCDP bound off": lambda r: changed(r, eps_zcdp=r.eps_zcdp * (1 + 1e-13)),
    "lattice too coarse": lambda r: planned(r, lattice=2 * r.summary.lattice),
    "total rho off": lambda r: planned(r, total_rho=r.summary.total_rho + Fraction(1, 10**12)),
    "nodes too few for the truncation bound": lambda r: planned(r, nodes=r.summary.nodes * 2 // 3),
    "truncation bound too small": lambda r: planned(r, truncation_bound=1e-90),
    "rounding bound left out of the total": lambda r: planned(r, rounding_bound=1e-30),
    "total of the error budget too small": lambda r: planned(r, total_bound=1e-300),
    "truncation bound not a number": lambda r: planned(r, truncation_bound=float("nan")),
    "sieve bound infinite": lambda r: planned(r, sieve_bound=float("inf")),
    "sieve bound of 1e300": lambda r: planned(r, sieve_bound=1e300),
    "fewer survivors than none": lambda r: planned(r, survivors_half=-1, survivors=-2),
    "survivors of another rule": lambda r: planned(r, survivors=3),
    "nodes beyond doubles": lambda r: planned(r, nodes=10**400),
    "threshold not a number": lambda r: changed(r, threshold=at(r.threshold, 3, float("nan"))),
    "absolute bound of 1": lambda r: changed(r, absolute_bound=1.0),
    "absolute bound infinite": lambda r: changed(r, absolute_bound=float("inf")),
    "leading double of 1e308": lambda r: changed(r, alpha=at(r.alpha, (7, 0), 1e307 / r.alpha[7, 0])),
    "alpha infinite": lambda r: changed(r, alpha=at(r.alpha, (7, 0), float("inf"))),
    "delta infinite": lambda r: changed(r, delta=at(r.delta, 3, float("inf"))),
    "deepest delta not a number": lambda r: changed(r, delta=at(r.delta, -1, float("nan"))),
    "relative bound of 1": lambda r: changed(r, relative_bound=r.relative_bound * 0 + 1),
    "eps of the profile infinite": lambda r: changed(r, eps=at(r.eps, 3, float("inf"))),
    "eps of the profile below 0": lambda r: changed(r, eps=-r.eps - 1),
    "eps of the profile 1e300": lambda r: changed(r, eps=r.eps * 0 + 1e300),
    "eps infinite": lambda r: changed(r, epsilon=r.epsilon * float("inf")),
    "scale infinite": lambda r: changed(r, scale=r.scale * float("inf")),
    "scale of 1e300": lambda r: changed(r, scale=r.scale * 1e300),
    "reduction infinite": lambda r: changed(r, reduction=r.reduction * float("inf")),
    "a survivor fewer than the sieve bound needs": lambda r: planned(
        r, survivors_half=r.summary.survivors_half // 2, survivors=r.summary.survivors_half // 2 * 2
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_value_is_caught(right: CurveFile, tmp_path: Path, fault: str) -> None:
    spoilt = [*right]
    spoilt[PAIR] = FAULTS[fault](right[PAIR])
    assert spoilt[PAIR].digest != right[PAIR].digest
    assert not verdict(write(tmp_path / "spoilt.h5", spoilt))["passed"]


def nearly(text: str) -> str:
    """The allocation with two rhos changed by 1e-12, their sum kept."""
    text = text.replace("total: 1/4, detailed: 1/2", "total: 0.250000000001, detailed: 0.499999999999")
    assert "0.250000000001" in text
    return text


def swapped(results: Results) -> Results:
    """The first two results, each under the name of the other."""
    first, second, *rest = results
    return [changed(second, identity=first.identity), changed(first, identity=second.identity), *rest]


@pytest.mark.parametrize(
    ("spoil", "text", "told"),
    [
        (swapped, TEXT, "cells"),
        (lambda results: results[1:], TEXT, "1 groups are missing, such as /pairs/00,00"),
        (lambda results: results, nearly(TEXT), "cells"),
    ],
    ids=["swapped pairs", "a missing group", "a changed rho in the text"],
)
def test_a_wrong_file_is_caught(
    right: Results, tmp_path: Path, spoil: Callable[[Results], Results], text: str, told: str
) -> None:
    found = verdict(write(tmp_path / "spoilt.h5", spoil(right), text))
    assert not found["passed"]
    assert told in found["faults"][0]


@pytest.mark.parametrize("field", ["neighbours", "allocation"])
def test_a_header_that_says_something_else_is_caught(right: CurveFile, tmp_path: Path, field: str) -> None:
    source = allocation()
    header = Header(source.name, source.neighbours, TEXT, settings_of(source))
    CurveFile.write(tmp_path / "header.h5", dataclasses.replace(header, **{field: "other"}), right)
    found = verdict(tmp_path / "header.h5")
    assert not found["passed"]
    assert "names another" in found["faults"][0]


def test_values_of_slightly_other_cells_are_caught(right: CurveFile, tmp_path: Path) -> None:
    """Values computed for other cells are put under the right ones."""
    other = TEXT.replace("total: 1/4, detailed: 1/2", "total: 7/32, detailed: 17/32")
    wrong = compute(other)[PAIR]
    spoilt = [*right]
    spoilt[PAIR] = changed(right[PAIR], delta=wrong.delta, log10_delta=wrong.log10_delta)
    assert not verdict(write(tmp_path / "values.h5", spoilt))["passed"]


def test_another_allocation_than_the_given_one_is_caught(right: CurveFile, tmp_path: Path) -> None:
    found = verdict(write(tmp_path / "right.h5", right), allocation_text=nearly(TEXT))
    assert found["faults"] == ["the allocation stored in the file is not the given one"]


def test_a_flipped_bit_of_the_file_is_caught(right: CurveFile, tmp_path: Path) -> None:
    path = write(tmp_path / "flipped.h5", right)
    content = bytearray(path.read_bytes())
    place = content.find(right[PAIR].alpha.tobytes())
    assert place > 0
    content[place + 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"digest|damaged"):
        verdict(path)


def dropped(rule: Quadrature) -> Quadrature:
    return dataclasses.replace(rule, coefficient=at(rule.coefficient, 4, 0.0))


def scaled(rule: Quadrature) -> Quadrature:
    return dataclasses.replace(rule, coefficient=rule.coefficient * (1 + 2.0**-52))


def turned(rule: Quadrature) -> Quadrature:
    return dataclasses.replace(rule, turn=rule.turn * (1 + 2.0**-45))


@pytest.mark.parametrize("spoil", [dropped, scaled, turned])
def test_a_faulty_absolute_tier_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Quadrature], Quadrature]
) -> None:
    """A node dropped, a constant off in its last bit, nodes at slightly wrong angles."""
    right_curves = evaluate_module.grid_tails

    def curves(plans: Sequence[Plan], rules: Sequence[Quadrature]) -> list[GridTails]:
        return right_curves(plans, [spoil(rule) for rule in rules])

    monkeypatch.setattr(evaluate_module, "grid_tails", curves)
    assert not verdict(write(tmp_path / "faulty.h5", compute()))["passed"]


def test_a_faulty_relative_tier_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ln delta off by 1e-12."""
    right_logs = inverse.log_deltas
    monkeypatch.setattr(
        inverse,
        "log_deltas",
        lambda found, rest: (right_logs(found, rest)[0] + 1e-12, right_logs(found, rest)[1]),
    )
    found = verdict(write(tmp_path / "faulty.h5", compute()))
    assert not found["passed"]
