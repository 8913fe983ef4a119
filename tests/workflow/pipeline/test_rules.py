"""The rules as written: each has its script, says what it uses, and asks for more when tried again."""

from __future__ import annotations

import re

import pytest

from tests.paths import ROOT

RULES = sorted(path.stem for path in (ROOT / "workflow" / "rules").glob("*.smk"))


def text_of(rule: str) -> str:
    return (ROOT / "workflow" / "rules" / f"{rule}.smk").read_text()


def test_rules_and_scripts_have_the_same_names() -> None:
    scripts = sorted(path.stem for path in (ROOT / "workflow" / "scripts").glob("*.py"))
    snakefile = (ROOT / "Snakefile").read_text()
    included = re.findall(r'^include: "workflow/rules/(\w+)\.smk"$', snakefile, re.MULTILINE)
    assert RULES == scripts == sorted(included)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_script_and_declares_what_it_uses(rule: str) -> None:
    text = text_of(rule)
    for part in (f"rule {rule}:", f"/{rule}.py", "log:", "benchmark:", "threads:", "resources:"):
        assert part in text


@pytest.mark.parametrize("rule", RULES)
def test_logs_are_where_make_says(rule: str) -> None:
    assert "its log is in logs/ of the results folder" in (ROOT / "Makefile").read_text()
    logs = re.findall(r"^    log:\n +f\"(.*)\",$", text_of(rule), re.MULTILINE)
    assert logs
    assert all(re.match(r"\{(RUN|SCAN|STUDY)\.folder\}/logs/", log) for log in logs)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_that_is_tried_again_asks_for_more(rule: str) -> None:
    text = text_of(rule)
    for amount in ("mem_mb", "runtime"):
        (asked,) = re.findall(rf"^ +{amount}=(.*),$", text, re.MULTILINE)
        assert ("* attempt" in asked) != ("retries: 0" in text)


@pytest.mark.parametrize("rule", RULES)
def test_code_that_a_rule_depends_on_exists(rule: str) -> None:
    for named in re.findall(r"code_digest\((.*?)\)", text_of(rule), re.DOTALL):
        for pattern in re.findall(r'"([^"]*)"', named):
            assert list(ROOT.glob(pattern)), pattern
