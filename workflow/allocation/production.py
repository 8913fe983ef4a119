"""Whether an allocation is one of the Census Bureau's production runs: by its rhos, not by its name."""

from __future__ import annotations

import hashlib
import json

from kernels.accounting.census.allocation import Allocation

#: Of the shipped files: which rho has which query at which level.
_PRODUCTION = frozenset(
    (
        "a56705ea9a68cff3f7ab4d760d5d08d441cdeb04628711ce6c283a9686e44a54",  # dhc_persons_us
        "dca8d46f56c1982aa8d83b95b03d1b2cb1563d9b4cbb80b20adb7e6d14ff1d66",  # dhc_persons_pr
        "ae31494769e0b638eefb95c88adb28791dcf55d4e2a735e304be511e0f806177",  # dhc_households_us
        "17186edc8b11db17f39147fff10e0d0b1a117c2b50a8f473a802a6fc53c15b92",  # dhc_households_pr
        "99acfc6c9dcf6e4a7212d41901a30aed80af513d712595d51d8e84aabb6b7bf1",  # pl94_persons_us
        "d7da08f217420bc92700bff146d5718f5ed766ea132e7e82e816cef6f5d053db",  # pl94_persons_pr
        "cf9f304fe8d665c80a51753e560a57b4bbc76b0b75f37e4efb01918c911f3fcd",  # pl94_units_us
        "c84b5eda217cffbf816ccc4877b386260ed521efc0d689de91de374014ec2f91",  # pl94_units_pr
    )
)


def is_production(allocation: Allocation) -> bool:
    """Whether the noise is that of a production run of the 2020 Census, or of several together."""
    if allocation.products:
        return all(map(is_production, allocation.products))
    return budget_digest(allocation) in _PRODUCTION


def zcdp_name(published: bool) -> str:
    """What a report calls the conversion rho + 2 sqrt(rho ln(1/delta)): the Census Bureau's where all noise
    is that of its production runs."""
    return "Census zCDP" if published else "standard zCDP"


def budget_digest(allocation: Allocation) -> str:
    """SHA-256 (hexadecimal) of levels, queries and rhos, whatever order the queries are in."""
    content = [
        [level, sorted((query, str(rho)) for query, rho in allocation.rho[level].items())]
        for level in allocation.levels
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
