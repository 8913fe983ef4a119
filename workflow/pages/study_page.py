"""Puts the report together: a study's results in, one self-contained HTML page out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, log
from pathlib import Path
from typing import Any

from kernels.uldp.closed_forms import single_size_until
from kernels.uldp.domain import Domain
from kernels.uldp.saddle import REGIMES
from workflow.numbers import integer_text
from workflow.pages import study_plots as plots
from workflow.pages.study_findings import (
    CONFIDENCE,
    MapRow,
    Point,
    longest_series,
    map_rows,
    on_grid,
    points_of,
)
from workflow.pages.template import base64_text, environment
from workflow.results.surveys import StudyHeader, SurveyFile
from workflow.results.tables import ReportError
from workflow.study.read import Study

_FILES = ("surveys.csv", "limits.csv")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headline: how close uBD comes to M* over the grid, and how the others compare.

    farthest: the point where the simulated ratio is farthest from 1. beaten: points and mechanisms with a
    simulated error below uBD's by more than four standard errors. one_size: the points where one size is
    optimal and some symbols are not sensitive; strictly: whether uSS has a worse worst case at all of them.
    """

    farthest: Point
    deviation: float
    beaten: Sequence[tuple[Point, str]]
    one_size: Sequence[Point]
    strictly: bool
    largest_gap: float


def build_study_report(results_dir: Path, study: Study, out: Path) -> None:
    """Write the report of the results in `results_dir` to `out` (HTML, self-contained).

    Reads study.h5, surveys.csv and limits.csv. The same results give the same bytes. Raises StoreError or
    ReportError when a result is missing or unusable.
    """
    with SurveyFile(results_dir / "study.h5") as stored:
        header, digest = stored.header(), stored.digest
        index = stored.index()
        results = [stored.read(row["path"]) for row in index]
    points, rows = points_of(results), map_rows(results)
    grid = on_grid(points)
    if not grid or not rows or "uBD" not in grid[0].surveys:
        raise ReportError(f"{results_dir / 'study.h5'}: holds no surveys by uBD, or no regime map")
    made = environment()
    made.filters |= {"mixture": mixture_text}
    page = made.get_template("uldp.html.j2").render(
        study=study,
        grid=grid,
        tables=[(table, [p for p in points if p.at.source == table.name]) for table in study.file.tables],
        mechanisms=list(grid[0].surveys),
        cards=_cards(grid),
        verdict=_verdict(grid, rows),
        plots=_plots(grid, rows),
        along_eps=longest_series(grid, "eps"),
        along_sensitive=longest_series(grid, "sensitive"),
        shown_row=_shown(rows),
        map=rows,
        legend=[(plots.REGIME_FILLS[name], name, _share(rows, i)) for i, name in enumerate(REGIMES)],
        surveys=len(points) * len(study.file.mechanisms) * study.file.repetitions,
        provenance=_provenance(study, header, digest, index),
        files={name: base64_text(results_dir / name) for name in _FILES},
    )
    out.write_text(page, encoding="utf-8")


def mixture_text(mixture: dict[int, float]) -> str:
    """t* in words: k = 2, or k = 1: 88.3 %, 2: 11.7 %."""
    if len(mixture) == 1:
        return f"k = {next(iter(mixture))}"
    return ", ".join(f"k = {k}: {100 * share:.1f}\u00a0%" for k, share in mixture.items())


def _verdict(grid: Sequence[Point], rows: Sequence[MapRow]) -> Verdict:
    farthest = max(grid, key=lambda point: abs(point.ratio("uBD").value - 1))
    one_size = [point for point in grid if _one_size(point)]
    return Verdict(
        farthest=farthest,
        deviation=abs(farthest.ratio("uBD").value - 1),
        beaten=[(point, name) for point in grid for name in point.surveys if _beats(point, name, "uBD")],
        one_size=one_size,
        strictly=all(
            point.surveys["uSS"].worst_n_mse > point.at.m_star for point in one_size if "uSS" in point.surveys
        ),
        largest_gap=max([point.at.gap for point in grid] + [float(row.arrays["gap"].max()) for row in rows]),
    )


def _one_size(point: Point) -> bool:
    """Whether some symbols are not sensitive and one block size is optimal."""
    if point.at.sensitive == point.at.symbols:
        return False
    odds = single_size_until(Domain(point.at.symbols, point.at.sensitive))
    return odds > 0 and float(point.at.eps) <= log(odds)


def _beats(point: Point, name: str, other: str) -> bool:
    """Whether the simulated error of a mechanism is below another's by more than four standard errors."""
    better, worse = point.simulated(name), point.simulated(other)
    return worse.value - better.value > 4 * hypot(better.half_width, worse.half_width) / CONFIDENCE


def _cards(grid: Sequence[Point]) -> list[tuple[str, str, str, float]]:
    """How much worse the others are, each a style, what it is, a word and the factor: the largest factor for
    relatives of uBD, the smallest one for the rest."""
    names = [name for name in ("uSS", "uRR", "uHR", "uOUE", "uOLH") if name in grid[0].surveys]
    worst = {name: [point.worst(name) for point in grid] for name in names}
    cards = [
        (style, f"{name}, worst of the points", "up to", max(worst[name]))
        for name, style in (("uSS", "saving"), ("uRR", "cks20"))
        if name in worst
    ]
    rest = [name for name in names if name not in ("uSS", "uRR")]
    if rest:
        cards.append(("census", ", ".join(rest), "at least", min(min(worst[name]) for name in rest)))
    return cards


def _plots(grid: Sequence[Point], rows: Sequence[MapRow]) -> dict[str, Any]:
    along_eps = longest_series(grid, "eps")
    return {
        "errors": plots.error_plot(along_eps, "errors"),
        "ratio_eps": plots.ratio_plot(along_eps, "eps", "ratio-eps"),
        "ratio_sensitive": plots.ratio_plot(longest_series(grid, "sensitive"), "sensitive", "ratio-v"),
        "mixture": plots.mixture_plot(_shown(rows)),
        "regimes": plots.regime_plot(rows),
    }


def _shown(rows: Sequence[MapRow]) -> MapRow:
    """The row whose mixture is drawn: an eighth of the symbols sensitive, or a little more."""
    return rows[min(len(rows) - 1, len(rows) // 8)]


def _share(rows: Sequence[MapRow], regime: int) -> float:
    return sum(float((row.arrays["regime"] == regime).mean()) for row in rows) / len(rows)


def _provenance(
    study: Study, header: StudyHeader, digest: str, index: Sequence[dict[str, Any]]
) -> list[tuple[str, str]]:
    versions = ", ".join(f"{package} {version}" for package, version in sorted(header.created_by.items()))
    seconds = sum(row["cpu_seconds"] for row in index)
    surveys = f"{integer_text(study.file.repetitions)} surveys of {integer_text(study.file.clients)} clients"
    return [
        ("Study", study.file.name),
        ("Source of the mathematics", study.file.source),
        ("Settings", f"{surveys} for each mechanism and point; seed {study.file.seed}"),
        ("Kernels", f"local-privacy kernels, version {header.uldp_version}"),
        ("Written by", versions),
        ("Content digest of study.h5", digest),
        ("Cost of the tasks", f"{seconds:.1f} CPU seconds"),
    ]
