"""Writing allocation files: for users, and into result files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from workflow.allocation.joint import is_joint
from workflow.allocation.read import find_allocation, parse_allocation
from workflow.errors import ConfigError
from workflow.files import write_text
from workflow.input.model import MAX_PROSE, is_slug
from workflow.input.tree import parse_text_tree, read_text
from workflow.words import shorten


def standalone_text(name_or_path: str | Path) -> str:
    """The text of an allocation file as result files keep it: one that needs no other file.

    It is the file's own text, word for word, unless that names products or a table of geography: results
    must be checked years later from what they hold, so all rhos and patterns are then written out. Raises
    ConfigError.
    """
    path = find_allocation(name_or_path)
    text = read_text(path)
    root = parse_text_tree(text, str(path)).root
    bypass = root.get("bypass") if isinstance(root, dict) else None
    derived = isinstance(bypass, dict) and isinstance(bypass.get("patterns"), dict)
    if not derived and not is_joint(root):
        return text
    comment = f"Written out from {json.dumps(path.name)}, so that nothing else is needed to read it."
    return written_out(parse_allocation(text, str(path)), [comment])


def allocation_name(path: Path) -> str:
    """The name of the allocation in this file. Raises ConfigError when the file cannot have that name."""
    if path.suffix not in (".yaml", ".yml") or not is_slug(path.stem):
        name = shorten(str(path), quote="", limit=300)
        raise ConfigError(
            f"{name}: an allocation file is called NAME.yaml, NAME being at most 64 letters, digits, _ and -"
        )
    return path.stem


def write_allocation(path: Path, allocation: Allocation, comments: Sequence[str]) -> None:
    """Write an allocation under the name of its file. The caller has called check_free.

    Raises ConfigError when the text would not be a right allocation file.
    """
    write_text(path, checked_text(replace(allocation, name=allocation_name(path), products=()), comments))


def checked_text(allocation: Allocation, comments: Sequence[str]) -> str:
    """The text of an allocation file. Raises ConfigError when it would not be read as this allocation."""
    text = written_out(allocation, comments)
    if parse_allocation(text, allocation.name) != allocation:
        raise ConfigError(f"{allocation.name}: the written file would not be read as it was meant")
    return text


def written_out(allocation: Allocation, comments: Sequence[str]) -> str:
    """An allocation as the text of a file of its own, under comments of one line each."""
    queries = list(dict.fromkeys(query for asked in allocation.rho.values() for query in asked))
    lines = [
        *(f"# {comment}".rstrip() for comment in comments),
        f"name: {json.dumps(allocation.name)}",
        f"title: {json.dumps(allocation.title)}",
        f"source: {json.dumps(allocation.source)}",
        f"neighbours: {allocation.neighbours}",
        f"total_rho: {allocation.total_rho}",
        f"levels: {json.dumps(allocation.levels)}",
        f"queries: {json.dumps(queries)}",
        "budget:",
    ]
    for level in allocation.levels:
        asked = allocation.rho[level]
        lines += [f"  {json.dumps(level)}:", "    rho:"]
        lines += [f"      {json.dumps(query)}: {rho}" for query, rho in asked.items()]
        lines += [f"    not_asked: {json.dumps([query for query in queries if query not in asked])}"]
    fixed = {level: str(digit) for level, digit in allocation.fixed_digits.items()}
    lines += [
        "bypass:",
        f"  levels: {json.dumps(allocation.absorbing_levels)}",
        f"  fixed: {json.dumps(fixed)}",
        f"  patterns: {json.dumps(allocation.patterns)}",
        f"deltas: {json.dumps([str(delta) for delta in allocation.deltas])}",
        f"resolution: {{thresholds: {allocation.resolution.thresholds}, "
        f"eps_points: {allocation.resolution.eps_points}}}",
    ]
    return "\n".join(lines) + "\n"


def prose(text: str) -> str:
    """Text for a title or a source, cut to the length that is allowed."""
    return text if len(text) <= MAX_PROSE else shorten(text, quote="", limit=MAX_PROSE)
