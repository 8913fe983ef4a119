"""The command line's errors: one line each, with its exit code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kernels.errors import Refused
from tests.paths import ROOT
from tests.workflow.cli.command_line import FIRST_PAIR, TINY, TINY_PAIR, complaint


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
        raise Refused("the law cannot be\nevaluated")

    monkeypatch.setattr(accountant.Accountant, "profile", refuse)
    line = complaint(1, "profile", *TINY_PAIR, "--eps", "1")
    assert line == "exact-census profile: the law cannot be evaluated\n"


def test_no_room_for_the_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels.accounting import accountant

    def too_large(self: object) -> None:
        raise MemoryError

    monkeypatch.setattr(accountant.Accountant, "plan_summary", too_large)
    assert "memory" in complaint(1, "plan", *TINY_PAIR)
