"""The command line: known figures, every error one line with its exit code, nothing heavy imported."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import h5py
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from kernels import KERNEL_VERSION
from kernels.accounting.certified import Certified
from tests.workflow.made_up_results import write_results
from workflow.cli import figures
from workflow.cli.main import main
from workflow.lib.config import load_allocation

ROOT = Path(__file__).resolve().parents[2]
TINY = str(ROOT / "tests" / "data" / "tiny.yaml")
FIRST_PAIR = ("--allocation", "dhc_persons_us", "--pair", "000000,000000")
TINY_PAIR = ("--allocation", TINY, "--pair", "00,10")
COMMANDS = ("attack", "certify", "compare", "convert", "epsilon", "export", "import", "info", "patterns")
COMMANDS += ("plan", "profile", "reduction", "tradeoff", "tune", "uldp", "validate")


def invoke(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, list(arguments), prog_name="exact-census")


def answer(*arguments: str) -> dict[str, Any]:
    """The JSON document of a command that must succeed with nothing on stderr."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def table(*arguments: str) -> str:
    """The table of a command that must succeed with nothing on stderr."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def complaint(code: int, *arguments: str) -> str:
    """The one line on stderr of a command that must fail with this exit code and print nothing else."""
    result = invoke(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("exact-census")
    return result.stderr


def relative_error(text: str, known: str) -> Decimal:
    return abs(Decimal(text) / Decimal(known) - 1)


# Figures


def test_profile_gives_the_known_deltas_and_tails() -> None:
    document = answer("profile", *FIRST_PAIR, "--eps", "0,24.5,40")
    deltas = [row["delta"] for row in document["rows"]]
    known = [
        "0.884778356269728362045997403388560556",
        "9.14779967758082495319172452685e-11",
        "1.06977913866383264e-29",
    ]
    assert all(relative_error(*both) < Decimal("1e-12") for both in zip(deltas, known, strict=True))
    alpha, power = (Decimal(document["rows"][0][name]) for name in ("alpha", "power"))
    assert abs(alpha - Decimal("0.0576089905464759012876047304437066329")) < Decimal("1.1e-35")
    assert abs(power - Decimal("0.942387346816204263333602133832267189")) < Decimal("1.1e-35")


def test_every_computed_number_has_its_interval_around_it() -> None:
    documents = [
        answer("profile", *TINY_PAIR, "--eps", "-1,0,1/3,30"),
        answer("epsilon", *TINY_PAIR, "--delta", "0,1e-6,1"),
        answer("tradeoff", *TINY_PAIR, "--alpha", "0,0.05,1"),
        answer("reduction", *TINY_PAIR, "--delta", "1e-6"),
        answer("convert", "--rho", "1/3", "--delta", "1e-6"),
    ]
    names = {"delta", "alpha", "power"}, {"eps", "eps_zcdp", "eps_cks20", "eps_gaussian"}, {"beta"}
    computed = [*names, {"eps_zcdp", "reduction", "scale"}, {"eps_zcdp", "eps_cks20"}]
    for document, expected in zip(documents, computed, strict=True):
        assert document["neighbours"]
        for row in document["rows"]:
            assert expected <= set(row)
            for name in expected:
                lower, value, upper = (Decimal(row[name + end]) for end in ("_lower", "", "_upper"))
                assert lower <= value <= upper


def test_the_answer_names_the_composition() -> None:
    document = answer("plan", *FIRST_PAIR)
    assert document["allocation"] == "dhc_persons_us"
    assert document["pair"] == ["000000", "000000"]
    assert document["pair_names"] == ["M00", "M00"]
    assert document["neighbours"] == "bounded"
    assert document["total_rho"] == "9.9244"
    assert document["total_rho_exact"] == "24811/2500"
    assert document["lattice_exact"] == "1/10000"
    (row,) = document["rows"]
    assert int(row["survivors"]) <= 203
    assert Decimal(row["total_bound"]) <= Decimal("1e-35")


def test_names_and_patterns_ask_the_same() -> None:
    named = answer("profile", "--allocation", "dhc_persons_us", "--pair", "M00,M01", "--eps", "1")
    assert named == answer(
        "profile", "--allocation", "dhc_persons_us", "--pair", "000000,000001", "--eps", "1"
    )


def test_a_cells_file_asks_for_its_own_composition(tmp_path: Path) -> None:
    cells = tmp_path / "cells.json"
    cells.write_text('{"1": 1}')
    document = answer("profile", "--cells", str(cells), "--eps", "0,1")
    known = ["0.398942278266862", "0.141351339405622"]
    found = [row["delta"] for row in document["rows"]]
    assert all(relative_error(*both) < Decimal("1e-14") for both in zip(found, known, strict=True))
    assert document["cells"] == str(cells)


def test_eps_is_ordered_zero_and_infinite_where_it_must_be() -> None:
    rows = answer("epsilon", *TINY_PAIR, "--delta", "0,1e-3000,1e-10,1")["rows"]
    assert {rows[0][name] for name in ("eps", "eps_lower", "eps_upper", "eps_zcdp", "eps_cks20")} == {
        "Infinity"
    }
    for row in rows[1:3]:
        assert (
            0 < Decimal(row["eps_upper"]) <= Decimal(row["eps_cks20_lower"]) <= Decimal(row["eps_zcdp_lower"])
        )
    assert rows[3]["eps"] == "0"


def test_reduction_of_a_level_alone() -> None:
    document = answer("reduction", "--allocation", "dhc_persons_us", "--level", "Block", "--delta", "1e-11")
    assert document["level"] == "Block"
    assert "pair" not in document
    assert round(Decimal(document["rows"][0]["reduction"]), 3) == Decimal("0.248")


def test_numbers_are_read_exactly() -> None:
    rows = answer("tradeoff", *TINY_PAIR, "--alpha", "0.1,1/10, 1e-1,1/3")["rows"]
    assert [row["alpha"] for row in rows[:3]] == ["0.1"] * 3
    assert rows[0] == rows[1] == rows[2]
    assert rows[3]["alpha_exact"] == "1/3"


def test_convert_knows_no_mechanism_and_says_so() -> None:
    document = answer("convert", "--rho", "4.9622", "--delta", "1e-10")
    (row,) = document["rows"]
    assert relative_error(row["eps_zcdp"], "26.34058885") < Decimal("1e-9")
    assert Decimal(row["eps_cks20_upper"]) < Decimal(row["eps_zcdp_lower"])
    assert document["neighbours"] == "that of the zCDP budget given"


# Tables


def test_tables_are_on_the_safe_side_and_name_the_relation() -> None:
    document = answer("epsilon", *TINY_PAIR, "--delta", "1e-10")
    printed = table("epsilon", *TINY_PAIR, "--delta", "1e-10")
    assert "bounded (one record replaced by another)" in printed
    assert "Gaussian limit (not a bound)" in printed
    figure = printed.splitlines()[-1].split()[1]
    assert Decimal(document["rows"][0]["eps_upper"]) <= Decimal(figure)
    printed = table("reduction", *TINY_PAIR, "--delta", "1e-10")
    figure = next(line for line in printed.splitlines() if line.startswith("1e-10")).split()[2]
    found = answer("reduction", *TINY_PAIR, "--delta", "1e-10")["rows"][0]
    assert Decimal(figure) / 100 <= Decimal(found["reduction_lower"])


def test_a_narrow_terminal_does_not_cut_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    line = table("profile", *TINY_PAIR, "--eps", "1").splitlines()[6]
    assert len(line.split()) == 4
    assert "…" not in line


@given(st.integers(-(10**40), 10**40), st.integers(0, 10**40), st.integers(0, 10**40), st.integers(-4000, 40))
def test_printed_intervals_hold_the_true_ones(middle: int, below: int, above: int, exponent: int) -> None:
    true = [Decimal(f"{number}e{exponent}") for number in (middle, middle - below, middle + above)]
    value, lower, upper = (Decimal(text) for text in figures.interval(Certified(*true)))
    assert lower <= true[1]
    assert lower <= value <= upper
    assert upper >= true[2]
    with localcontext(prec=100):
        assert upper - lower <= (true[2] - true[1]) * Decimal("1.03") or below + above == 0


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0", "0"),
        ("-0.0", "0"),
        ("1e-35", "1e-35"),
        ("123.4500", "123.45"),
        ("1e30", "1" + "0" * 30),
        ("1e60", "1e60"),
        ("0.0001", "0.0001"),
        ("0.000012", "1.2e-5"),
        ("Infinity", "Infinity"),
        ("1e-300000000000", "1e-300000000000"),
    ],
)
def test_plain_text_of_numbers(number: str, text: str) -> None:
    assert figures.plain(Decimal(number)) == text


def test_given_numbers_keep_every_digit() -> None:
    assert figures.given_fields("x", Fraction(49, 2)) == {"x": "24.5"}
    assert figures.given_fields("x", Fraction(1, 10**5000)) == {"x": "1e-5000"}
    assert figures.given_fields("x", Fraction(1, 3)) == {"x": "0." + "3" * 60, "x_exact": "1/3"}
    long = Fraction(10**70 + 1, 10**6000)
    assert figures.given_fields("x", long)["x_exact"] == f"{10**70 + 1}/1{'0' * 6000}"


# Errors


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--eps", "nan", "'nan'"),
        ("--eps", "inf", "'inf'"),
        ("--eps", "0,,1", "''"),
        ("--eps", "1/0", "'1/0'"),
        ("--eps", "1e99999", "'1e99999'"),
        ("--eps", "0x10", "'0x10'"),
        ("--eps", "1_000", "'1_000'"),
        ("--eps", "1;2", "'1;2'"),
        ("--eps", "9" * 1001, "999..."),
        ("--eps", "", "''"),
        ("--delta", "-1e-10", "'-1e-10'"),
        ("--delta", "1.0000001", "'1.0000001'"),
        ("--delta", "nan", "'nan'"),
        ("--alpha", "2", "'2'"),
        ("--alpha", "-0.1", "'-0.1'"),
    ],
)
def test_bad_numbers_are_refused_by_name(option: str, value: str, named: str) -> None:
    command = {"--eps": "profile", "--delta": "epsilon", "--alpha": "tradeoff"}[option]
    line = complaint(2, command, *TINY_PAIR, option, value)
    assert f"exact-census {command}: " in line
    assert option in line
    assert named in line
    assert "allowed: " in line


@pytest.mark.parametrize("delta", ["0", "1", "-1", "nan"])
def test_a_reduction_needs_a_delta_inside_the_unit_interval(delta: str) -> None:
    assert f"'{delta}'" in complaint(2, "reduction", *TINY_PAIR, "--delta", delta)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("--allocation", "--cells")),
        (("--allocation", "dhc_persons_us"), ("--pair",)),
        (("--allocation", "dhc_person_us", "--pair", "0,0"), ("dhc_person_us", "dhc_persons_us")),
        (("--allocation", TINY, "--pair", "00"), ("--pair", "'00'", "two")),
        (("--allocation", TINY, "--pair", "00,0"), ("--pair", "'0'", "2 digits")),
        (("--allocation", TINY, "--pair", "M00,M04"), ("--pair", "'M04'", "M00 to M03")),
        (("--allocation", TINY, "--pair", ","), ("--pair", "''")),
        (("--pair", "00,00"), ("--allocation",)),
        (("--cells", TINY, "--pair", "00,00"), ("--cells", "--pair")),
        (("--cells", "missing.yaml"), ("missing.yaml",)),
        (("--cells", str(ROOT)), (str(ROOT), "directory")),
        (("--cells", sys.executable), ("UTF-8",)),
    ],
)
def test_a_question_that_cannot_be_asked(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    line = complaint(2, "profile", *arguments, "--eps", "1")
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", ()),
        ('{"0": 1}', ("above 0",)),
        ('{"1/2": 0}', ("1/2",)),
        ('{"1/2": 1, "0.5": 1}', ("0.5",)),
        ("[1, 2]", ("mapping",)),
        ("{", ()),
    ],
)
def test_a_cells_file_that_is_wrong(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    cells = tmp_path / "cells.yaml"
    cells.write_text(text)
    line = complaint(2, "plan", "--cells", str(cells))
    assert "cells.yaml" in line
    assert all(word in line for word in words), line


def test_a_level_is_known_and_alone() -> None:
    allocation = ("--allocation", "dhc_persons_us")
    line = complaint(2, "reduction", *allocation, "--level", "Blok", "--delta", "1e-11")
    assert "did you mean 'Block'" in line
    line = complaint(2, "reduction", *FIRST_PAIR, "--level", "Block", "--delta", "1e-11")
    assert "--pair" in line


def test_misspelt_words_get_a_suggestion() -> None:
    assert "'profile'" in complaint(2, "profle", *TINY_PAIR, "--eps", "1")
    assert "'--delta'" in complaint(2, "epsilon", *TINY_PAIR, "--detla", "1")
    assert "--eps" in complaint(2, "profile", *TINY_PAIR)
    assert "--eps" in complaint(2, "profile", *TINY_PAIR, "--eps")


def test_a_refused_computation_is_one_line_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels.accounting import accountant

    def refuse(self: object, eps: object) -> None:
        raise accountant.Refused("the law cannot be\nevaluated")

    monkeypatch.setattr(accountant.Accountant, "profile", refuse)
    line = complaint(1, "profile", *TINY_PAIR, "--eps", "1")
    assert line == "exact-census profile: the law cannot be evaluated\n"


def test_no_room_for_the_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels.accounting import accountant

    def too_large(self: object) -> None:
        raise MemoryError

    monkeypatch.setattr(accountant.Accountant, "plan_summary", too_large)
    assert "memory" in complaint(1, "plan", *TINY_PAIR)


# validate and info


def test_validate_says_what_a_file_holds() -> None:
    document = answer("validate", TINY)
    assert document["valid"] is True
    assert document["pairs"] == "10"
    assert document["mechanisms"] == ["00", "01", "10", "11"]
    assert [row["rho"] for row in document["rows"]] == ["0.75", "0.5", "0.5"]
    assert f"{TINY}: valid." in table("validate", TINY)


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("deltas:", "delta:", ("delta", "did you mean 'deltas'")),
        ("total_rho: 7/4", "total_rho: 9/10", ("total_rho", "7/4")),
        ("total: 1/8", "total: 0", ("budget.County.rho.total", "above 0")),
        ("[1e-6, 1e-10]", "[nan]", ("deltas", "nan")),
        ("levels: [Region, County]", "levels: [Region, Conty]", ("Conty", "did you mean 'County'")),
    ],
)
def test_validate_says_what_is_wrong(tmp_path: Path, right: str, wrong: str, words: tuple[str, ...]) -> None:
    text = Path(TINY).read_text(encoding="utf-8")
    assert right in text
    broken = tmp_path / "tiny.yaml"
    broken.write_text(text.replace(right, wrong), encoding="utf-8")
    line = complaint(2, "validate", str(broken))
    assert "tiny.yaml" in line
    assert all(word in line for word in words), line


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result file of the tiny allocation, with made-up figures."""
    folder = tmp_path_factory.mktemp("results")
    write_results(folder, load_allocation(TINY))
    return folder / "curves.h5"


def test_info_says_what_a_file_holds(result_file: Path) -> None:
    document = answer("info", str(result_file))
    assert document["allocation"] == "tiny"
    assert document["neighbours"] == "bounded"
    assert document["pairs"] == "10"
    assert document["levels"] == ["Region", "County", "Block"]
    assert document["mechanisms"] == ["00", "01", "10", "11"]
    assert document["settings"] == {"deltas": ["1e-6", "1e-10"], "thresholds": "101", "eps_points": "32"}
    assert document["versions"]["kernels"] == KERNEL_VERSION
    assert len(document["digest"]) == 64
    assert document["verified"] is True
    assert [(row["kind"], row["results"]) for row in document["rows"]] == [("pair", "10"), ("level", "3")]
    printed = table("info", str(result_file))
    assert document["digest"] in printed
    assert "bounded (one record replaced by another)" in printed


def test_info_says_when_a_file_does_not_verify(result_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "curves.h5"
    damaged.write_bytes(result_file.read_bytes())
    with h5py.File(damaged, "r+") as file:
        file["pairs/00,01/tradeoff/alpha"][0, 0] += 0.5
    result = invoke("info", str(damaged), "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["verified"] is False
    assert "/pairs/00,01" in result.stderr
    assert result.stderr.count("\n") == 1


def test_info_refuses_what_is_not_a_result_file(result_file: Path, tmp_path: Path) -> None:
    cut, empty, other = (tmp_path / name for name in ("cut.h5", "empty.h5", "other.h5"))
    cut.write_bytes(result_file.read_bytes()[:5000])
    empty.touch()
    with h5py.File(other, "w") as file:
        file["x"] = 1
    for path in (cut, empty, other, tmp_path, tmp_path / "missing.h5", Path(TINY)):
        assert path.name in complaint(2, "info", str(path))


# The program as a whole


def test_help_names_every_command() -> None:
    assert tuple(main.list_commands(click.Context(main))) == COMMANDS
    printed = table("--help")
    assert all(f"  {command} " in printed for command in COMMANDS)
    for command in COMMANDS:
        assert "--json" in table(command, "--help")


def test_the_reference_documents_every_command_and_option() -> None:
    reference = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"## {name}\n" in reference
        for parameter in main.commands[name].params:
            assert all(text in reference for text in parameter.opts if text.startswith("-"))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["validate", TINY], ["convert", "--rho", "1/2", "--delta", "1e-6"]]
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from workflow.cli.main import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code\n"
        "heavy = {'numba', 'llvmlite', 'matplotlib', 'pandas', 'h5py', 'mpi4py', 'snakemake'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stderr == "[]\n"


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workflow.cli.main"]
    arguments = ["convert", "--rho", "1/2", "--delta", "1e-6", "--json"]
    done = subprocess.run(command + arguments, capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(done.stdout)["rho"] == "0.5"
    assert done.stderr == ""
    failed = subprocess.run([*command, "validate", str(tmp_path)], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_a_full_disk_is_one_line() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    command = [sys.executable, "-m", "workflow.cli.main", "convert", "--rho", "1/2", "--delta", "1e-6"]
    with full.open("w") as sink:
        failed = subprocess.run(command, stdout=sink, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
