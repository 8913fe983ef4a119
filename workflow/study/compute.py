"""Computing the study's tasks. Loads the compiled kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from kernels.uldp.blocks import block_design, hadamard_response, randomised_response, subset_selection
from kernels.uldp.bounds import certify
from kernels.uldp.hashing import LocalHashing
from kernels.uldp.mechanism import Mechanism, odds_of
from kernels.uldp.saddle import REGIMES, Saddle, solve
from kernels.uldp.sampling.simulation import simulate
from kernels.uldp.unary import UnaryEncoding
from workflow.errors import computing
from workflow.results.surveys import Scalar, StudyResult
from workflow.study.tasks import MapRow, Survey, Task


def compute(task: Task) -> StudyResult:
    """The result of a task. An exception says which task it concerns; Refused when the kernels refuse."""
    with computing(task.path):
        return _survey(task) if isinstance(task, Survey) else _map_row(task)


def make_mechanism(name: str, saddle: Saddle, eps: Fraction) -> Mechanism:
    """The mechanism of this name; uBD is the one at the saddle point."""
    domain, odds = saddle.domain, odds_of(float(eps))
    if name == "uBD":
        return block_design(saddle, odds)
    make: dict[str, Any] = {
        "uRR": randomised_response,
        "uSS": subset_selection,
        "uHR": hadamard_response,
        "uOUE": UnaryEncoding,
        "uOLH": LocalHashing,
    }
    made: Mechanism = make[name](domain, odds)
    return made


def _survey(task: Survey) -> StudyResult:
    saddle = solve(task.domain, float(task.eps))
    certificate = certify(saddle, task.eps)
    limit = certificate.m_star
    mechanism = make_mechanism(task.mechanism, saddle, task.eps)
    chosen = task.distribution or task.domain.uniform_parts(Fraction(saddle.alpha))
    distribution = np.array([float(p) for p in chosen])
    n, repetitions = task.clients, task.repetitions
    surveys = simulate(
        mechanism.coder,
        mechanism.weight_table,
        distribution,
        task.domain.sensitive,
        n,
        repetitions,
        task.seed,
    )

    def mean(errors: np.ndarray) -> tuple[float, float]:
        return float(n * errors.mean()), float(n * errors.std(ddof=1) / np.sqrt(repetitions))

    n_mse, standard_error = mean(surveys.errors)
    projected, projected_error = mean(surveys.projected)
    attributes: dict[str, Scalar] = {
        "kind": "survey",
        "source": task.source,
        "symbols": task.domain.symbols,
        "sensitive": task.domain.sensitive,
        "eps": str(task.eps),
        "mechanism": task.mechanism,
        "clients": n,
        "repetitions": repetitions,
        "seed": str(task.seed),
        "m_star": float(limit.value),
        "m_star_lower": _outward(limit.lower, -np.inf),
        "m_star_upper": _outward(limit.upper, np.inf),
        "gap": certificate.gap,
        "alpha_star": saddle.alpha,
        "exact_n_mse": float(mechanism.error.at(chosen)),
        "worst_n_mse": float(mechanism.error.worst),
        "worst_alpha": float(mechanism.error.worst_alpha),
        "n_mse": n_mse,
        "n_mse_error": standard_error,
        "projected_n_mse": projected,
        "projected_n_mse_error": projected_error,
        "bits": mechanism.bits,
    }
    arrays = {
        "distribution": distribution,
        "mean": surveys.mean,
        "mean_square": surveys.square,
        "size": np.array(saddle.sizes, dtype=np.int64),
        "share": np.array(saddle.shares),
    }
    return StudyResult(task.path, task.key, attributes, arrays)


def _map_row(task: MapRow) -> StudyResult:
    saddles = [solve(task.domain, float(eps)) for eps in task.eps]
    shares = np.zeros((len(saddles), _largest_size(saddles)))
    for row, saddle in zip(shares, saddles, strict=True):
        row[np.array(saddle.sizes) - 1] = saddle.shares
    arrays = {
        "eps": np.array([float(eps) for eps in task.eps]),
        "m_star": np.array([saddle.m_star for saddle in saddles]),
        "alpha_star": np.array([saddle.alpha for saddle in saddles]),
        "gap": np.array([saddle.gap for saddle in saddles]),
        "regime": np.array([REGIMES.index(saddle.regime) for saddle in saddles]),
        "shares": shares,
    }
    domain = task.domain
    attributes: dict[str, Scalar] = {"kind": "map", "symbols": domain.symbols, "sensitive": domain.sensitive}
    return StudyResult(task.path, task.key, attributes, arrays)


def _largest_size(saddles: list[Saddle]) -> int:
    return max(max(saddle.sizes) for saddle in saddles)


def _outward(number: Fraction, direction: float) -> float:
    """The nearest double on that side of the number."""
    nearest = float(number)
    beyond = Fraction(nearest) >= number if direction > 0 else Fraction(nearest) <= number
    return nearest if beyond else float(np.nextafter(nearest, direction))
