"""Results that are already there: looked up by content key in any result file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from workflow.results.curves import DamagedError, StoredResult, StoreError, open_results


def find_results(
    keys: Iterable[str], files: Iterable[Path], tell: Callable[[str], None] = lambda line: None
) -> dict[str, StoredResult]:
    """Results with these keys, by key, from the first file that holds them undamaged.

    Files and groups that cannot be used are passed over, after `tell` was given the reason.
    """
    missing = set(keys)
    found: dict[str, StoredResult] = {}
    for path in files:
        if not missing:
            break
        try:
            with open_results(path) as results:
                for row in results.index():
                    if row["key"] in missing:
                        try:
                            found[row["key"]] = results.read_verified(row["path"])
                            missing.discard(row["key"])
                        except DamagedError as error:  # of one group; the others may be whole
                            tell(f"not reused: {error}")
        except StoreError as error:
            tell(f"not reused: {error}")
    return found
