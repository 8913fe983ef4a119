"""What only reads files, or checks what people write, does not load the compiler, which takes a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.paths import ROOT

#: Scripts of rules that compute nothing anew, and what the Snakefile imports; each with all that it imports.
FREE = [
    *("workflow.scripts.aggregate", "workflow.scripts.report", "workflow.scripts.scan"),
    *("workflow.scripts.uldp_plan", "workflow.scripts.uldp_aggregate", "workflow.scripts.uldp_report"),
    *("workflow.pipeline.settings", "workflow.design.scan", "workflow.study.run", "workflow.pages.answer"),
]


@pytest.mark.parametrize("module", FREE)
def test_what_reads_does_not_load_the_compiler(module: str) -> None:
    program = f"import sys, {module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
