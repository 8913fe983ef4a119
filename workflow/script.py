"""What the scripts of the rules share: errors that can be expected end them with one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from workflow.errors import PlainError, refusal

_PACKAGES = ("exact-census", "h5py", "mpi4py", "numba", "numpy", "python-flint", "snakemake")


def run(main: Callable[[], object]) -> None:
    """Call main and exit: 0, or after one line on standard error with a PlainError's own `exit_code` (2 when
    the input is at fault), with 1 when the kernels refuse or the system has no memory or file for it.
    """
    try:
        main()
    except PlainError as error:
        _end(error, error.exit_code)
    except MemoryError:
        _end("MemoryError: this needs more memory than there is", 1)
    except OSError as error:
        _end(f"OSError: {error.filename or 'input or output'}: {error.strerror or error}", 1)
    except (ValueError, ArithmeticError) as error:
        refused = refusal(error)
        if refused is None:
            raise
        _end(refused, refused.exit_code)


def _end(error: PlainError | str, code: int) -> NoReturn:
    line = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    print(line, file=sys.stderr, flush=True)
    sys.exit(code)


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
