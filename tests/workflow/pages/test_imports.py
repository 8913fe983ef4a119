"""Pages read results: drawing them loads no compiler."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["page", "study_page", "answer"])
def test_pages_do_not_load_numba(module: str) -> None:
    code = f"import sys, workflow.pages.{module}; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
