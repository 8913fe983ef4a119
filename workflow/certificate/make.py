"""Certifying a result file: what it says is re-derived (kernels/certificate) and compared.

docs/certificate.md says what is checked and what a certificate holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kernels.certificate import claims, document, sample
from kernels.certificate.allocation_text import (
    AllocationText,
    AllocationTextError,
    Cells,
    joined,
    rational_gcd,
    rational_lcm,
)
from kernels.certificate.survivors import OutOfReach
from kernels.certificate.tails import Family, Pair, common_period, needed_period
from workflow.allocation.read import parse_allocation
from workflow.certificate.keep import certifying_code
from workflow.errors import ConfigError
from workflow.processes import in_processes
from workflow.results.curves import CurveFile, Header, StoredResult, open_results

DEFAULT_SAMPLE = 2000
DEFAULT_SEED = 20200401
_MOST_FAULTS = 20  # of the file as a whole; more are counted only
_MOST_EPS = 1e6  # larger ones do not lengthen the period of all groups; they are looked at one by one
_LONGEST_UNIT = 2.0  # a lattice step common to a family may be so many times longer than the period must be


@dataclass(frozen=True, slots=True)
class Request:
    """What to check: `size` values drawn with `seed`, or every value (size None)."""

    size: int | None = DEFAULT_SAMPLE
    seed: int = DEFAULT_SEED


@dataclass(slots=True)
class _Contents:
    """What a result file holds, and what is wrong with it as a whole.

    sizes: how many values of each quantity a group has; members: the halves of each group's composition,
    where its cells are those of the allocation; furthest: the largest eps + R of a profile to be checked.
    """

    header: Header
    digest: str
    text: AllocationText | None
    faults: list[str]
    sizes: dict[str, dict[str, int]] = field(default_factory=dict)
    members: dict[str, tuple[Cells, Cells]] = field(default_factory=dict)
    furthest: Fraction = Fraction(0)

    def visit(self, result: StoredResult) -> None:
        """Note a group's sizes and members, or what is wrong with its cells."""
        group = result.identity.path
        self.sizes[group] = claims.sizes(result)
        try:
            self.members[group] = _members(self.text, group, result)
        except AllocationTextError as error:  # values of other cells are not looked for: that can take hours
            self.faults.append(f"{group}: {error}")
        if len(result.eps) and (last := float(result.eps.max())) < _MOST_EPS:
            self.furthest = max(self.furthest, Fraction(last) + result.total_rho)


@dataclass(frozen=True, slots=True)
class _Task:
    """All values of one group that are to be checked."""

    path: Path
    group: str
    first: Cells
    second: Cells
    period: Fraction
    values: tuple[tuple[str, int], ...]


def certify(
    path: Path,
    request: Request = Request(),
    *,
    jobs: int | None = None,
    allocation_text: str | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """The certificate of a result file, signed by its digest; `verdict.passed` says whether all claims hold.

    jobs: processes, by default one per core; allocation_text: what the file's allocation must be, word for
    word; advance: is told how many values are done, of how many.

    Raises StoreError when the file is damaged (a digest in it does not match).
    """
    begin = time.perf_counter()
    contents = _read(path, allocation_text)
    drawn = _drawn(request, contents)
    tasks = _tasks(path, drawn, contents.members, _periods(contents.members, contents.furthest))
    values: list[dict[str, Any]] = []
    for findings, wrong in in_processes(_check_group, tasks, jobs):
        values += findings
        contents.faults += wrong
        advance(len(values), len(drawn))
    order = {value: place for place, value in enumerate(drawn)}
    values.sort(key=lambda value: order[value["group"], value["quantity"], value["index"]])
    header = contents.header
    return document.signed(
        {
            "format": document.FORMAT,
            "format_version": document.FORMAT_VERSION,
            "neighbours": header.neighbours,
            "allocation": header.allocation,
            "allocation_sha256": document.text_digest(header.allocation_yaml),
            "file_digest": contents.digest,
            "kernel_version": header.kernel_version,
            "code": certifying_code(),
            "sample": {
                "all": request.size is None,
                "asked": request.size,
                "size": len(drawn),
                "seed": str(request.seed),
                "of": sum(sum(size.values()) for size in contents.sizes.values()),
            },
            "verdict": _verdict(values, len(drawn), len(tasks), contents),
            "versions": {name: version(name) for name in ("exact-census", "python-flint", "numpy")},
            "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "seconds": round(time.perf_counter() - begin, 1),
            "values": values,
        }
    )


def _verdict(values: list[dict[str, Any]], drawn: int, groups: int, contents: _Contents) -> dict[str, Any]:
    """Whether all claims hold, and how many do."""
    holding = sum(value["holds"] for value in values)
    beyond = sum(value["out_of_reach"] for value in values)
    failed = bool(contents.faults) or holding + beyond != drawn  # some are wrong or missing
    return {
        "passed": not failed and not beyond,
        "outcome": "failed" if failed else "partly" if beyond else "passed",
        "values_checked": len(values),
        "values_hold": holding,
        "values_out_of_reach": beyond,
        "groups_checked": groups,
        "groups": len(contents.sizes),
        "faults": contents.faults[:_MOST_FAULTS],
        "fault_count": len(contents.faults),
    }


def first_problem(certificate: dict[str, Any]) -> str:
    """Why a certificate does not pass: the first fault or wrong value, or how many are out of reach."""
    verdict = certificate["verdict"]
    if verdict["faults"]:
        return verdict["faults"][0]
    failing = [value for value in certificate["values"] if not value["holds"]]
    # What is wrong comes before what could not be found.
    value = min(failing, key=lambda value: value["out_of_reach"], default=None)
    if value is None:
        return "values are missing"
    first = f"{value['group']}: {value['quantity']} {value['index']}: {value['wrong']}"
    if not value["out_of_reach"]:
        return first
    return f"{len(failing)} of {verdict['values_checked']} values out of reach, the first {first}"


def _read(path: Path, allocation_text: str | None) -> _Contents:
    """The contents of a result file, every digest in it checked, compared with its allocation's text."""
    with open_results(path) as results:
        header = results.header()
        faults: list[str] = []
        text = _parsed(header.allocation_yaml, faults)
        contents = _Contents(header, results.digest, text, faults)
        if allocation_text is not None and allocation_text != header.allocation_yaml:
            faults.append("the allocation stored in the file is not the given one")
        if text and (header.allocation, header.neighbours) != (text.tree["name"], text.tree["neighbours"]):
            contents.faults.append(
                "the file names another allocation or neighbours than its allocation's text"
            )
        results.verify(contents.visit)
        if text:
            faults += _wrong_groups(text, results)
    return contents


def _parsed(text: str, faults: list[str]) -> AllocationText | None:
    """The allocation's text, read a second time after it was found to be valid."""
    try:
        parsed = AllocationText.parse(text)
        parse_allocation(text, "allocation_yaml")
    except (AllocationTextError, ConfigError) as error:
        faults.append(str(error))
        return None
    return parsed


def _members(text: AllocationText | None, group: str, result: StoredResult) -> tuple[Cells, Cells]:
    """The halves of a group's composition. Raises AllocationTextError when its cells are not theirs."""
    if text is None:
        raise AllocationTextError("no allocation")
    try:
        members = text.members(group)
    except (AllocationTextError, KeyError, ValueError, ZeroDivisionError) as error:
        raise AllocationTextError(f"not derived from the allocation: {error}") from error
    if dict(result.composition.cells) != joined(*members):
        raise AllocationTextError("its cells are not those of the allocation")
    if result.deltas != tuple(map(Fraction, text.tree.get("deltas", map(str, result.deltas)))):
        raise AllocationTextError("its deltas are not those of the allocation")
    return members


def _wrong_groups(text: AllocationText, results: CurveFile) -> Iterator[str]:
    stored, wanted = {row["path"] for row in results.index()}, set(text.groups)
    if missing := sorted(wanted - stored):
        yield f"{len(missing)} groups are missing, such as {missing[0]}"
    if extra := sorted(stored - wanted):
        yield f"{len(extra)} groups do not belong to the allocation, such as {extra[0]}"


def _drawn(request: Request, contents: _Contents) -> list[sample.Value]:
    groups = sorted(contents.sizes)
    if request.size is None:
        return sample.everything(groups, contents.sizes)
    return sample.draw(groups, contents.sizes, request.size, f"{request.seed}:{contents.digest}")


def _periods(members: dict[str, tuple[Cells, Cells]], furthest: Fraction) -> dict[str, Fraction]:
    """A period for every group: one for all groups of the same total rho where their lattices allow it.

    Where not even a group's two members have a common period that is not much longer than it must be, the
    period fits the lattice of all its cells only, and its nodes are found without members.
    """
    families: dict[Fraction, list[str]] = {}
    for group, pair in members.items():
        families.setdefault(_total(pair), []).append(group)
    periods = {}
    for total, groups in families.items():
        needed = needed_period(total, min(furthest, total * 4 + 100))
        halves = {tuple(sorted(half.items())): half for group in groups for half in members[group]}
        steps = {rational_gcd(list(half)) for half in halves.values()}
        longest = Fraction(needed * _LONGEST_UNIT)
        for group in groups:
            own = {rational_gcd(list(half)) for half in members[group]}
            units = (steps, own, {rational_gcd(list(own))})
            fitting = next((unit for unit in units if rational_lcm(list(unit)) <= longest), units[-1])
            periods[group] = common_period(sorted(fitting), needed)
    return periods


def _total(pair: tuple[Cells, Cells]) -> Fraction:
    return sum((rho * count for half in pair for rho, count in half.items()), Fraction(0))


def _tasks(
    path: Path,
    drawn: Iterable[sample.Value],
    members: dict[str, tuple[Cells, Cells]],
    periods: dict[str, Fraction],
) -> list[_Task]:
    """One task per group, those with many fine lattice points first."""
    values: dict[str, list[tuple[str, int]]] = {}
    for group, quantity, index in drawn:
        values.setdefault(group, []).append((quantity, index))
    tasks = [
        _Task(path, group, *members[group], periods[group], tuple(listed))
        for group, listed in values.items()
        if group in members
    ]
    return sorted(tasks, key=lambda task: len(joined(task.first, task.second)))


_families: dict[Fraction, Family] = {}


def _check_group(task: _Task) -> tuple[list[dict[str, Any]], list[str]]:
    """Findings about a group's values, as JSON fields, and what is wrong with its plan. Families stay in the
    process, so that later groups share their work."""
    family = _families.setdefault(task.period, Family(task.period))
    pair = Pair(family, task.first, task.second)
    with open_results(task.path) as results:
        stored = results.read_verified(task.group)
    findings = []
    wrong = claims.check_plan(pair, stored)
    for quantity, index in task.values:
        try:
            finding = claims.check(pair, stored, quantity, index)
        except OutOfReach as error:
            finding = claims.Finding(quantity, index, "", {}, {}, str(error), out_of_reach=True)
        findings.append(document.finding_fields(task.group, finding))
    return findings, [f"{task.group}: {wrong}"] if wrong else []
