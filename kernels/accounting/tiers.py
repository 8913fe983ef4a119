"""From the sums of the relative tier to intervals."""

from decimal import Decimal
from fractions import Fraction

from kernels.intervals.interval import DOWN, ONE, UP, Interval, exponential
from kernels.numerics.relative.tilt import Tails


def from_tails(tails: Tails, row: int, which: int) -> Interval:
    """Q (0), P (1) or delta (2) of one row of tilted sums, clipped to [0, 1]."""
    power = Fraction(tails.exponent[row], tails.exponent_denominator) + Fraction(float(tails.log_norm[row]))
    if which == 1:
        power -= Fraction(tails.t[row], tails.t_denominator)
    mantissa, error = Decimal(float(tails.mantissa[row, which])), Decimal(float(tails.error[row, which]))
    if not error.is_finite() or not mantissa.is_finite():
        return Interval(Decimal("0.5"), Decimal(0), Decimal(1))
    parts = Interval(
        max(mantissa, Decimal(0)),
        max(DOWN.subtract(mantissa, error), Decimal(0)),
        max(UP.add(mantissa, error), Decimal(0)),
    )
    number = parts * exponential(power)
    if tails.middle[row] and which != 1:
        number = 1 - number
    return number.clipped(Decimal(0), ONE.value)
