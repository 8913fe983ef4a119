"""A slice of the printed figures that are fed back in."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.fuzz.round_trip import light_case, round_trip


@pytest.mark.parametrize("index", range(10))
def test_what_is_printed_holds_when_it_is_fed_back(tmp_path: Path, index: int) -> None:
    drawn = dataclasses.replace(light_case(2021, index), reduction=index % 3 == 0)
    trip = round_trip(drawn, tmp_path)
    assert not trip.broken
    assert trip.held >= 10
