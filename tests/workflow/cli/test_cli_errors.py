"""The command line's errors: one line each, with its exit code."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from kernels.accounting.accountant import Accountant
from kernels.errors import Refused
from tests.workflow.cli.command_line import TINY, TINY_PAIR, complaint

PAIR = "--allocation tiny.yaml --pair 00,10"
TUNE = "tune --allocation tiny.yaml --delta 1e-6"
TABLE = "export --allocation tiny.yaml --format table --output x"

#: What is asked where tiny.yaml is, and words of the line that refuses it.
REFUSED = [
    (f"profile {PAIR} --eps nan", "exact-census profile: ", "--eps", "'nan'", "allowed: "),
    (f"profile {PAIR} --eps 0,,1", "--eps", "''", "allowed: "),
    (f"profile {PAIR} --eps 1/0", "--eps", "'1/0'", "allowed: "),
    (f"profile {PAIR} --eps 1e99999", "--eps", "'1e99999'", "allowed: "),
    (f"profile {PAIR} --eps '1;2'", "--eps", "'1;2'", "allowed: "),
    (f"profile {PAIR} --eps {'9' * 1001}", "--eps", "999...", "allowed: "),
    (f"profile {PAIR} --eps ''", "--eps", "''", "allowed: "),
    (f"epsilon {PAIR} --delta -1e-10", "exact-census epsilon: ", "--delta", "'-1e-10'", "allowed: "),
    (f"epsilon {PAIR} --delta 1.0000001", "--delta", "'1.0000001'", "allowed: "),
    (f"epsilon {PAIR} --delta 1e-5000", "the exponent of a number must lie between -4000 and 4000"),
    (f"tradeoff {PAIR} --alpha 2", "exact-census tradeoff: ", "--alpha", "'2'", "allowed: "),
    (f"tradeoff {PAIR} --alpha -0.1", "--alpha", "'-0.1'", "allowed: "),
    *((f"reduction {PAIR} --delta {delta}", f"'{delta}'") for delta in ("0", "1", "-1", "nan")),
    ("profile --eps 1", "--allocation", "--cells"),
    ("profile --eps 1 --allocation dhc_persons_us", "--pair"),
    ("profile --eps 1 --allocation dhc_person_us --pair 0,0", "dhc_person_us", "dhc_persons_us"),
    ("profile --eps 1 --allocation tiny.yaml --pair 00", "--pair", "'00'", "two"),
    ("profile --eps 1 --allocation tiny.yaml --pair 00,0", "--pair", "'0'", "2 digits"),
    ("profile --eps 1 --allocation tiny.yaml --pair M00,M04", "--pair", "'M04'", "M00 to M03"),
    ("profile --eps 1 --allocation tiny.yaml --pair ,", "--pair", "''"),
    ("profile --eps 1 --pair 00,00", "--allocation"),
    ("profile --eps 1 --cells tiny.yaml --pair 00,00", "--cells", "--pair"),
    ("profile --eps 1 --cells missing.yaml", "missing.yaml"),
    ("profile --eps 1 --cells /", "/: cannot be read", "directory"),
    (f"profile --eps 1 --cells {sys.executable}", "UTF-8"),
    ("plan --cells tiny.yaml", "tiny.yaml", "the key is rho"),
    ("reduction --allocation tiny.yaml --level Blok --delta 1e-11", "did you mean 'Block'"),
    (f"reduction {PAIR} --level Block --delta 1e-11", "--pair"),
    (f"profle {PAIR} --eps 1", "'profile'"),
    (f"epsilon {PAIR} --detla 1", "'--delta'"),
    (f"profile {PAIR}", "--eps"),
    (f"profile {PAIR} --eps", "--eps"),
    (f"attack {PAIR} --prior 2", "--prior", "0 to 1"),
    (f"attack {PAIR} --alpha -1", "--alpha", "0 to 1"),
    (f"attack {PAIR} --delta 0", "--delta", "above 0"),
    (f"attack {PAIR} --curves x.h5", "--curves"),
    ("compare", "NAME|FILE"),
    ("compare tiny.yaml tiny.yaml", "two allocations are named tiny"),
    ("compare tiny.yaml missing", "missing", "no such allocation"),
    (f"compare {'tiny.yaml ' * 25}", "at most 24"),
    ("compare tiny.yaml --delta 1", "--delta", "below 1"),
    ("compare tiny.yaml --output x.pdf", "--output", ".html"),
    (f"export --output x --format table {PAIR}", "table", "--allocation"),
    ("export --output x --format pld --allocation tiny.yaml", "--pair"),
    (f"export --output x --format pld {PAIR} --grid 1e-400", "--grid: 1e-400 needs", "wider"),
    (f"export --output x --format pld {PAIR} --grid 0", "--grid", "above 0"),
    ("export --output x --format pld --curves x.h5 --pair 00,00", "--curves"),
    (f"export --output x --format curve --curves x.h5 {PAIR}", "--curves"),
    (
        f"export --output x --format profil {PAIR}",
        "'--format': 'profil': did you mean 'profile'? allowed: table, curve, profile, pld.",
    ),
    (f"{TABLE} --style Percent", "did you mean 'percent'? allowed: rho, shares"),
    (f"{TABLE} --style 9", "'9': allowed: rho, shares"),
    (f"{TUNE} --target-eps 0", "--target-eps", "above 0"),
    (TUNE, "--target-eps", "missing"),
    (f"{TUNE} --level County", "--target-eps", "missing"),
    (f"{TUNE} --target-eps 12 --level Conty", "--level", "did you mean 'County'"),
    (f"{TUNE} --level-eps Blok 1", "--level-eps", "did you mean 'Block'"),
    (f"{TUNE} --move Blok County 1", "--move", "did you mean 'Block'"),
    (f"{TUNE} --move Block County 1", "Block has rho 1/2", "below"),
    (f"{TUNE} --target-eps 1 --level County", "cannot be met", "County"),
    (f"{TUNE} --target-eps 0.1 --denominator 3", "larger denominator", "Region", "--denominator N"),
    (f"{TUNE} --target-eps 12 --denominator {'9' * 400}", "--denominator: too large; allowed: 1 to 1e+30."),
    (f"{TUNE} --target-eps 12 --level Block --level-eps Block 2", "--level-eps", "Block"),
    (f"{TUNE} --target-eps 12 --output 'a b.yaml'", "--output", "NAME.yaml"),
    (f"{TUNE} --target-eps 12 --output plain.txt", "--output", "NAME.yaml"),
    ("uldp --w 10 --v 11 --eps 1", "--v: 11 is more than --w, 10; allowed: 1 to 10"),
    ("uldp --w 1 --v 1 --eps 1", "--w"),
    ("uldp --w 10 --v 0 --eps 1", "--v"),
    ("uldp --w 10 --v 2 --eps 0", "allowed: 1e-6 to 100"),
    ("uldp --w 10 --v 2 --eps 101", "allowed: 1e-6 to 100"),
    ("uldp --w 10 --v 2 --eps nan", "must be an exact number"),
    ("uldp --w 10 --eps 1", "--v"),
]


@pytest.mark.parametrize("asked", REFUSED, ids=lambda asked: asked[0][:100])
def test_what_cannot_be_asked_is_one_line(
    asked: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(Path(TINY).read_text())
    arguments, *words = asked
    line = complaint(2, *shlex.split(arguments))
    assert all(word in line for word in words), line
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.yaml"], "nothing was written"


def test_a_refused_computation_is_one_line_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, eps: object) -> None:
        raise Refused("the law cannot be\nevaluated")

    monkeypatch.setattr(Accountant, "profile", refuse)
    line = complaint(1, "profile", *TINY_PAIR, "--eps", "1")
    assert line == "exact-census profile: the law cannot be evaluated\n"


def test_no_room_for_the_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(self: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Accountant, "plan_summary", too_large)
    assert "memory" in complaint(1, "plan", *TINY_PAIR)
