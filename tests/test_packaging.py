"""What is installed is what was locked, and the files around the code agree with each other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.reference.convolution import ConvolutionTail

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel was installed, built from a copy of the checkout."""
    place = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        (place / "source").mkdir(exist_ok=True)
        shutil.copy(ROOT / name, place / "source")
    for name in ("exact_census", "kernels", "workflow", "allocations"):
        shutil.copytree(ROOT / name, place / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", place, place / "source"]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = place.glob("*.whl")
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-index", "--target", place / "site", wheel], check=True
    )
    return place / "site"


def run_installed(site: Path, folder: Path, *command: str) -> str:
    """Output of Python with the wheel in place of the checkout, which is made unreachable."""
    blocked = "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f).lower()]"
    (folder / "sitecustomize.py").write_text(blocked)
    environment = os.environ | {
        "PYTHONPATH": f"{folder}{os.pathsep}{site}",
        "EXACT_CENSUS_CACHE": str(folder / "cache"),
        "NUMBA_OPT": "0",  # the kernels are compiled anew, and run once
    }
    run = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_wheel_brings_one_name_and_all_its_files(installed: Path) -> None:
    names = {path.name for path in installed.iterdir()} - {"bin"}
    assert {name for name in names if not name.endswith(".dist-info")} == {"exact_census"}
    below = installed / "exact_census"
    for folder, pattern in (
        ("allocations", "**/*.*"),
        ("kernels", "**/*.py"),
        ("workflow", "**/*.py"),
        ("workflow/templates", "*"),
        ("workflow/rules", "*.smk"),
        ("workflow/profiles", "*/*.yaml"),
    ):
        assert {path.relative_to(ROOT) for path in (ROOT / folder).glob(pattern)} == {
            path.relative_to(below) for path in (below / folder).glob(pattern)
        }
    assert (below / "py.typed").is_file()


def test_the_wheel_s_imports_are_renamed_and_nothing_else_is(installed: Path) -> None:
    for file in (installed / "exact_census").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (kernels|workflow)\b", text, flags=re.MULTILINE), file
        inside = file.relative_to(installed / "exact_census")
        source = ROOT / (inside if inside.parts[0] in ("kernels", "workflow") else "exact_census" / inside)
        assert text.replace("from exact_census.", "from ") == source.read_text(encoding="utf-8").replace(
            "from exact_census.", "from "
        )


def test_the_wheel_works_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    program = (
        "import exact_census as ec, sys; "
        "pair = ec.Composition.from_pair(ec.load_allocation('dhc_persons_us'), 'M00', 'M00'); "
        "print(ec.__file__, ec.convert(pair.zcdp_rho, '1e-10').eps_zcdp.value, "
        "ec.epsilon(ec.Composition({1: 2}), '1e-10').value); "
        "print([name for name in sys.modules if name.split('.')[0] in ('kernels', 'workflow')])"
    )
    first, names = run_installed(installed, tmp_path, "-c", program).splitlines()
    file, eps_zcdp, eps = first.split()
    assert file == str(installed / "exact_census" / "__init__.py")
    assert float(eps_zcdp) == pytest.approx(26.340588852722)
    delta = ConvolutionTail({Fraction(1): 2}, bits=420).delta(Fraction(eps)).middle
    assert float(delta) == pytest.approx(1e-10, rel=1e-12)
    assert names == "[]"
    script = installed / "bin" / PROJECT["name"]
    for command in ((str(script),), ("-m", "exact_census")):
        told = run_installed(installed, tmp_path, *command, "validate", "dhc_persons_us")
        assert "dhc_persons_us" in told
