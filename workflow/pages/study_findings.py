"""What the results say: every mechanism at every point, against M*, and the regime map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from workflow.results.surveys import StudyResult
from workflow.study.tables import SurveyRow
from workflow.study.tasks import GRID

CONFIDENCE = 1.959964  # standard errors on either side, for 95 %


@dataclass(frozen=True, slots=True)
class Estimate:
    """A simulated mean and half the width of its 95 % confidence interval."""

    value: float
    half_width: float


@dataclass(frozen=True, slots=True)
class Point:
    """One domain, eps and P: the survey by each mechanism, and what P gives to the sensitive symbols."""

    surveys: dict[str, SurveyRow]
    alpha: float

    @property
    def at(self) -> SurveyRow:
        """Any of the surveys: they share domain, eps, M* and the optimal mixture."""
        return next(iter(self.surveys.values()))

    def simulated(self, mechanism: str) -> Estimate:
        """n times the mean squared error of a mechanism, simulated."""
        survey = self.surveys[mechanism]
        return Estimate(survey.n_mse, CONFIDENCE * survey.n_mse_error)

    def projected(self, mechanism: str) -> Estimate:
        """The simulated error after projection of the estimates to the simplex."""
        survey = self.surveys[mechanism]
        return Estimate(survey.projected_n_mse, CONFIDENCE * survey.projected_n_mse_error)

    def ratio(self, mechanism: str) -> Estimate:
        """The simulated error in units of M*."""
        simulated = self.simulated(mechanism)
        return Estimate(simulated.value / self.at.m_star, simulated.half_width / self.at.m_star)

    def worst(self, mechanism: str) -> float:
        """The exact error of a mechanism at its own worst P, in units of M*."""
        return self.surveys[mechanism].worst_n_mse / self.at.m_star


@dataclass(frozen=True, slots=True)
class MapRow:
    """One number of sensitive symbols; arrays over eps, shares [eps, size]."""

    symbols: int
    sensitive: int
    arrays: Mapping[str, NDArray[Any]]


def points_of(results: Sequence[StudyResult]) -> list[Point]:
    """The points in the study's order."""
    points: dict[tuple[Any, ...], Point] = {}
    for result in results:
        for row in SurveyRow.rows_of(result):
            alpha = float(result.arrays["distribution"][: row.sensitive].sum())
            point = points.setdefault((row.source, row.symbols, row.sensitive, row.eps), Point({}, alpha))
            point.surveys[row.mechanism] = row
    return list(points.values())


def map_rows(results: Sequence[StudyResult]) -> list[MapRow]:
    """The regime map, fewest sensitive symbols first."""
    rows = [
        MapRow(int(result.attributes["symbols"]), int(result.attributes["sensitive"]), result.arrays)
        for result in results
        if result.attributes["kind"] == "map"
    ]
    return sorted(rows, key=lambda row: row.sensitive)


def on_grid(points: Sequence[Point]) -> list[Point]:
    """Those at the least favourable P."""
    return [point for point in points if point.at.source == GRID]


def longest_series(points: Sequence[Point], along: str) -> list[Point]:
    """The points that differ in `along` only ("eps" or "sensitive"), of the family with most such points, in
    order of it."""
    families: dict[tuple[Any, ...], list[Point]] = {}
    fixed = [name for name in ("symbols", "sensitive", "eps") if name != along]
    for point in points:
        families.setdefault(tuple(getattr(point.at, name) for name in fixed), []).append(point)
    longest = max(families.values(), key=len)
    return sorted(longest, key=lambda point: getattr(point.at, along))
