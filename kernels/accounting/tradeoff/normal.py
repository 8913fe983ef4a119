"""The standard normal law far into its tails, in doubles: where searches start, never a bound."""

import math

_HALF = math.log(0.5)
_FARTHEST = 40.0  # beyond it 1 - Phi is no double
_STEPS = 8  # each about doubles the digits


def mills(x: float) -> float:
    """Phi(-x) / phi(x)."""
    if x < 20.0:
        return math.sqrt(math.pi / 2.0) * math.exp(min(0.5 * x * x, 700.0)) * math.erfc(x / math.sqrt(2.0))
    return 1.0 / (x + 1.0 / (x + 2.0 / (x + 3.0 / x)))


def quantile(log_tail: float) -> float:
    """The z with ln Phi(-z) = log_tail, any negative number."""
    if log_tail > _HALF:
        other = -math.expm1(log_tail)
        return -quantile(math.log(other)) if other > 0.0 else -_FARTHEST
    z = math.sqrt(-2.0 * log_tail)
    for _ in range(_STEPS):  # Newton; the logarithm is concave, and the start right of the root
        value = -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) + math.log(mills(z))
        z += (value - log_tail) * mills(z)
    return z
