"""surveys.csv and limits.csv: one row per survey, and one per domain and eps of the regime map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Self

from kernels.uldp.saddle import REGIMES
from workflow.results.surveys import StudyResult
from workflow.results.tables import Column, Power, Row, Text, Whole


def _mixture_text(shares: Mapping[int, float]) -> str:
    return " ".join(f"{k}:{share!r}" for k, share in shares.items())


def _mixture(text: str) -> dict[int, float]:
    parts = (part.split(":") for part in text.split())
    return {int(k): float(share) for k, share in parts}


Double = Annotated[float, Column(repr, float)]  # read back unchanged
Mixture = Annotated[Mapping[int, float], Column(_mixture_text, _mixture)]  # share of every block size


@dataclass(frozen=True, slots=True)
class SurveyRow(Row):
    """A row of surveys.csv: the surveys by one mechanism at one point."""

    source: Text
    symbols: Whole
    sensitive: Whole
    eps: Power
    mechanism: Text
    bits: Whole
    clients: Whole
    repetitions: Whole
    seed: Whole
    m_star: Double
    m_star_lower: Double
    m_star_upper: Double
    gap: Double
    alpha_star: Double
    t_star: Mixture
    n_mse: Double
    n_mse_error: Double
    exact_n_mse: Double
    worst_n_mse: Double
    worst_alpha: Double
    projected_n_mse: Double
    projected_n_mse_error: Double

    @classmethod
    def rows_of(cls, result: StudyResult) -> Iterator[Self]:
        """The row of one survey; none for a row of the regime map."""
        if result.attributes["kind"] == "survey":
            figures: dict[str, Any] = {name: result.attributes.get(name) for name in cls.__dataclass_fields__}
            sizes, shares = result.arrays["size"].tolist(), result.arrays["share"].tolist()
            figures |= {"eps": Fraction(figures["eps"]), "t_star": dict(zip(sizes, shares, strict=True))}
            yield cls(**figures)


@dataclass(frozen=True, slots=True)
class LimitRow(Row):
    """A row of limits.csv: M* and the optimal mixture at one eps of the regime map."""

    symbols: Whole
    sensitive: Whole
    eps: Double
    m_star: Double
    alpha_star: Double
    t_star: Mixture
    gap: Annotated[float, Column("{:.1e}".format, float)]
    regime: Text

    @classmethod
    def rows_of(cls, result: StudyResult) -> Iterator[Self]:
        """The rows of one row of the regime map; none for a survey."""
        if result.attributes["kind"] != "map":
            return
        arrays: dict[str, list[Any]] = {name: array.tolist() for name, array in result.arrays.items()}
        symbols, sensitive = int(result.attributes["symbols"]), int(result.attributes["sensitive"])
        for i, eps in enumerate(arrays["eps"]):
            mixture = {k: share for k, share in enumerate(arrays["shares"][i], start=1) if share}
            m_star, alpha_star, gap = (arrays[name][i] for name in ("m_star", "alpha_star", "gap"))
            regime = REGIMES[arrays["regime"][i]]
            yield cls(symbols, sensitive, eps, m_star, alpha_star, mixture, gap, regime)
