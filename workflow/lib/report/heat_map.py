"""The heat map of all pairs: eps against that of the first pair, in classes of one decade per colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, log10

from .numbers import ten_to

# From far below to far above (blue to vermillion, both from the Okabe-Ito set, through white).
BELOW = ("#cfe5f3", "#8fc1e0", "#4195c8", "#005a8e")
ABOVE = ("#fbdcc8", "#f3ac80", "#e0742f", "#a34600")
SAME = "#ffffff"
MOST_MECHANISMS = 128  # above that, squares would be smaller than a pixel


@dataclass(frozen=True, slots=True)
class Scale:
    """Colour classes: no colour while |difference| < 10^bottom, then one decade per colour."""

    bottom: int

    @classmethod
    def fitting(cls, differences: Sequence[Sequence[Decimal]], uncertainty: Decimal) -> Scale:
        """The scale whose strongest colour is the decade of the largest difference, unless that would give
        colours to differences that are not larger than `uncertainty` (> 0)."""
        largest = max(abs(value) for row in differences for value in row)
        certain = ceil(log10(uncertainty))
        return cls(max(ceil(log10(largest)) - len(ABOVE), certain) if largest > 0 else certain)

    def colour(self, difference: Decimal) -> int:
        """Class of a difference: 0 for none, else 1 to 4 for a rise and -1 to -4 for a fall."""
        if abs(difference) < Decimal(1).scaleb(self.bottom):
            return 0
        decade = min(difference.adjusted() - self.bottom + 1, len(ABOVE))
        return decade if difference > 0 else -decade

    def legend(self) -> list[tuple[int, str]]:
        """(class, meaning) from the strongest fall to the strongest rise."""
        falls = [(-k, self._decade(k, "−")) for k in range(len(BELOW), 0, -1)]
        same = [(0, f"within ± {ten_to(self.bottom)}")]
        return falls + same + [(k, self._decade(k, "+")) for k in range(1, len(ABOVE) + 1)]

    def _decade(self, k: int, sign: str) -> str:
        low, high = ten_to(self.bottom + k - 1), ten_to(self.bottom + k)
        return f"{sign}{low} to {sign}{high}"


def fill(colour: int) -> str:
    """The colour of a class."""
    if colour == 0:
        return SAME
    return ABOVE[colour - 1] if colour > 0 else BELOW[-colour - 1]
