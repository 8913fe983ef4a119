"""The text of an allocation as result files keep it: one that needs no other file.

A joint allocation names its products, and patterns may come from a table of geography. Results must be
checked years later from what they hold, so such a file is written out: all levels, all rhos, all patterns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from workflow.allocation.read import find_allocation, parse_allocation
from workflow.input.tree import MAX_YAML_BYTES, parse_text_tree, read_text


def standalone_text(name_or_path: str | Path) -> str:
    """The text of an allocation file, word for word where it stands on its own, else written out.

    Raises ConfigError.
    """
    path = find_allocation(name_or_path)
    text = read_text(path, MAX_YAML_BYTES)
    root = parse_text_tree(text, str(path)).root
    bypass = root.get("bypass") if isinstance(root, dict) else None
    derived = isinstance(bypass, dict) and isinstance(bypass.get("patterns"), dict)
    if not derived and not (isinstance(root, dict) and "joint" in root):
        return text
    comment = f"Written out from {json.dumps(path.name)}, so that nothing else is needed to read it."
    return written_out(parse_allocation(text, str(path)), [comment])


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
