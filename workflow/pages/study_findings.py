"""What the results say: every mechanism at every point, against M*, and the regime map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from workflow.results.surveys import StudyResult
from workflow.study.tasks import GRID

CONFIDENCE = 1.959964  # standard errors on either side, for 95 %


@dataclass(frozen=True, slots=True)
class Estimate:
    """A simulated mean and half the width of its 95 % confidence interval."""

    value: float
    half_width: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One mechanism at one point: n times its mean squared error, simulated, exact, and exact at its worst P;
    after projection to the simplex; bits per report."""

    mechanism: str
    simulated: Estimate
    exact: float
    worst: float
    projected: Estimate
    bits: int


@dataclass(frozen=True, slots=True)
class Point:
    """One domain, eps and P, with M* and what every mechanism does there."""

    source: str
    symbols: int
    sensitive: int
    eps: Fraction
    m_star: float
    gap: float
    alpha_star: float
    mixture: Mapping[int, float]
    alpha: float
    measured: Mapping[str, Measured]

    def ratio(self, mechanism: str) -> Estimate:
        """The simulated error in units of M*."""
        simulated = self.measured[mechanism].simulated
        return Estimate(simulated.value / self.m_star, simulated.half_width / self.m_star)


@dataclass(frozen=True, slots=True)
class MapRow:
    """One number of sensitive symbols; arrays over eps, shares [eps, size]."""

    symbols: int
    sensitive: int
    arrays: Mapping[str, NDArray[Any]]


def points_of(results: Sequence[StudyResult]) -> list[Point]:
    """The points in the study's order."""
    found: dict[tuple[Any, ...], list[StudyResult]] = {}
    for result in results:
        if result.attributes["kind"] == "survey":
            place = tuple(result.attributes[name] for name in ("source", "symbols", "sensitive", "eps"))
            found.setdefault(place, []).append(result)
    return [_point(group) for group in found.values()]


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
    return [point for point in points if point.source == GRID]


def longest_series(points: Sequence[Point], along: str) -> list[Point]:
    """The points that differ in `along` only ("eps" or "sensitive"), of the family with most such points, in
    order of it."""
    families: dict[tuple[Any, ...], list[Point]] = {}
    fixed = [name for name in ("symbols", "sensitive", "eps") if name != along]
    for point in points:
        families.setdefault(tuple(getattr(point, name) for name in fixed), []).append(point)
    longest = max(families.values(), key=len)
    return sorted(longest, key=lambda point: getattr(point, along))


def _point(group: Sequence[StudyResult]) -> Point:
    first = group[0]
    scalars: Mapping[str, Any] = first.attributes
    sensitive = int(scalars["sensitive"])
    return Point(
        source=scalars["source"],
        symbols=scalars["symbols"],
        sensitive=sensitive,
        eps=Fraction(scalars["eps"]),
        m_star=scalars["m_star"],
        gap=scalars["gap"],
        alpha_star=scalars["alpha_star"],
        mixture=dict(zip(first.arrays["size"].tolist(), first.arrays["share"].tolist(), strict=True)),
        alpha=float(first.arrays["distribution"][:sensitive].sum()),
        measured={str(result.attributes["mechanism"]): _measured(result.attributes) for result in group},
    )


def _measured(scalars: Mapping[str, Any]) -> Measured:
    def estimate(name: str) -> Estimate:
        return Estimate(scalars[name], CONFIDENCE * scalars[f"{name}_error"])

    return Measured(
        mechanism=scalars["mechanism"],
        simulated=estimate("n_mse"),
        exact=scalars["exact_n_mse"],
        worst=scalars["worst_n_mse"],
        projected=estimate("projected_n_mse"),
        bits=scalars["bits"],
    )
