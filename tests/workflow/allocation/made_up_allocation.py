"""A small allocation file as text, its variants, and the one line that a wrong one is refused with."""

from __future__ import annotations

from pathlib import Path

from tests.refused import refused
from workflow.allocation.read import parse_allocation

BASE = """\
name: made_up
title: Made up
source: this test
neighbours: bounded
total_rho: 1
levels: [State, County, Block]
queries: [total, age, detailed]
budget:
  State:
    share: 0.5
    queries: {age: 1/10, detailed: 0.9}
    not_asked: [total]
  County:
    share: 3/10
    queries: {total: 1/2, age: 1/4, detailed: 1/4}
  Block:
    rho: {total: 1/10, age: 0.05, detailed: 5e-2}
bypass:
  levels: [State, County]
  fixed: {State: 0}
  patterns: complete
deltas: [1e-6, 1/10000000000]
resolution: {thresholds: 2001, eps_points: 64}
"""


def problem(text: str) -> str:
    """The one line that an allocation file with this text is refused with."""
    line = refused(parse_allocation, text, "a.yaml")
    assert line.startswith("a.yaml")
    return line


def changed(old: str, new: str) -> str:
    """BASE with one piece of it changed."""
    assert BASE.count(old) == 1
    return BASE.replace(old, new)


def without(key: str) -> str:
    """BASE without the line of a key."""
    kept = [line for line in BASE.splitlines() if not line.lstrip().startswith(f"{key}:")]
    assert len(kept) == len(BASE.splitlines()) - 1
    return "\n".join(kept) + "\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """A file in a folder."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path
