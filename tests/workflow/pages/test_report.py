"""The report: it opens offline, prints the tables' figures, and trusts no text that it is given."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import json
import re
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kernels.accounting.census.allocation import Allocation
from tests.paths import TINY
from tests.refused import refused
from tests.workflow.results.made_up_results import write_results
from workflow.allocation.read import load_allocation
from workflow.numbers import percent_down
from workflow.pages.page import build_report, headline_figure
from workflow.results.curves import open_results
from workflow.results.tables import ReportError

TABLES = ("summary.csv", "reductions.csv", "attack.csv")
VERDICT: dict[str, object] = {
    "passed": True,
    "values_checked": 2,
    "values_hold": 2,
    "values_out_of_reach": 0,
    "fault_count": 0,
    "faults": [],
    "groups_checked": 2,
    "groups": 13,
}
CERTIFICATE: dict[str, object] = {
    "digest": "0" * 64,
    "sample": {"of": 1000},
    "verdict": VERDICT,
    "values": [{"quantity": "alpha", "holds": True}, {"quantity": "delta", "holds": True, "group": "g"}],
}
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """What the tests ask of a page: balanced tags, ids, loaded addresses, scripts, table figures, text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.downloads: dict[str, str] = {}
        self.figures: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.addresses += [attributes[name] for name in ("src", "href", "xlink:href") if name in attributes]
        if "download" in attributes:
            self.downloads[attributes["download"]] = attributes["href"]
        if tag == "data":
            self.figures.append((attributes["value"], ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "data":
            value, text = self.figures[-1]
            self.figures[-1] = value, text + data
        self.text += data


@pytest.fixture(scope="module")
def tiny() -> Allocation:
    return load_allocation(TINY)


@pytest.fixture(scope="module")
def results(tiny: Allocation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "tiny"
    write_results(folder, tiny)
    return folder


@pytest.fixture(scope="module")
def page(results: Path, tiny: Allocation) -> Page:
    return build(results, tiny, results / "report.html")


def build(results: Path, allocation: Allocation, out: Path) -> Page:
    build_report(results, allocation, out)
    return Page(out.read_text(encoding="utf-8"))


def column(path: Path, *names: str) -> set[Decimal]:
    with path.open(encoding="utf-8", newline="") as file:
        return {Decimal(row[name]) for row in csv.DictReader(file) for name in names}


def test_the_page_is_whole_and_loads_nothing(page: Page) -> None:
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    references = {address[1:] for address in page.addresses if address.startswith("#")}
    references |= set(re.findall(r"url\(#([^)]*)\)", page.html))
    assert references <= set(page.ids)
    assert "http:" not in page.html
    assert "https:" not in page.html


def test_only_the_page_s_own_script_may_run(page: Page) -> None:
    scripts = re.findall(r"<script(.*?)>(.*?)</script>", page.html, flags=re.DOTALL)
    ((attributes, text),) = scripts
    assert attributes == ""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        in page.html
    )
    assert not re.search(r"<[^>]* on\w+=", page.html)


def test_the_page_is_complete_without_its_script(page: Page, tiny: Allocation) -> None:
    rows = page.html[page.html.index('id="profile-rows"') :]
    rows = rows[: rows.index("</tbody>")]
    assert rows.count("<tr>") == tiny.resolution.eps_points
    table = page.html[page.html.index('id="pairs-table"') :]
    table = table[: table.index("</table>")]
    assert table.count("<tr>") == 1 + 10
    assert re.search(r'<div id="explorer"[^>]* hidden>', page.html)
    assert '<p id="pairs-controls" hidden>' in page.html


def test_the_worst_miss_rate_stands_beside_eps(page: Page, results: Path) -> None:
    with (results / "attack.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["alpha"] == "0.01"]
    worst = min(Decimal(row["miss_rate"]) for row in rows)
    share = percent_down(worst, 1).replace("\u00a0", " ")
    sentence = f"false-positive rate of 1 % has a false-negative rate of at least {share}"
    assert sentence in " ".join(page.text.split())


def test_every_printed_figure_is_a_figure_of_the_tables(page: Page, results: Path) -> None:
    eps = column(results / "summary.csv", "eps", "eps_zcdp", "eps_cks20", "eps_gaussian_not_a_bound")
    eps |= column(results / "reductions.csv", "eps_zcdp")
    reductions = column(results / "reductions.csv", "reduction", "scale")
    reductions |= column(results / "attack.csv", "miss_rate")
    eps |= column(results / "attack.csv", "odds_factor", "advantage")
    assert len(page.figures) > 50
    for value, text in page.figures:
        exact = Decimal(value)
        assert exact in eps | reductions
        printed = Decimal(text.removesuffix("\u00a0%"))
        if text.endswith("%"):
            printed /= 100
        digits = Decimal(1).scaleb(printed.as_tuple().exponent)
        assert abs(printed - exact) < digits
        if exact in reductions:
            assert printed <= exact


def test_the_headline_names_the_worst_pair_rounded_to_the_safe_side(page: Page) -> None:
    text = " ".join(page.text.split())
    assert "ε = 11.21, not 13.34." in text  # 11.200000000009 and 13.34999999 at delta 1e-10
    assert "At δ = 10⁻¹⁰ this exact ε holds for each of the 10 pairs" in text
    assert "by 28.1 % on all levels at once" in text
    assert "Total ρ1.75" in text


def test_the_cost_is_that_of_the_stage_where_its_record_is_complete(
    page: Page, tiny: Allocation, tmp_path: Path
) -> None:
    assert "6.5 CPU seconds in the kernels for the curves of 10 pairs and 3 levels" in page.text
    write_results(tmp_path, tiny)
    stats = tmp_path / "curves" / "000.stats.json"
    stats.parent.mkdir()
    stats.write_text('{"computed": 13, "cpu_seconds": 8.25}', encoding="utf-8")
    text = build(tmp_path, tiny, tmp_path / "report.html").text
    assert "8.2 CPU seconds for the curves of 10 pairs and 3 levels, start-up included (6.5" in text
    stats.write_text('{"computed": 2, "cpu_seconds": 1.25}', encoding="utf-8")
    assert "6.5 CPU seconds in the kernels" in build(tmp_path, tiny, tmp_path / "report.html").text


def test_all_tables_are_inside_the_page(page: Page, results: Path) -> None:
    for name in TABLES:
        _, data = page.downloads[name].split("base64,")
        assert base64.b64decode(data) == (results / name).read_bytes()


def test_hostile_text_stays_text(page: Page, results: Path, tiny: Allocation, tmp_path: Path) -> None:
    text = "<script>alert('x')</script> \" & $\\frac{1}{0}$ {{ 7 * 7 }} <img src=x onerror=alert(1)>"
    hostile = dataclasses.replace(tiny, title=text, source=text)
    parsed = build(results, hostile, tmp_path / "report.html")
    assert parsed.tags == page.tags
    assert parsed.text.count(text) == 3  # page title, heading, provenance
    assert "<b>0</b>" not in parsed.html  # a version in the result file's header
    headline_figure(results, hostile, tmp_path / "picture.svg")


def test_the_same_results_give_the_same_bytes(results: Path, tiny: Allocation, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_report(results, tiny, tmp_path / f"{name}.html")
        headline_figure(results, tiny, tmp_path / f"{name}.svg")
        headline_figure(results, tiny, tmp_path / f"{name}.png")
    for suffix in ("html", "svg", "png"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_a_pair_without_an_exact_eps_is_not_called_exact(
    results: Path, tiny: Allocation, tmp_path: Path
) -> None:
    write_results(tmp_path, tiny)
    table = (results / "summary.csv").read_text(encoding="utf-8")
    uncertain = re.sub(r"(11,11,M03,M03,.*,11\.2\d*),11\.1\d*,", r"\1,0,", table)
    (tmp_path / "summary.csv").write_text(uncertain, encoding="utf-8")
    text = " ".join(build(tmp_path, tiny, tmp_path / "report.html").text.split())
    assert "ε ≤ 11.21, not 13.34." in text
    assert "For 1 of 10 pairs no exact ε could be certified" in text
    assert "[M03, M03]: ε ≤ 11.2" in text
    assert "[M02, M03]: ε = 11.2" in text


def test_many_deltas_and_one_pair_are_no_problem(tiny: Allocation, tmp_path: Path) -> None:
    deltas = (*(Fraction(1, 3**k) for k in range(3, 10)), Fraction(1, 10**3000))
    unusual = dataclasses.replace(tiny, deltas=deltas, patterns=("00",))
    write_results(tmp_path, unusual)
    page = build(tmp_path, unusual, tmp_path / "report.html")
    assert "10⁻³⁰⁰⁰" in page.text
    assert "holds for the only pair" in " ".join(page.text.split())


def test_a_missing_table_is_one_line(tiny: Allocation, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"summary\.csv: No such file"):
        build_report(tmp_path, tiny, tmp_path / "report.html")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ({}, "Passed."),
        ({"passed": False, "fault_count": 1, "faults": ["<b>cells</b>"]}, "Not passed"),
        ({"passed": False, "values_hold": 1}, "Not passed"),
        ({"passed": False, "values_hold": 1, "values_out_of_reach": 1}, "Passed in part."),
    ],
)
def test_the_verdict_of_the_certificate_is_told(
    tiny: Allocation, tmp_path: Path, verdict: dict[str, object], words: str
) -> None:
    write_results(tmp_path, tiny)
    with open_results(tmp_path / "curves.h5") as results:
        certificate = CERTIFICATE | {"file_digest": results.digest, "verdict": VERDICT | verdict}
    (tmp_path / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    page = build(tmp_path, tiny, tmp_path / "report.html")
    assert words in page.text
    assert "<b>cells</b>" not in page.html
    (tmp_path / "certificate.json").write_text(
        json.dumps(certificate | {"file_digest": "1"}), encoding="utf-8"
    )
    with pytest.raises(ReportError, match="other results"):
        build_report(tmp_path, tiny, tmp_path / "report.html")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("certificate.json", b"[" * 100_000),
        ("certificate.json", json.dumps(CERTIFICATE | {"sample": {"of": "5"}}).encode()),
        ("certificate.json", json.dumps(CERTIFICATE | {"digest": ["\x1b"]}).encode()),
        ("curves/000.stats.json", b'{"computed": 13, "cpu_sec'),
        ("curves/000.stats.json", b'{"computed": "13", "cpu_seconds": 1}'),
        ("curves/000.stats.json", b'{"computed": 13, "cpu_seconds": NaN}'),
        ("curves/000.stats.json", b"[" * 100_000),
        ("summary.csv", b"\xff"),
    ],
)
def test_a_damaged_file_is_one_line(
    results: Path, tiny: Allocation, tmp_path: Path, name: str, content: bytes
) -> None:
    write_results(tmp_path, tiny)
    if name == "certificate.json" and content.startswith(b"{"):
        with open_results(tmp_path / "curves.h5") as opened:
            content = json.dumps(json.loads(content) | {"file_digest": opened.digest}).encode()
    (tmp_path / "curves").mkdir()
    (tmp_path / name).write_bytes(content)
    line = refused(build_report, tmp_path, tiny, tmp_path / "report.html", error=ReportError)
    assert str(tmp_path / name) in line


def test_tables_of_another_allocation_are_refused(tiny: Allocation, tmp_path: Path) -> None:
    scaled = {level: {query: 2 * rho for query, rho in tiny.rho[level].items()} for level in tiny.levels}
    others = {
        "summary.csv": dataclasses.replace(tiny, rho=scaled),
        "reductions.csv": dataclasses.replace(tiny, deltas=tiny.deltas[:1]),
        "curves.h5": dataclasses.replace(tiny, name="another"),
    }
    for name, other in others.items():
        write_results(tmp_path / "other", other)
        write_results(tmp_path / "tiny", tiny)
        (tmp_path / "other" / name).replace(tmp_path / "tiny" / name)
        with pytest.raises(ReportError, match=f"{name}: not the .* of tiny"):
            build_report(tmp_path / "tiny", tiny, tmp_path / "report.html")
