"""The guarantee of a composition at one eps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kernels.intervals.interval import DOWN, ONE, UP, ZERO, Interval, exponential

#: Relative width of delta that the relative tier is meant for.
PROMISED = Decimal("1e-12")
#: Below 10^-this a probability is reported as at most that: Decimals end at ten times this exponent.
_MOST_DECADES = 10**17


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """delta(eps), alpha = P(T > eps) and power = Q(T > eps)."""

    eps: Fraction
    delta: Interval
    alpha: Interval
    power: Interval

    @property
    def is_sharp(self) -> bool:
        """Whether delta is known as well as promised."""
        return self.delta.width <= UP.multiply(PROMISED, self.delta.value)

    def meet(self, other: "ProfilePoint") -> "ProfilePoint":
        """What both say about the same eps."""
        return ProfilePoint(
            self.eps,
            self.delta.meet(other.delta),
            self.alpha.meet(other.alpha),
            self.power.meet(other.power),
        )


#: The guarantees of a composition at any real eps.
Profile = Callable[[Sequence[Fraction]], Sequence[ProfilePoint]]


def negligible(eps: Fraction, total: Fraction) -> ProfilePoint | None:
    """The point where all three are too small for more than an upper bound, else None. total: R; by the
    sub-Gaussian bound all three are at most 10^-D with D = (eps - R/2)^2 / (5 R), as ln 10 < 5/2."""
    if max(eps - total / 2, Fraction(0)) ** 2 / (5 * total) < _MOST_DECADES:
        return None
    tiny = Interval(ZERO.value, ZERO.value, Decimal((0, (1,), -_MOST_DECADES)))
    return ProfilePoint(eps, tiny, tiny, tiny)


def certain(eps: Fraction) -> ProfilePoint:
    """Of no cell at all: T = 0."""
    if eps >= 0:
        return ProfilePoint(eps, ZERO, ZERO, ZERO)
    return ProfilePoint(eps, 1 - exponential(eps), ONE, ONE)


def almost_certain(eps: Fraction, doubt: Decimal) -> ProfilePoint:
    """At an eps below 0 with P(T <= eps) and Q(T <= eps) at most `doubt`: delta(eps) = 1 - e^eps + e^eps
    delta(-eps), and delta(-eps) <= P(T <= eps)."""
    delta = 1 - exponential(eps)
    most = Interval(ONE.value, DOWN.subtract(1, doubt), ONE.value)
    return ProfilePoint(eps, Interval(delta.value, delta.lower, UP.add(delta.upper, doubt)), most, most)
