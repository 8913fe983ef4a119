"""The one line that something is refused with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workflow.errors import ConfigError


def refused(call: Callable[..., object], *arguments: object, error: type[Exception] = ConfigError) -> str:
    """The message of the error that a call must raise: one line."""
    with pytest.raises(error) as caught:
        call(*arguments)
    line = str(caught.value)
    assert line.isprintable()
    return line
