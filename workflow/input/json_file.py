"""JSON that the workflow wrote itself, and that may have been damaged since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> Any:
    """What a file holds. Raises OSError, and ValueError when that is not JSON, or nested too deeply."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def whole(value: Any) -> int:
    """A number of things. Raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r:.80} is not a number of things")
    return value
