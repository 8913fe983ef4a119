"""docs/allocations.md: its examples are valid; it names every key and every shipped allocation."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from kernels.accounting.census.mechanism import mechanism, pairs
from kernels.accounting.composition import Composition
from tests.paths import ROOT
from workflow.allocation.read import load_allocation, parse_allocation
from workflow.allocation.schema import (
    AllocationFile,
    Bypass,
    FromGeography,
    JointFile,
    LevelBudget,
)
from workflow.input.find import folders

TEXT = (ROOT / "docs" / "allocations.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", TEXT, flags=re.DOTALL)


def test_the_example_is_an_allocation() -> None:
    allocation = parse_allocation(EXAMPLES[0], "example.yaml")
    assert allocation.name == "example"
    assert allocation.total_rho == 2


def test_the_example_without_any_bypass_measures_every_level() -> None:
    (bypass,) = (text for text in EXAMPLES if text.startswith("bypass: {"))
    text = re.sub(r"bypass:\n(  .*\n)+", bypass, EXAMPLES[0])
    allocation = parse_allocation(text, "example.yaml")
    ((first, second),) = pairs(allocation)
    assert first == second
    every = [rho for level in allocation.levels for rho in allocation.rho[level].values()]
    assert mechanism(allocation, first) == Composition.from_counts(Counter(every))


def test_the_joint_example_is_the_shipped_one() -> None:
    (example,) = (text for text in EXAMPLES if "joint:" in text)
    shown, shipped = parse_allocation(example, "joint.yaml"), load_allocation("joint_persons_us")
    assert shown == shipped


@pytest.mark.parametrize("model", [AllocationFile, JointFile, LevelBudget, Bypass, FromGeography])
def test_every_key_is_documented(model: type) -> None:
    for key in model.model_fields:
        assert f"`{key}`" in TEXT or f"{key}:" in TEXT


def test_the_table_of_shipped_allocations_is_right() -> None:
    rows = dict(
        re.findall(r"^\| `(\w+)` \|(.*)\|$", TEXT[TEXT.index("## Shipped allocations") :], re.MULTILINE)
    )
    files = folders()[0].glob("*.yaml")
    single = [load_allocation(path.stem) for path in files if "\nbudget:" in path.read_text(encoding="utf-8")]
    assert set(rows) == {allocation.name for allocation in single}
    for allocation in single:
        cells = [cell.strip() for cell in rows[allocation.name].split("|")]
        assert cells[1] == str(len(allocation.levels))
        assert cells[4] == ", ".join(f"{level} {digit}" for level, digit in allocation.fixed_digits.items())
        assert cells[5].split()[0] == str(len(allocation.patterns))
        assert cells[6] == str(len(pairs(allocation)))


def test_the_joint_allocation_has_all_cells_of_both_products() -> None:
    joint = load_allocation("joint_persons_us")
    assert [product.name for product in joint.products] == ["pl94_persons_us", "dhc_persons_us"]
    assert joint.total_rho == sum(product.total_rho for product in joint.products)
    assert joint.patterns == ("0000000000",)
