"""What is installed is what was locked, and the files around the code agree with each other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import version

import pytest

from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
LOCKED = dict(re.findall(r"^([a-z0-9_.-]+)==(\S+)", LOCK, re.MULTILINE))


def direct_dependencies() -> list[str]:
    extras = PROJECT["optional-dependencies"].values()
    return [line for group in (PROJECT["dependencies"], *extras) for line in group]


@pytest.mark.parametrize("dependency", direct_dependencies())
def test_direct_dependency_is_pinned_locked_and_installed(dependency: str) -> None:
    name, pinned = dependency.split("==")
    assert LOCKED[name.replace(".", "-")] == pinned
    assert version(name) == pinned


def test_every_dependency_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    pins = [line for line in lines if re.match(r'    "[\w.-]+==', line)]
    assert len(pins) == len(direct_dependencies())
    assert all(re.search(r"# \w+", line) for line in pins)


def test_lock_has_hashes_and_names_no_host() -> None:
    blocks = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)
    assert "://" not in LOCK
    assert not re.search(r"^--", LOCK, re.MULTILINE)


def test_conda_environment_installs_the_lock() -> None:
    assert "- -r requirements.lock" in (ROOT / "environment.yml").read_text()


def test_make_help_names_every_target() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"setup", "report", "test", "lint", "bench", "clean"} <= set(targets)
    assert all(f"make {target} " in shown for target in targets)


def test_version_is_in_the_changelog() -> None:
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()
