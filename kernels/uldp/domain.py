"""The set of symbols: v sensitive ones, numbered 0 .. v-1, then w - v others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Domain:
    """w symbols, the first v of them sensitive. Raises ValueError unless 1 <= v <= w and w >= 2."""

    symbols: int
    sensitive: int

    def __post_init__(self) -> None:
        if self.symbols < 2:
            raise ValueError(f"there must be at least 2 symbols, not {self.symbols}")
        if not 1 <= self.sensitive <= self.symbols:
            raise ValueError(f"sensitive symbols must number 1 to {self.symbols}, not {self.sensitive}")

    @property
    def others(self) -> int:
        """w - v, the number of symbols that are not sensitive."""
        return self.symbols - self.sensitive

    def uniform_parts(self, alpha: Fraction) -> list[Fraction]:
        """P_alpha, [w]: alpha shared evenly by the sensitive symbols, the rest by the others. Without others
        alpha is 1, whatever is given."""
        if not self.others:
            return [Fraction(1, self.sensitive)] * self.sensitive
        return [alpha / self.sensitive] * self.sensitive + [(1 - alpha) / self.others] * self.others
