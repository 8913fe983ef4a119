"""What the scripts of the rules share: expected errors end them with one line and exit code 2."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from workflow.lib.farm import FarmError
from workflow.lib.store import StoreError
from workflow.lib.text_tree import ConfigError
from workflow.lib.work_plan import WorkPlanError

_PACKAGES = ("exact-census", "h5py", "mpi4py", "numba", "numpy", "python-flint", "snakemake")


_EXPECTED: tuple[type[Exception], ...] = (ConfigError, FarmError, StoreError, WorkPlanError)


def run(main: Callable[[], None], *expected: type[Exception]) -> None:
    """Call main and exit: 0, or 2 after one line on standard error when the input is at fault, or with the
    error's own `exit_code`.

    `expected` are further exceptions whose text is such a line.
    """
    caught = _EXPECTED + expected
    try:
        main()
    except caught as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        sys.exit(getattr(error, "exit_code", 2))


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
