"""The command line for tests, in this process: its answers, tables and complaints."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from tests import paths
from workflow.cli.main import main

TINY = str(paths.TINY)
FIRST_PAIR = ("--allocation", "dhc_persons_us", "--pair", "000000,000000")
TINY_PAIR = ("--allocation", TINY, "--pair", "00,10")


def invoke(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, list(arguments), prog_name="exact-census")


def answer(*arguments: str) -> dict[str, Any]:
    """The JSON document of a command that must succeed with nothing on stderr."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def table(*arguments: str) -> str:
    """The table of a command that must succeed with nothing on stderr."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def complaint(code: int, *arguments: str) -> str:
    """The one line on stderr of a command that must fail with this exit code and print nothing else."""
    result = invoke(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("exact-census")
    return result.stderr
