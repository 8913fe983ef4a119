"""The documents: the tutorial's allocation is valid, the index names every page, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernels.accounting.mechanism import pairs
from workflow.lib.config import parse_allocation

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """GitHub's anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_tutorial_s_allocation_is_what_it_says() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", (DOCS / "tutorial.md").read_text("utf-8"), flags=re.DOTALL)
    allocation = parse_allocation(example, "town.yaml")
    assert allocation.total_rho == 2
    assert len(pairs(allocation)) == 10


def test_the_index_names_every_document() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    named = {link[0] for link in LINK.findall(index)}
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= named
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.search(r"^docs/ +(.*?)```", readme, flags=re.DOTALL | re.MULTILINE)
    assert listed is not None
    assert {page.stem for page in DOCS.glob("*.md")} - {"README"} <= set(re.findall(r"[a-z-]+", listed[1]))


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, anchor in LINK.findall(text):
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), f"{target}#{anchor}"
