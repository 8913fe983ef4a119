"""Reading allocation files, of a single product or joint.

Every mistake is one ConfigError line: file, line, key path, value and what is allowed.
"""

from __future__ import annotations

from pathlib import Path

from kernels.accounting.census.allocation import Allocation
from workflow.allocation.joint import is_joint, read_joint
from workflow.allocation.product import read_product
from workflow.allocation.schema import ALLOCATION
from workflow.input.find import check_name, find_file
from workflow.input.tree import parse_text_tree, read_text


def load_allocation(name_or_path: str | Path) -> Allocation:
    """The allocation of this name (allocations/NAME.yaml) or in this file. Raises ConfigError."""
    path = find_allocation(name_or_path)
    allocation = parse_allocation(read_text(path), str(path))
    check_name(str(name_or_path), path, allocation.name)
    return allocation


def find_allocation(name_or_path: str | Path) -> Path:
    """Where load_allocation reads. Raises ConfigError when there is neither such a name nor such a path."""
    return find_file(name_or_path, ALLOCATION)


def parse_allocation(text: str, file: str) -> Allocation:
    """The allocation that YAML text describes; `file` is the name used in messages. Raises ConfigError."""
    tree = parse_text_tree(text, file)
    return read_joint(tree) if is_joint(tree.root) else read_product(tree)
