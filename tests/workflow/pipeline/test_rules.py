"""The rules as written: each has its script, says what it uses, and asks for more when tried again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from workflow import code_digest

RULES = sorted(path.stem for path in (ROOT / "workflow" / "rules").glob("*.smk"))


def test_rules_and_scripts_have_the_same_names() -> None:
    scripts = sorted(path.stem for path in (ROOT / "workflow" / "scripts").glob("*.py"))
    snakefile = (ROOT / "Snakefile").read_text()
    included = re.findall(r'^include: "workflow/rules/(\w+)\.smk"$', snakefile, re.MULTILINE)
    assert RULES == scripts == sorted(included)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_declares_what_it_uses_logs_where_make_says_and_asks_for_more(rule: str) -> None:
    text = (ROOT / "workflow" / "rules" / f"{rule}.smk").read_text()
    for part in (f"rule {rule}:", f"/{rule}.py", "log:", "benchmark:", "threads:", "resources:"):
        assert part in text
    assert "its log is in logs/ of the results folder" in (ROOT / "Makefile").read_text()
    logs = re.findall(r"^    log:\n +f\"(.*)\",$", text, re.MULTILINE)
    assert logs
    assert all(re.match(r"\{(RUN|SCAN|STUDY)\.folder\}/logs/", log) for log in logs)
    for amount in ("mem_mb", "runtime"):
        (asked,) = re.findall(rf"^ +{amount}=(.*),$", text, re.MULTILINE)
        assert ("* attempt" in asked) != ("retries: 0" in text)


def test_the_digest_is_of_the_script_s_import_closure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_digest, "ROOT", tmp_path)
    files = {
        "workflow/scripts/one.py": "from workflow.far import a\n\ndef f():\n    import kernels.inner\n",
        "workflow/far.py": "import kernels.deep\na = 1\n",
        "kernels/__init__.py": "VERSION = 1\n",
        "kernels/deep.py": "# a comment\nc = 2\n",
        "kernels/inner.py": "b = 3\n",
        "kernels/other.py": "d = 4\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def digest() -> str:
        code_digest.code_digest.cache_clear()
        code_digest._code.cache_clear()
        return code_digest.code_digest("workflow/scripts/one.py")

    before = digest()
    for name, text in files.items():
        (tmp_path / name).write_text(text + "# another comment\n")
        assert digest() == before
        (tmp_path / name).write_text(text + "e = 5\n")
        assert (digest() == before) == (name == "kernels/other.py"), name
        (tmp_path / name).write_text(text)


def test_templates_count_where_pages_are_made() -> None:
    for rule in ("report", "theory", "uldp_report"):
        assert "page.css" in {path.name for path in reached(rule)}
    assert "page.css" not in {path.name for path in reached("aggregate")}


def reached(rule: str) -> set[Path]:
    """The files whose code a rule's digest is made from."""
    left, seen = [ROOT / "workflow" / "scripts" / f"{rule}.py"], set()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += code_digest._code(path)[1]
    return seen
