"""What only reads files or answers in exact numbers does not load the compiler, which takes a second."""

import subprocess
import sys

import pytest

from tests.paths import ROOT

#: Each with all that it imports.
FREE = [
    *(f"kernels.intervals.{file.stem}" for file in sorted((ROOT / "kernels/intervals").glob("[a-z]*.py"))),
    "kernels.accounting.settings",
    "kernels.accounting.result",
    "kernels.accounting.attack",
    "kernels.accounting.sum_law",
    "kernels.accounting.bounds.gaussian",
    "kernels.accounting.bounds.zcdp",
    "kernels.accounting.tradeoff.search",
    "kernels.accounting.tradeoff.tabulated",
    "kernels.accounting.census.geography",
    "kernels.accounting.census.joint",
    "kernels.accounting.design.rescale",
    "kernels.accounting.closeness.edgeworth",
]


@pytest.mark.parametrize("module", FREE)
def test_modules_that_need_no_compiler_do_not_load_it(module: str) -> None:
    program = f"import sys, {module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
