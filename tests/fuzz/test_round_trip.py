"""A slice of the printed figures that are fed back in."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from kernels.accounting.accountant import Accountant
from kernels.errors import Refused
from tests.fuzz.round_trip import light_case, one, round_trip, summary
from tests.fuzz.worker import is_bad


@pytest.mark.parametrize("index", range(10))
def test_what_is_printed_holds_when_it_is_fed_back(tmp_path: Path, index: int) -> None:
    drawn = dataclasses.replace(light_case(2021, index), reduction=index % 3 == 0)
    trip = round_trip(drawn, tmp_path)
    assert not trip.broken
    assert not trip.refused
    assert trip.held >= 10


@pytest.mark.parametrize(
    ("refusal", "status"), [("out of reach", "refused"), ("", "crash")], ids=["refused", "failed"]
)
def test_a_refusal_is_counted_and_a_failed_check_is_a_crash(
    monkeypatch: pytest.MonkeyPatch, refusal: str, status: str
) -> None:
    def raised(*_: object) -> None:
        raise Refused(refusal) if refusal else ZeroDivisionError

    for question in ("epsilon", "profile", "reduction"):
        monkeypatch.setattr(Accountant, question, raised)
    record = one(2021, 0)
    assert record["status"] == status
    assert is_bad(record) is (status == "crash")
    assert summary([record]) == [f"compositions: 1; 1 {status}", "promises: 0, broken: 0"]


def test_an_interrupt_of_the_command_line_is_one_of_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Accountant, "epsilon", interrupted)
    with pytest.raises(KeyboardInterrupt):
        round_trip(light_case(2021, 0), tmp_path)
