"""Cells files: a composition as a mapping from rho to a number of cells."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from kernels.accounting.composition import Composition
from workflow.input.rational import common_denominator, parse_count, parse_rho
from workflow.input.tree import read_text_tree
from workflow.words import shorten

MAX_COUNT = 10**12
# Keeps the lattice constant below 4300 digits, where Python refuses to print integers.
MAX_DIGITS = 4000


def read_cells(path: str | Path) -> Composition:
    """The composition in a cells file, YAML or JSON. Raises ConfigError.

    Two keys that stand for the same rational, such as 1/2 and 0.5, are refused: one of them is likely a
    mistake.
    """
    tree = read_text_tree(path)
    if not isinstance(tree.root, dict):
        raise tree.error((), "a cells file is a mapping from rho to a number of cells, such as 1/3: 5")
    if not tree.root:
        raise tree.error((), "holds no cells; a cells file maps at least one rho to a number of cells")
    counts: dict[Fraction, int] = {}
    written: dict[Fraction, str] = {}
    for key, value in tree.root.items():
        try:
            rho = parse_rho(key)
        except ValueError as error:
            raise tree.error((key,), f"the key is rho and {error}") from None
        if rho in counts:
            raise tree.error((key,), f"the same rho as {shorten(written[rho])}; list each rho once")
        if not isinstance(value, str):
            raise tree.error((key,), "the number of cells must be one whole number")
        try:
            counts[rho] = parse_count(value, 1, MAX_COUNT)
        except ValueError as error:
            raise tree.error((key,), f"the number of cells {error}") from None
        written[rho] = key
    try:
        common_denominator(counts, MAX_DIGITS)
    except ValueError as error:
        raise tree.error((), str(error)) from None
    return Composition.from_counts(counts)
