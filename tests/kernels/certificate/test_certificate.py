"""Certificates from end to end: written, read, checked again by the standalone checker, spoilt, refused."""

from __future__ import annotations

import ast
import copy
import importlib.util
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from kernels.accounting.census.mechanism import mechanism
from kernels.certificate import document, sample
from kernels.certificate.allocation_text import AllocationText, AllocationTextError, joined
from kernels.certificate.balls import ends
from kernels.certificate.tails import Family, Pair, common_period, needed_period
from tests.paths import ROOT
from tests.reference.convolution import ConvolutionTail
from tests.reference.small import single_cell
from workflow.allocation.read import load_allocation
from workflow.allocation.write import standalone_text
from workflow.certificate.make import Request, certify
from workflow.cli.main import main

from .small import TEXT, compute, write

SHIPPED = sorted(path.stem for path in (ROOT / "allocations").glob("*_[pu][rs].yaml"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result file, its allocation, a certificate of every value."""
    folder = tmp_path_factory.mktemp("certificate")
    (folder / "small.yaml").write_text(TEXT, encoding="utf-8")
    write(folder / "curves.h5", compute())
    certificate = certify(folder / "curves.h5", Request(size=None), jobs=1)
    (folder / "certificate.json").write_text(document.as_text(certificate), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def checker() -> Iterator[ModuleType]:
    """tools/check_certificate.py as a module."""
    specification = importlib.util.spec_from_file_location("checker", ROOT / "tools" / "check_certificate.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        specification.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def certificate(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "certificate.json").read_text())


@pytest.fixture(scope="module")
def checked(checker: ModuleType, folder: Path) -> Callable[[dict[str, Any]], str]:
    """What the checker finds wrong with one value, by its numbers alone."""
    return lambda value: checker.check((folder / "small.yaml", value))


def test_the_certificate_reads_as_it_was_signed(certificate: dict[str, Any]) -> None:
    assert certificate["digest"] == document.digest(certificate)
    assert certificate["verdict"]["passed"]
    assert certificate["neighbours"] == "bounded"
    assert {value["quantity"] for value in certificate["values"]} == set(sample.CHANCES)


def test_the_checker_finds_every_value_again(
    checked: Callable[[dict[str, Any]], str], certificate: dict[str, Any]
) -> None:
    assert [wrong for value in certificate["values"] if (wrong := checked(value))] == []


def test_the_checker_refuses_every_flipped_digit(checker: ModuleType, folder: Path, tmp_path: Path) -> None:
    """The digest covers all of it: any digit, anywhere, replaced by any other."""
    text = (folder / "certificate.json").read_text()
    places = [place for place, character in enumerate(text) if character.isdigit()]
    choose = random.Random(5)
    for place in choose.sample(places, 300):
        other = choose.choice([digit for digit in "0123456789" if digit != text[place]])
        (tmp_path / "flipped.json").write_text(text[:place] + other + text[place + 1 :])
        with pytest.raises(ValueError, match=r"digest|line \d+ column"):  # or no longer JSON
            checker.main(tmp_path / "flipped.json", folder / "small.yaml")


def test_the_checker_finds_flipped_digits_of_what_was_found_by_computing(
    checked: Callable[[dict[str, Any]], str], certificate: dict[str, Any]
) -> None:
    """Also when the digest is made anew, down to the last digit."""
    choose = random.Random(7)
    values = [value for value in certificate["values"] if value["quantity"] != "sieve"]
    for value in choose.sample(values, 40):
        spoilt = copy.deepcopy(value)
        name = choose.choice(sorted(spoilt["found"]))
        side = choose.randrange(2)
        text = spoilt["found"][name][side]
        digits = [i for i, character in enumerate(text.split("E")[0]) if character.isdigit()]
        place = choose.choice([digits[-1], choose.choice(digits)])
        digit = str((int(text[place]) + choose.randrange(1, 10)) % 10)
        spoilt["found"][name][side] = text[:place] + digit + text[place + 1 :]
        assert checked(spoilt), (value, spoilt)


HUGE = "1e-999999999999"
#: A quantity and what its value is changed to, by field: what is stored, found or asked.
CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("alpha", {"stored": {"bound": "1e-60"}}, ""),
    ("beta", {"stored": {"value": "0.5 0.0 0.0"}}, ""),
    ("delta", {"stored": {"relative_bound": "1e-25"}}, ""),
    ("reduction", {"stored": {"reduction": "0.99 0.99 0.99"}}, ""),
    ("sieve", {"stored": {"sieve_bound": "1e-80"}}, ""),
    *(("delta", {"stored": {"delta": stated}}, "") for stated in ("nan", "0.0", "1e-301", "-1.0")),
    # Digits withheld
    ("alpha", {"found": {"alpha": ["0", "1"]}}, ""),
    ("beta", {"found": {"beta": ["0", "1"]}}, ""),
    ("delta", {"found": {"delta": ["0", "1"]}}, ""),
    ("sieve", {"found": {"pruned": ["0", "1"]}}, ""),
    ("reduction", {"found": {"eps_zcdp": ["0E+2", "1E+2"]}}, ""),
    # Numbers too long to write
    ("delta", {"found": {"delta": [HUGE, HUGE]}}, "out of range"),
    ("delta", {"at": HUGE}, "out of range"),
    ("delta", {"stored": {"delta": HUGE}}, "out of range"),
]


@pytest.mark.parametrize(("quantity", "changes", "told"), CHANGES, ids=str)
def test_the_checker_judges_what_is_stored_and_found(
    checked: Callable[[dict[str, Any]], str],
    certificate: dict[str, Any],
    quantity: str,
    changes: dict[str, Any],
    told: str,
) -> None:
    """What a bound does not cover is refused even if the certificate says that it holds."""
    values = [one for one in certificate["values"] if one["quantity"] == quantity]
    value = copy.deepcopy(max(values, key=lambda one: len(one["found"].get("pruned", [""])[0])))
    for field, changed in changes.items():
        value[field] = value[field] | changed if isinstance(changed, dict) else changed
    wrong = checked(value)
    assert wrong
    assert told in wrong


def test_the_checker_refuses_an_upper_bound_of_eps_that_is_its_value(
    checked: Callable[[dict[str, Any]], str], certificate: dict[str, Any]
) -> None:
    value = copy.deepcopy(next(one for one in certificate["values"] if one["quantity"] == "epsilon"))
    value["stored"]["upper"] = value["stored"].get("value")
    assert checked(value)


def test_the_checker_says_in_one_line_what_is_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text('{"values": 1}')
    for name in ("none.json", "missing.json"):
        command = [sys.executable, ROOT / "tools" / "check_certificate.py", tmp_path / name, tmp_path]
        checked = subprocess.run(command, capture_output=True, text=True, check=False)
        assert checked.returncode == 1
        assert checked.stderr.count("\n") == 1
        assert checked.stderr.startswith("refused: ")


def test_the_checker_finds_nodes_as_short_vectors_too(
    checker: ModuleType,
    checked: Callable[[dict[str, Any]], str],
    certificate: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gaussian_sum.FINE", 0)
    values = [value for value in certificate["values"] if value["group"] == "/pairs/00,10"]
    for quantity in sample.CHANCES:
        value = [one for one in values if one["quantity"] == quantity][-1]
        assert checked(value) == ""


def test_lumps_are_certified_and_found_again(checker: ModuleType, tmp_path: Path) -> None:
    """Noise so narrow that delta is far below Chernoff's bound, and can be constant over stretches of eps."""
    lumpy = re.sub(r"(?<=: )\d+/\d+", lambda found: str(40 * Fraction(found[0])), TEXT)
    path = write(tmp_path / "lumpy.h5", compute(lumpy), lumpy)
    (tmp_path / "lumpy.yaml").write_text(lumpy)
    found = certify(path, Request(size=None), jobs=1)
    assert found["verdict"]["passed"], found["verdict"]
    far = [value for value in found["values"] if value["quantity"] in ("delta", "epsilon", "reduction")]
    assert [wrong for value in far if (wrong := checker.check((tmp_path / "lumpy.yaml", value)))] == []


def test_the_checker_needs_the_right_allocation(checker: ModuleType, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(TEXT.replace("1/8", "0.125"))
    with pytest.raises(ValueError, match="the allocation file is another one"):
        checker.main(folder / "certificate.json", tmp_path / "other.yaml")


def test_enclosures_hold_the_reference_values(certificate: dict[str, Any]) -> None:
    """Against products of integer polynomials, which have no nodes."""
    text = AllocationText.parse(TEXT)
    references: dict[str, ConvolutionTail] = {}
    for value in certificate["values"]:
        name, group = value["quantity"], value["group"]
        if name not in ("alpha", "delta") or not group.startswith("/pairs"):
            continue
        first, second = text.members(group)
        cells = {rho: first.get(rho, 0) + second.get(rho, 0) for rho in first | second}
        reference = references.setdefault(group, ConvolutionTail(cells, bits=400))
        found = (reference.alpha if name == "alpha" else reference.delta)(Fraction(value["at"]))
        low, high = map(Fraction, value["found"][name])
        assert low <= found.upper
        assert found.lower <= high


def test_samples_are_repeatable_and_cover_all_quantities() -> None:
    sizes = {
        group: {"alpha": 50, "beta": 50, "delta": 9, "epsilon": 2, "reduction": 2, "sieve": 1}
        for group in "abc"
    }
    drawn = sample.draw("abc", sizes, 120, "1")
    assert drawn == sample.draw("abc", sizes, 120, "1")
    assert len(set(drawn)) == 120
    assert {quantity for _, quantity, _ in drawn} == set(sample.CHANCES)
    assert drawn != sample.draw("abc", sizes, 120, "2")
    assert len(sample.draw("abc", sizes, 10**6, "1")) == sum(sum(size.values()) for size in sizes.values())


def test_several_processes_find_the_same(folder: Path, certificate: dict[str, Any]) -> None:
    again = certify(folder / "curves.h5", Request(size=20), jobs=2)
    known = {(v["group"], v["quantity"], v["index"]): v for v in certificate["values"]}
    assert len(again["values"]) == 20
    assert all(known[v["group"], v["quantity"], v["index"]] == v for v in again["values"])


def test_the_command_writes_a_certificate(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "certificate.json"
    arguments = ["certify", str(folder / "curves.h5"), "--sample", "15", "--seed", "3", "--jobs", "1"]
    result = CliRunner().invoke(main, [*arguments, "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    written = json.loads(out.read_text())
    assert json.loads(result.stdout) == written
    assert written["digest"] == document.digest(written)
    assert written["sample"]["seed"] == "3"


def test_the_command_ends_with_1_when_something_is_wrong(tmp_path: Path) -> None:
    results = compute()
    path = write(tmp_path / "missing.h5", results[1:])
    result = CliRunner().invoke(main, ["certify", str(path), "--sample", "2", "--jobs", "1"])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "missing" in result.stderr


@pytest.mark.parametrize("rho", ["1/7", "3", "20", "150"])
@pytest.mark.parametrize("eps", ["0", "1", "40", "700", "5000"])
def test_one_cell_against_its_definition(rho: str, eps: str) -> None:
    """Two members of which one is a multiple of the other's cell: all sums by hand, at any depth."""
    cell, at = Fraction(rho), Fraction(eps)
    needed = needed_period(2 * cell, at + 2 * cell)
    pair = Pair(Family(common_period([cell], needed)), {cell: 1}, {cell: 1})
    found = ends(pair.delta(at))
    single = ends(single_cell(cell, at).delta)
    assert found[1] > 0
    assert found[0] <= 1
    assert found[1] * (1 + Fraction(1, 10**15)) >= single[0]  # two cells lose at least as much as one


def test_text_that_is_no_allocation_is_refused() -> None:
    for text in ("", "a: [", "levels: []", "- 1"):
        with pytest.raises(AllocationTextError):
            AllocationText.parse(text)
    with pytest.raises(AllocationTextError):
        AllocationText.parse(TEXT).members("/pairs/00,1x")


def test_found_numbers_are_as_narrow_as_promised(certificate: dict[str, Any]) -> None:
    for value in certificate["values"]:
        for name, (low, high) in value["found"].items():
            width = Decimal(high) - Decimal(low)
            assert width >= 0
            if name in ("alpha", "beta"):
                assert width <= Decimal("2e-37")
            elif name != "pruned":
                assert width <= 20 * Decimal(high).scaleb(-13) or Decimal(high) < Decimal("1e-300")


@pytest.mark.parametrize("name", SHIPPED)
def test_cells_of_the_shipped_allocations_are_derived_alike(name: str) -> None:
    """Two readings of an allocation file and two bypass rules agree on every mechanism and level."""
    source = load_allocation(name)
    text = AllocationText.parse(standalone_text(name))
    assert tuple(text.patterns) == source.patterns
    for pattern in source.patterns:
        assert tuple(sorted(text.path(pattern).items())) == mechanism(source, pattern).cells
    for level in source.levels:
        cells = joined(*text.members(f"/levels/{level}"))
        assert tuple(sorted(cells.items())) == source.level_composition(level).cells


@pytest.mark.parametrize("name", SHIPPED)
def test_the_checker_derives_cells_alike(checker: ModuleType, name: str) -> None:
    """From the shipped files themselves; those of a joint allocation from its products' files."""
    source, text = load_allocation(name), AllocationText.parse(standalone_text(name))
    file = ROOT / "allocations" / f"{name}.yaml"
    first, last = source.patterns[0], source.patterns[-1]
    for group in (f"/pairs/{first},{last}", f"/levels/{source.levels[-1]}"):
        assert checker.cells_of(file, group) == joined(*text.members(group))


def test_out_of_reach_is_partly(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict, the command and the checker say so; none of them passes it over."""
    monkeypatch.setattr("kernels.certificate.tails.MOST_SCANNED", 0)
    monkeypatch.setattr("kernels.certificate.short.MOST_ANGLES", 200)
    out = tmp_path / "partly.json"
    arguments = ["certify", str(folder / "curves.h5"), "--sample", "20", "--jobs", "1", "--out", str(out)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "certified in part" in result.stderr
    written = json.loads(out.read_text())
    verdict = written["verdict"]
    assert verdict["outcome"] == "partly"
    assert not verdict["passed"]
    assert 0 < verdict["values_hold"] == 20 - verdict["values_out_of_reach"] < 20
    command = [sys.executable, ROOT / "tools" / "check_certificate.py", out, folder / "small.yaml"]
    checked = subprocess.run(command, capture_output=True, text=True, check=True)
    assert checked.stdout.startswith(f"PARTLY: {verdict['values_hold']} of the 20")
    spoilt = document.signed({**written, "verdict": {**verdict, "outcome": "passed", "passed": True}})
    out.write_text(document.as_text(spoilt))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_the_certificate_shares_no_code_with_what_it_checks() -> None:
    """Nor does the standalone checker with either."""
    names = "check_certificate", "gaussian_sum", "fine_lattice", "discrete_gaussian"
    tools = [ROOT / "tools" / f"{name}.py" for name in names]
    for path in [*(ROOT / "kernels" / "certificate").glob("*.py"), *tools]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1
                names = [node.module or ""] if node.level == 0 else []
            assert not any(name.split(".")[0] in ("kernels", "workflow") for name in names), path
