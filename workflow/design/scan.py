"""Scans: candidate allocations on a grid of shares, their proxy pairs evaluated in shards as pairs are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from kernels.accounting.census.mechanism import mechanism
from kernels.accounting.design.rescale import Unmet, common_denominator, scale_levels
from workflow.allocation.read import load_allocation
from workflow.census.plan import CensusPlan, Cost
from workflow.design.scan_schema import ScanFile
from workflow.digests import allocation_digest
from workflow.files import exists
from workflow.input.model import MAX_PROSE, validated
from workflow.input.rational import with_decimals
from workflow.input.tree import TextTree, read_text_tree
from workflow.origin import Origin
from workflow.results.curves import Identity

MAX_CANDIDATES = 10_000


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan: its base, and its candidates by name, c0000, c0001, ..., in the order of the grid: the last
    level's share changes fastest."""

    name: str
    base: Allocation
    candidates: dict[str, Allocation]

    @property
    def digest(self) -> str:
        """Changes with what the scan file and its base say."""
        said = "\n".join(allocation_digest(one) for one in (self.base, *self.candidates.values()))
        return sha256(said.encode()).hexdigest()


def load_scan(path: str | Path) -> Scan:
    """The scan that a file describes. Raises ConfigError."""
    tree = read_text_tree(path)
    model = validated(tree, ScanFile, "a scan file")
    base = _base(tree, model)
    tree.check_known(("shares",), model.shares, base.levels, "level")
    for level, shares in model.shares.items():
        tree.check_distinct(("shares", level), shares)
    totals = model.total_rho or [base.total_rho]
    tree.check_distinct(("total_rho",), totals)
    number = len(totals) * prod(map(len, model.shares.values()))
    if number > MAX_CANDIDATES:
        raise tree.error(("shares",), f"{number} candidates; at most {MAX_CANDIDATES}")
    base = replace(base, deltas=tuple(model.deltas or base.deltas))
    digits = len(str(number - 1))
    grid = product(totals, *model.shares.values())
    candidates = {}
    for place, (total, *shares) in enumerate(grid):
        name = f"c{place:0{max(digits, 4)}d}"
        of_levels = dict(zip(model.shares, shares, strict=True))
        candidates[name] = _candidate(tree, model, base, name, total, of_levels)
    return Scan(model.name, base, candidates)


def _base(tree: TextTree, model: ScanFile) -> Allocation:
    """The base: a name, or a path relative to the scan's folder."""
    beside = Path(tree.file).parent / model.base
    return load_allocation(beside if exists(beside) else model.base)


def _candidate(
    tree: TextTree,
    model: ScanFile,
    base: Allocation,
    name: str,
    total: Fraction,
    shares: dict[str, Fraction],
) -> Allocation:
    """One point of the grid; rhos are rounded down to the denominator, query shares are kept."""
    left = 1 - sum(shares.values(), Fraction(0))
    others = [level for level in base.levels if level not in shares]
    if left < 0 or (left == 0) == bool(others):
        said = ", ".join(f"{level} {share}" for level, share in shares.items())
        room = f" for {', '.join(others)}" if others else ""
        message = f"the shares {said} leave {with_decimals(left)}{room}; together all levels have exactly 1"
        raise tree.error(("shares",), message)
    rest = sum(map(base.level_rho, others), Fraction(0))
    wanted = {level: share * total for level, share in shares.items()}
    wanted |= {level: base.level_rho(level) / rest * left * total for level in others}
    denominator = model.denominator or common_denominator(base)
    made = base
    try:
        for level, rho in wanted.items():
            made = scale_levels(made, rho / base.level_rho(level), [level], denominator)
    except Unmet as error:
        raise tree.error(("denominator",), f"{error} (candidate {name})") from None
    point = ", ".join(f"{level} {share}" for level, share in shares.items())
    return replace(
        made,
        name=f"{model.name}_{name}",
        title=f"{model.name}, candidate {name}: {point}"[:MAX_PROSE],
        source=f"scan {model.name} of {base.name}, total rho {total}, shares {point}"[:MAX_PROSE],
    )


def scan_plan(scan: Scan, text: str, shards: int, cost: Cost) -> CensusPlan:
    """The plan: the candidates' first mechanisms, each against itself. `text` is the scan file's."""
    cells = {name: mechanism(each, each.patterns[0]) for name, each in scan.candidates.items()}
    names = {name: name for name in cells}
    work = {Identity("pair", name, name): each + each for name, each in cells.items()}
    return CensusPlan.made(scan.base, scan.name, text, cells, names, work, shards, cost)


@dataclass(frozen=True, slots=True)
class ScanRun:
    """What the rules need to know about a scan: its file, its folder of results, what it says."""

    file: str
    folder: str
    digest: str

    @property
    def origin(self) -> Origin:
        """The scan file and its folder."""
        return Origin(self.file, self.digest, self.folder)


def configure_scan(path: str, results: str) -> ScanRun:
    """Check the scan file. Without one nothing is scanned. Raises ConfigError."""
    if not path:
        return ScanRun("name-a-scan-file-by-config-scan", f"{results}/no-scan", "")
    scan = load_scan(path)
    return ScanRun(path, f"{results}/{scan.name}", scan.digest)
