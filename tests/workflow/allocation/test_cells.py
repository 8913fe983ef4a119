"""Cells files in YAML and JSON: read exactly, and every mistake told in one line."""

from __future__ import annotations

import json
from fractions import Fraction as F
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.accounting.composition import Composition
from tests.refused import refused
from tests.workflow.allocation.made_up_allocation import write
from workflow.allocation.cells import read_cells


def test_cells_files_in_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    wanted = Composition.from_counts({F(1, 3): 5, F(2, 7): 3, F(1, 10): 1, F(1, 10**10): 60})
    as_json = '{"1/3": 5, "2/7": 3, "0.1": 1, "1e-10": 60}'
    assert read_cells(write(tmp_path, "a.json", as_json)) == wanted
    assert read_cells(write(tmp_path, "a.yaml", as_json)) == wanted
    assert read_cells(write(tmp_path, "b.yaml", "1/3: 5\n2/7: 3\n0.1: 1\n1e-10: 60\n")) == wanted
    assert read_cells(write(tmp_path, "c.json", '{"1/3": "5", "4/14": 3, ".1": 1, "1E-10": 60}')) == wanted


BAD_CELLS = {
    '{"1/2": 1, "2/4": 1}': "2/4\" = '1': the same rho as '1/2'; list each rho once",
    '{"1/2": 1, "0.5": 1}': "0.5\" = '1': the same rho as '1/2'; list each rho once",
    '{"1/2": 1, "1/2": 1}': "duplicate key",
    '{"1/2": 0}': "1/2\" = '0': the number of cells must be a whole number from 1 to 1000000000000",
    '{"1/2": -3}': "= '-3': the number of cells must be a whole number",
    '{"1/2": 2.0}': "= '2.0': the number of cells must be a whole number",
    '{"1/2": 1e3}': "= '1e3': the number of cells must be a whole number",
    '{"1/2": true}': "= 'true': the number of cells must be a whole number",
    '{"1/2": "x"}': "= 'x': the number of cells must be a whole number",
    '{"1/2": [1]}': '1/2": the number of cells must be one whole number',
    '{"0": 1}': "0 = '1': the key is rho and must be above 0",
    '{"-1": 1}': "the key is rho and must be above 0",
    '{"nan": 1}': "nan = '1': the key is rho and must be an exact number",
    '{"1e-40": 1}': "the key is rho and must lie between 1e-30 and 1e30",
    "[1, 2]": "a cells file is a mapping from rho to a number of cells, such as 1/3: 5",
    "{}": "holds no cells",
    "": "",
    '{"1/2": 1': "not valid",
}


@pytest.mark.parametrize(("text", "reason"), BAD_CELLS.items(), ids=BAD_CELLS)
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_bad_cells_are_refused_in_one_line(tmp_path: Path, suffix: str, text: str, reason: str) -> None:
    path = write(tmp_path, f"cells.{suffix}", text)
    line = refused(read_cells, path)
    assert line.startswith(str(path))
    assert reason in line


def test_cells_without_a_printable_lattice_are_refused(tmp_path: Path) -> None:
    cells = {f"{10**95}/{10**96 + k}": 1 for k in range(1, 80)}
    line = refused(read_cells, write(tmp_path, "a.json", json.dumps(cells)))
    assert "the common denominator of these numbers has more than 4000 digits" in line


@given(
    st.dictionaries(
        st.fractions(F(1, 10**6), 1000, max_denominator=10**9),
        st.integers(1, 10**12),
        min_size=1,
        max_size=20,
    )
)
def test_cells_survive_a_round_trip(counts: dict[F, int]) -> None:
    text = json.dumps({str(rho): count for rho, count in counts.items()})
    path = Path(__file__).parent / "not_written.yaml"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workflow.input.tree.read_text", lambda *_: text)
        assert read_cells(path) == Composition.from_counts(counts)
