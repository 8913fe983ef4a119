"""What is computed for every pair, besides its cells."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolution of a batch evaluation.

    deltas: exact failure probabilities at which eps and the variance reduction are given.
    thresholds: least number of points of each trade-off curve (fewer only where the lattice has fewer).
    eps_points: number of points of each privacy profile.
    """

    deltas: tuple[Fraction, ...] = (Fraction(1, 10**6), Fraction(1, 10**10), Fraction(1, 10**11))
    thresholds: int = 1001
    eps_points: int = 256

    def text(self) -> str:
        """Canonical text, for content keys."""
        deltas = ",".join(str(delta) for delta in self.deltas)
        return f"deltas={deltas};thresholds={self.thresholds};eps_points={self.eps_points}"

    def as_json(self) -> dict[str, list[str] | int]:
        """JSON values, deltas as exact text."""
        deltas = [str(delta) for delta in self.deltas]
        return {"deltas": deltas, "thresholds": self.thresholds, "eps_points": self.eps_points}
