"""What only reads files, answers in exact numbers or checks what people write does not load the compiler,
which takes a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT

#: Modules of the kernels, scripts of rules that compute nothing anew, what the Snakefile imports: each with
#: all that it imports.
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
    *("workflow.scripts.aggregate", "workflow.scripts.report", "workflow.scripts.scan"),
    *("workflow.scripts.uldp_plan", "workflow.scripts.uldp_aggregate", "workflow.scripts.uldp_report"),
    *("workflow.pipeline.settings", "workflow.design.scan", "workflow.study.run", "workflow.pages.answer"),
]


@pytest.mark.parametrize("module", FREE)
def test_what_reads_does_not_load_the_compiler(module: str) -> None:
    program = f"import sys, {module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
