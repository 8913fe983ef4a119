"""Everything that reads a file or text of the user's: what is fed to it, and which errors it may raise."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from click import BadParameter

from kernels.accounting.census.geography import count_paths
from tests.workflow.results.stored import HEADER, stored
from tests.workflow.study.studies import TINY as TINY_STUDY
from tests.workflow.study.studies import plan_of
from workflow.allocation.budget_csv import STYLES, read_budget, table_text
from workflow.allocation.cells import read_cells
from workflow.allocation.geography import read_geocodes
from workflow.allocation.geounits import read_geounits
from workflow.allocation.read import load_allocation, parse_allocation
from workflow.census.plan import CensusPlan
from workflow.cli.options import ANY_REAL, PROBABILITY, RationalList
from workflow.design.scan import load_scan
from workflow.errors import ConfigError
from workflow.pipeline.plan import PlanError
from workflow.pipeline.settings import configure
from workflow.results.curves import CurveFile, Identity, open_results
from workflow.results.file import StoreError
from workflow.study.counts import read_counts
from workflow.study.plan import StudyPlan
from workflow.study.read import parse_study

#: The project's own errors for bad input, each of one line.
EXPECTED = (ConfigError, StoreError, PlanError, BadParameter)

ALLOCATION = """\
name: a
title: A
source: this test
neighbours: bounded
total_rho: 1
levels: [State, County, Block]
queries: [total, age]
budget:
  State: {share: 0.5, queries: {age: 0.1, total: 9/10}}
  County: {share: 3/10, queries: {total: 1/2, age: 1/2}}
  Block: {share: 1/5, queries: {total: 1}, not_asked: [age]}
bypass: {levels: [State, County], fixed: {State: 0}, patterns: complete}
deltas: [1e-6]
"""
JOINT = "{name: j, title: J, neighbours: bounded, joint: [dhc_persons_us, a.yaml], patterns: [M00+00]}\n"
SCAN = (
    "{name: s, base: a.yaml, shares: {State: [1/2, 0.6], County: [.1]}, total_rho: [1, 2], denominator: 99}"
)
CELLS = '{"1/3": 5, "2/7": 3, "0.1": 1, "1e-10": 60}'
GEOUNITS = "geoid,parent,level\nS,,State\nA,S,County\nB,S,County\nA1,A,Block\nB1,B,Block\nB2,B,Block\n"
GEOCODES = "geocode,note\n11001,x\n11002,\n12001,\n"
PEOPLE = "colour,age,n\nred,12,3\nblue,70,1\nred,,2\ngreen,18,5\n"
SETTINGS = {"allocation": "dhc_persons_us", "shards": 3, "tasks": 2, "mem_mb_per_task": 500, "runtime": 9}
NUMBERS = "0,1e-10,24.5,49/2,-3,.5,1/3"
LEVELS = ("State", "County", "Block")


@dataclass(frozen=True)
class Target:
    """A reader: what it is fed, starting from `seeds`, and its weight in a mixed run, by its speed."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    weight: int


def targets(folder: Path) -> dict[str, Target]:
    """All readers; those of files have them written to `folder`."""
    (folder / "a.yaml").write_text(ALLOCATION)
    (folder / "units.csv").write_text(GEOUNITS)
    (folder / "codes.csv").write_text(GEOCODES)
    geography = ALLOCATION.replace("patterns: complete", "patterns: {geounits: units.csv}")
    geocodes = ALLOCATION.replace("complete", "{geocodes: codes.csv, digits: {County: 2, Block: 3}}")

    def on_disk(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
        return partial(_write_and_read, folder / name, read)

    def text(data: bytes) -> object:
        return parse_allocation(data.decode("utf-8", "replace"), str(folder / "b.yaml"))

    allocations = (ALLOCATION, JOINT, geography, geocodes)
    return {
        "allocation": Target(text, _encoded(*allocations), 40),
        "allocation file": Target(on_disk("c.yaml", load_allocation), _encoded(*allocations), 10),
        "cells YAML": Target(on_disk("cells.yaml", read_cells), _encoded(CELLS, "1/3: 5\n2/7: 3\n"), 90),
        "cells JSON": Target(on_disk("cells.json", read_cells), _encoded(CELLS), 350),
        "study": Target(_study, (TINY_STUDY.read_bytes(),), 8),
        "run settings": Target(_run, _encoded(json.dumps(SETTINGS)), 25),
        "geounits": Target(on_disk("g.csv", _paths_of_units), _encoded(GEOUNITS), 130),
        "geocodes": Target(on_disk("h.csv", _paths_of_codes), _encoded(GEOCODES), 100),
        "table of counts": Target(on_disk("p.csv", _people), _encoded(PEOPLE), 100),
        "budget table": Target(
            on_disk("t.csv", lambda path: read_budget(path, LEVELS, ("total", "age"))),
            _encoded(*(table_text(load_allocation(folder / "a.yaml"), style) for style in STYLES)),
            40,
        ),
        "scan": Target(on_disk("s.yaml", load_scan), _encoded(SCAN), 10),
        "numbers": Target(_numbers, _encoded(NUMBERS), 120),
        "mechanisms.json": Target(on_disk("m.json", CensusPlan.read), _encoded(_plan(folder)), 20),
        "plan.json": Target(on_disk("p.json", StudyPlan.read), _encoded(plan_of(folder).as_file()), 20),
        "result file": Target(on_disk("r.h5", _whole_file), (_result_file(folder / "seed.h5"),), 5),
    }


def _write_and_read(path: Path, read: Callable[[Path], object], data: bytes) -> object:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(descriptor, data)
    os.close(descriptor)
    return read(path)


def _study(data: bytes) -> object:
    return parse_study(data.decode("utf-8", "replace"), TINY_STUDY)


def _people(path: Path) -> object:
    return read_counts(path, ("colour", "age"), "n", {"age": (0, 18, 65)}, [{"colour": ("red",)}])


def _run(data: bytes) -> object:
    try:
        settings = json.loads(data)
    except ValueError:
        return None
    return configure(settings, 2) if isinstance(settings, dict) else None  # as Snakemake hands them on


def _numbers(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    numbers = RationalList(ANY_REAL).convert(text, None, None)
    return numbers if max(numbers) > 1 else RationalList(PROBABILITY).convert(text, None, None)


def _encoded(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8") for text in texts)


def _paths_of_units(path: Path) -> object:
    return count_paths(read_geounits(path, LEVELS), LEVELS[:2])


def _paths_of_codes(path: Path) -> object:
    return count_paths(read_geocodes(path, LEVELS, {"County": 2, "Block": 3}), LEVELS[:2])


def _plan(folder: Path) -> str:
    allocation = load_allocation(folder / "a.yaml")
    return CensusPlan.of(allocation, ALLOCATION, 2, lambda _: 0.1).as_file()


def _result_file(path: Path) -> bytes:
    identities = [Identity("pair", "00", "01"), Identity("level", "Block")]
    CurveFile.write(path, HEADER, [stored(identity, seed) for seed, identity in enumerate(identities)])
    return path.read_bytes()


def _whole_file(path: Path) -> object:
    with open_results(path) as results:
        results.verify()
        return results.header(), results.index(), list(results.pairs()), list(results.levels())
