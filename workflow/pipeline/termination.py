"""SIGTERM, which schedulers send seconds before SIGKILL: at the time limit, when preempting, on scancel."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

_GRACE = 5  # seconds for rank 0 to end all ranks; if it is gone, the others go too


class Terminated(BaseException):
    """The scheduler wants this process to end."""


def end_early_on_sigterm() -> None:
    """Turn the first SIGTERM into Terminated, so that what is finished is kept; further ones are ignored."""
    signal.signal(signal.SIGTERM, _raise)


def outlive_sigterm() -> None:
    """Let rank 0 end all ranks: this one ends by itself only after some seconds."""
    signal.signal(signal.SIGTERM, lambda number, frame: signal.alarm(_GRACE) and None)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated("SIGTERM: time limit, preemption or scancel")
