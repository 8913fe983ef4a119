"""What the optimal mechanism looks like, as a name for maps and tables."""

from __future__ import annotations

from typing import Literal, get_args

from kernels.uldp.saddle import Saddle

Regime = Literal["randomised response", "mixture", "single size"]
REGIMES: tuple[Regime, ...] = get_args(Regime)


def regime(saddle: Saddle) -> Regime:
    """uRR (k = 1 alone), a mixture of sizes, or one size k >= 2."""
    if len(saddle.sizes) > 1:
        return "mixture"
    return "randomised response" if saddle.sizes == (1,) else "single size"
