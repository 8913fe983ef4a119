"""Keys by which a stored result or a written file is known to be still right."""

from __future__ import annotations

import hashlib
import json

from kernels import KERNEL_VERSION
from kernels.accounting.census.allocation import Allocation
from kernels.accounting.composition import Composition
from kernels.accounting.settings import Settings


def content_key(composition: Composition, settings: Settings) -> str:
    """SHA-256 (hexadecimal) of all that determines a result: its cells, the settings, the kernels' version.

    Two pairs of mechanisms with the same cells have the same key, and so share one computation.
    """
    text = f"{composition.digest()}\n{settings.text()}\n{KERNEL_VERSION}\n"
    return hashlib.sha256(text.encode()).hexdigest()


def settings_of(allocation: Allocation) -> Settings:
    """The settings with which an allocation's pairs and levels are evaluated."""
    resolution = allocation.resolution
    return Settings(allocation.deltas, resolution.thresholds, resolution.eps_points)


def allocation_digest(allocation: Allocation) -> str:
    """SHA-256 (hexadecimal) of what an allocation file says. Comments, layout and spelling of numbers do not
    count."""
    content = {
        "name": allocation.name,
        "title": allocation.title,
        "source": allocation.source,
        "neighbours": allocation.neighbours,
        "rho": [
            [level, [[query, str(rho)] for query, rho in allocation.rho[level].items()]]
            for level in allocation.levels
        ],
        "absorbing_levels": allocation.absorbing_levels,
        "fixed_digits": dict(allocation.fixed_digits),
        "patterns": allocation.patterns,
        "settings": settings_of(allocation).text(),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def short_digest(*parts: str) -> str:
    """16 hexadecimal digits of the SHA-256 of some texts, for the name of a file."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
