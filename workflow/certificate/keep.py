"""Whether a certificate still stands, so that a run which asks for no sample keeps a larger one."""

from __future__ import annotations

from math import inf
from pathlib import Path

from workflow.code_digest import code_digest
from workflow.files import read_json

USUAL_SAMPLE = 100
"""Stored values that are re-derived by default."""


def certifying_code() -> str:
    """SHA-256 (hexadecimal) of the code that certifies, and of all that it imports; comments do not count."""
    return code_digest("workflow/certificate/make.py")


def stands(path: Path, sample: int | None, results_digest: str | None = None) -> bool:
    """Whether a certificate was made by today's code, of as many values as asked for.

    sample: None: of USUAL_SAMPLE or more. results_digest: of these results; None: of any results.
    """
    try:
        certificate = read_json(path)
        asked = certificate["sample"]["asked"] or inf
        return (
            certificate["code"] == certifying_code()
            and (asked >= USUAL_SAMPLE if sample is None else asked == sample)
            and results_digest in (None, certificate["file_digest"])
        )
    except (OSError, ValueError, LookupError, TypeError):
        return False
