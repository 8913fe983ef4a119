"""How every program here ends: an error that can be expected is one line on standard error, and a code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from kernels.errors import Refused
from workflow.errors import INTERRUPTED, REFUSED, PlainError
from workflow.words import file_name, one_line


def run(main: Callable[[], object], program: str = "") -> None:
    """Call main, and end as `end` says when it raises. `program` is by default the script's name."""
    try:
        main()
        sys.stdout.flush()
    except BaseException as error:
        end(error, program or Path(sys.argv[0]).stem)


def options(description: str | None, **kinds: type) -> argparse.Namespace:
    """The command line of a rule's script: an option of each name and kind, all of them required."""
    parser = argparse.ArgumentParser(description=description)
    for name, kind in kinds.items():
        parser.add_argument(f"--{name}", required=True, type=kind, metavar=kind.__name__.upper())
    return parser.parse_args()


def end(error: BaseException, program: str) -> NoReturn:
    """Exit after one line, with a PlainError's own code, or with 1 when the kernels refuse or the system has
    no memory or file for it. Any other error is raised again, with its traceback."""
    if isinstance(error, PlainError):
        line, code = error.line(), error.exit_code
    elif isinstance(error, Refused):
        line, code = one_line(error), REFUSED
    elif isinstance(error, MemoryError):
        line, code = "this needs more memory than there is", REFUSED
    elif isinstance(error, OSError):
        name = file_name(error.filename or "input or output", error)
        line, code = one_line(f"{name}: {error.strerror or error}"), REFUSED
    elif isinstance(error, KeyboardInterrupt):
        line, code = "interrupted", INTERRUPTED
    else:
        raise error
    complain(program, line)
    sys.exit(code)


def complain(program: str, line: str) -> None:
    """Say something on standard error under the program's name."""
    print(f"{program}: {line}", file=sys.stderr, flush=True)
