"""docs/python.md: its examples run and print what is shown; the page that is made of such a document."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
from markdown_it import MarkdownIt
from matplotlib import pyplot

from kernels.accounting.census.mechanism import pair_composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.settings import Settings
from tests.paths import ROOT
from tools.notebook import main, run_examples
from workflow.allocation.read import load_allocation
from workflow.results.curves import CurveFile, Header, Identity, StoredResult

matplotlib.use("Agg")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result file that the page opens, with the one pair that it reads."""
    allocation = load_allocation("pl94_units_us")
    composition = pair_composition(allocation, "0000", "0000")
    settings = Settings(allocation.deltas, allocation.resolution.thresholds, allocation.resolution.eps_points)
    (found,) = evaluate([composition], settings)
    result = StoredResult(
        **vars(found),
        identity=Identity("pair", "0000", "0000"),
        key="key",
        composition=composition,
        deltas=settings.deltas,
        cpu_seconds=0.0,
    )
    monkeypatch.chdir(tmp_path)
    path = Path("results/pl94_units_us/curves.h5")
    path.parent.mkdir(parents=True)
    CurveFile.write(path, Header(allocation.name, allocation.neighbours, "", settings), [result])


@pytest.mark.usefixtures("results")
def test_every_example_prints_what_is_shown() -> None:
    ran = 0
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for example, below, printed in run_examples(MarkdownIt().parse(text)):
        assert printed == (below.content if below else ""), example.content
        ran += 1
    assert ran >= text.count("```python\n") > 5
    assert Path("tradeoff.png").is_file()
    pyplot.close("all")


def test_the_page_holds_text_output_and_plots(tmp_path: Path) -> None:
    document, page = tmp_path / "short.md", tmp_path / "short.html"
    document.write_text(
        "# A title\n\n```python\nimport matplotlib.pyplot as plt\nx = 6 * 7\nplt.plot([x])\n```\n\n"
        "```python\nprint(x, '<', 43)\n```\n\n```text\nan old figure\n```\n\n"
        "```python needs=no_such_module\nimport no_such_module\n```\n"
    )
    main(document, page)
    made = page.read_text(encoding="utf-8")
    assert made.count("<svg") == 1
    assert "42 &lt; 43" in made
    assert "an old figure" not in made
    assert "import no_such_module" in made
    assert "://" not in made.replace("http://www.w3.org", "").split("<body>")[0]
