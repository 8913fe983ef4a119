"""A small allocation and its results, computed by the kernels, for the tests to spoil."""

from __future__ import annotations

from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import pair_composition, pairs
from workflow.allocation.read import parse_allocation
from workflow.census.compute import compute as compute_task
from workflow.census.plan import CurveTask
from workflow.digests import content_key, settings_of
from workflow.results.curves import CurveFile, Header, Identity, StoredResult

TINY = Path(__file__).parents[2] / "data" / "tiny.yaml"
#: tiny.yaml with two mechanisms and few points: three pairs, three levels.
TEXT = (
    TINY.read_text(encoding="utf-8")
    .replace("patterns: complete", 'patterns: ["00", "10"]')
    .replace("thresholds: 101", "thresholds: 15")
    .replace("eps_points: 32", "eps_points: 6")
)


def allocation(text: str = TEXT) -> Allocation:
    """The allocation of a text."""
    return parse_allocation(text, "small.yaml")


def compute(text: str = TEXT) -> list[StoredResult]:
    """Results of all groups of an allocation."""
    source = allocation(text)
    settings = settings_of(source)
    jobs = [(Identity("pair", a, b), pair_composition(source, a, b)) for a, b in pairs(source)]
    jobs += [(Identity("level", level), source.level_composition(level)) for level in source.levels]
    return [
        compute_task(CurveTask(identity, composition, settings, content_key(composition, settings), 0.0))
        for identity, composition in jobs
    ]


def write(path: Path, results: list[StoredResult], text: str = TEXT) -> Path:
    """A result file with valid digests, whatever the results say."""
    source = allocation()
    CurveFile.write(path, Header(source.name, source.neighbours, text, settings_of(source)), results)
    return path
