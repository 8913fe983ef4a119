"""What a scan file may hold: a typed model, closed at every level."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from workflow.input.model import Closed, Delta, File, LevelName, Rho, Share, Slug, count


class ScanFile(Closed):
    """A scan: every combination of total rhos and of shares of some levels is a candidate allocation.

    The other levels share what is left in the proportions of the base. denominator: rhos are rounded down to
    multiples of one over it.
    """

    name: Slug
    base: File
    shares: Annotated[dict[LevelName, Annotated[list[Share], Field(min_length=1)]], Field(min_length=1)]
    total_rho: Annotated[list[Rho], Field(min_length=1)] | None = None
    denominator: Annotated[int, count(1, 10**30)] | None = None
    deltas: Annotated[list[Delta], Field(min_length=1, max_length=100)] | None = None
