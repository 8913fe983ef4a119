"""The documents: the tutorial's allocation is valid, the index names every page, links and paths exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernels.accounting.census.mechanism import pairs
from tests.paths import ROOT
from workflow.allocation.read import parse_allocation

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md"), ROOT / "slurm" / "README.md"])
PATH = re.compile(r"`((?:benchmarks|kernels|slurm/(?!mine)|tests|tools|workflow)/?[^`\s]*)`")
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page: Path) -> None:
    for path in PATH.findall(page.read_text(encoding="utf-8")):
        if "/" in path:
            assert list(ROOT.glob(path.rstrip("/"))), path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, anchor in LINK.findall(text):
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), f"{target}#{anchor}"
