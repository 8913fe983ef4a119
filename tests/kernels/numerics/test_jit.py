"""Compilation options, the fused multiply-add, and where compiled code is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction as F
from importlib import import_module
from pathlib import Path

import numba
import pytest
from hypothesis import example, given
from numba.core.dispatcher import Dispatcher

from kernels.numerics.arithmetic import jit
from kernels.numerics.arithmetic.jit import cache_folder, fma, kernel
from tests.kernels.numerics.exact import MANY, doubles

KERNELS = Path(jit.__file__).parents[2]
VARIABLES = ("EXACT_CENSUS_CACHE", "XDG_CACHE_HOME", "HOME")


@kernel
def fused(a: float, b: float, c: float) -> float:
    return fma(a, b, c)


@MANY
@given(doubles(-200, 200), doubles(-200, 200), doubles(-200, 200))
@example(1.0 + 2.0**-52, 1.0 - 2.0**-53, -1.0)
@example(2.0**-300, 2.0**-300, 1.0)
@example(1.0 + 2.0**-30, 1.0 + 2.0**-30, 2.0**-60)
def test_fma_rounds_once(a: float, b: float, c: float) -> None:
    assert fused(a, b, c) == float(F(a) * F(b) + F(c))


def sources(package: Path) -> list[Path]:
    """Every file whose code is compiled or called by compiled code."""
    return [
        file for folder in ("numerics", "uldp/sampling") for file in sorted((package / folder).rglob("*.py"))
    ]


def test_every_kernel_is_compiled_strictly() -> None:
    compiled = {}
    for source in sources(KERNELS):
        module = import_module(".".join(("kernels", *source.relative_to(KERNELS).with_suffix("").parts)))
        kernels = {name: value for name, value in vars(module).items() if isinstance(value, Dispatcher)}
        compiled |= {f"{source.stem}.{name}": value for name, value in kernels.items()}
    expected = {"triple.two_prod", "elementary.exp", "theta.product_triple", "tilted_sums.tilted_phi"}
    assert expected <= set(compiled)
    for function in compiled.values():
        options = function.targetoptions
        assert options["fastmath"] is False
        assert options["nopython"] is True
        assert options["error_model"] == "numpy"
        assert not options.get("parallel", False)


def test_nothing_is_compiled_outside_the_sources_of_the_key() -> None:
    compiling = {
        file for file in KERNELS.rglob("*.py") if "arithmetic.jit" in file.read_text(encoding="utf-8")
    }
    assert compiling <= set(sources(KERNELS))


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """None of the variables that name a cache; temporary folders in a place of their own."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return monkeypatch


OWN, XDG, HOME, BLOCKED = "own", "xdg", "home", "file/below"  # below a file no folder can be made


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ((OWN, XDG, HOME), OWN),
        ((None, None, HOME), "home/.cache/exact-census"),
        ((None, XDG, HOME), "xdg/exact-census"),
        ((BLOCKED, None, HOME), "home/.cache/exact-census"),
        ((None, None, None), "temporary"),
        ((None, None, BLOCKED), "temporary"),
    ],
)
def test_the_first_folder_that_takes_files_is_used(
    environment: pytest.MonkeyPatch, tmp_path: Path, folders: tuple[str | None, ...], expected: str
) -> None:
    (tmp_path / "file").write_text("")
    for name, folder in zip(VARIABLES, folders, strict=True):
        if folder:
            environment.setenv(name, str(tmp_path / folder))
    found = cache_folder()
    assert found.is_dir()
    assert found.parent == tmp_path / expected
    assert {path.name for path in tmp_path.iterdir()} == {"file", "temporary", expected.split("/")[0]}


def test_a_temporary_folder_is_private(environment: pytest.MonkeyPatch) -> None:
    first, second = cache_folder(), cache_folder()
    for folder in (first, second):
        assert folder.name.startswith("exact-census-")
        assert folder.stat().st_mode & 0o077 == 0
    assert first != second


def test_a_read_only_folder_is_passed_over(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that exists but takes no files, as on a read-only file system."""

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    environment.setenv("EXACT_CENSUS_CACHE", str(tmp_path / "own"))
    environment.setattr(tempfile, "NamedTemporaryFile", refuse)
    assert cache_folder().parent == tmp_path / "temporary"


def test_the_folder_changes_with_every_source(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("EXACT_CENSUS_CACHE", str(tmp_path / "own"))
    here = cache_folder()
    package = tmp_path / "kernels"
    shutil.copytree(KERNELS, package, ignore=shutil.ignore_patterns("__pycache__"))
    environment.setattr(jit, "__file__", str(package / "numerics" / "arithmetic" / "jit.py"))
    assert cache_folder() == here  # the same sources elsewhere
    seen = {here}
    for source in sources(package):
        source.write_bytes(source.read_bytes() + b"\n")
        seen.add(cache_folder())
    assert len(seen) == 1 + len(sources(package))
    (package / "numerics" / "nodes" / "another.py").write_text("X = 1\n")
    seen.add(cache_folder())
    environment.setattr(numba, "__version__", "0.0")
    assert cache_folder() not in seen


COMPILE = """
from kernels.numerics.arithmetic.triple import two_sum
assert two_sum(1.0, 2.0**-80) == (1.0, 2.0**-80)
"""


def test_compiled_code_lands_in_the_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "EXACT_CENSUS_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", COMPILE], env=environment, check=True, timeout=300)
    assert list((tmp_path / "cache").glob("*/**/*.nbi"))


def test_many_first_time_processes_share_a_cache(tmp_path: Path) -> None:
    """As the ranks and shards of a first run do: all write the same files at once, then others read them."""
    environment = {**os.environ, "EXACT_CENSUS_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", COMPILE]
    for _ in range(2):
        processes = [subprocess.Popen(command, env=environment) for _ in range(6)]
        assert [process.wait(300) for process in processes] == [0] * 6
    assert not list((tmp_path / "cache").glob("*/**/*.tmp*")), "every file was written whole"
