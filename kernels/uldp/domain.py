"""The set of symbols: v sensitive ones, numbered 0 .. v-1, then w - v others."""

from __future__ import annotations

from dataclasses import dataclass


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
