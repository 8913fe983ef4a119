"""The guarantee of a composition at one eps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kernels.intervals.interval import DOWN, ONE, UP, ZERO, Interval, exponential

#: Relative width of delta that the relative tier is meant for.
PROMISED = Decimal("1e-12")
#: Probabilities below 10^-MOST_DECADES are told to be no more than that.
MOST_DECADES = 10**17


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


def negligible(eps: Fraction) -> ProfilePoint:
    """Where all three are at most 10^-MOST_DECADES."""
    tiny = Interval(ZERO.value, ZERO.value, Decimal((0, (1,), -MOST_DECADES)))
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
