"""A slice of the broken input: `make fuzz-readers` feeds a million."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import Fuzzer
from tests.fuzz.targets import ALLOCATION, targets
from workflow.allocation.read import parse_allocation
from workflow.errors import ConfigError
from workflow.input.tree import parse_text_tree

NAMES = (
    *("allocation", "allocation file", "cells YAML", "cells JSON", "study", "run settings", "geounits"),
    *("geocodes", "table of counts", "budget table", "scan", "numbers", "mechanisms.json", "plan.json"),
    "result file",
)


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Fuzzer:
    """One that writes to a folder of its own."""
    made = Fuzzer(targets(tmp_path_factory.mktemp("fuzz")), seed=3)
    assert tuple(made.readers) == NAMES
    return made


@pytest.mark.parametrize("name", NAMES)
def test_broken_input_is_read_or_refused_in_one_line(fuzzer: Fuzzer, name: str) -> None:
    for seed in fuzzer.readers[name].seeds:
        fuzzer.readers[name].read(seed)  # whole, it is read
    for _ in range(60):
        fuzzer.step(name)
    assert not fuzzer.outcome.faults
    assert fuzzer.outcome.messages.get(name) or fuzzer.outcome.read[name]


_NUMBERS, _NAMES = ("nan", "1/0", "-1", "0", "1e-10", "9" * 300), ("default", "complete", "State", "County")
WORDS = st.sampled_from([*_NUMBERS, *_NAMES, "a\nb", "\x1b[31m", ""])
TREES = st.recursive(
    WORDS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_tree_in_place_of_any_part_is_read_or_refused_in_one_line(data: st.DataObject) -> None:
    """Well-formed files of the wrong shape: a value, list or mapping of the file replaced by any other."""
    root = parse_text_tree(ALLOCATION, "a.yaml").root
    for _ in range(data.draw(st.integers(1, 3))):
        node: Any = root
        while True:
            key = data.draw(st.sampled_from(list(node) if isinstance(node, dict) else range(len(node))))
            if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
                break
            node = node[key]
        node[key] = data.draw(TREES)
    try:
        line = parse_allocation(json.dumps(root), "a.yaml").name
    except ConfigError as error:
        line = str(error)
    assert line.isprintable()
