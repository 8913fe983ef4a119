"""What a privacy guarantee means to an attacker who tests whether a record is as they think.

The attacker decides between two neighbours, P and Q. A test that claims Q with false-positive rate alpha
misses at least f(alpha) of the times when Q is true. So its claim multiplies the odds of Q by at most
(1 - f(alpha)) / alpha. The membership advantage, true-positive minus false-positive rate of the best test, is
the total variation distance, delta(0).
"""

from fractions import Fraction

from kernels.accounting.profile_point import Profile
from kernels.intervals.interval import INFINITE, ONE, ZERO, Interval, exponential, from_fraction

FALSE_POSITIVE_RATES = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))


def odds_factor(alpha: Fraction, miss: Interval) -> Interval:
    """Factor by which the claim of a test with these error rates multiplies the odds of Q."""
    return INFINITE if alpha == 0 else (1 - miss) / from_fraction(alpha)


def posterior(prior: Fraction, factor: Interval) -> Interval:
    """Probability of Q after its odds, those of `prior`, were multiplied by a factor."""
    if prior in (0, 1) or factor == INFINITE:
        return ONE if prior else ZERO
    odds = from_fraction(prior / (1 - prior)) * factor
    small, large = odds / (ONE + odds), 1 - doubt(prior, factor)
    return small.meet(large).clipped()


def doubt(prior: Fraction, factor: Interval) -> Interval:
    """1 - posterior, to all digits also where the posterior is nearly 1: 1 / (1 + odds)."""
    if prior in (0, 1) or factor == INFINITE:
        return ZERO if prior else ONE
    odds = from_fraction(prior / (1 - prior)) * factor
    return ONE / (ONE + odds)


def largest_factor(eps: Interval) -> Interval:
    """e^eps, which the odds grow by at most unless T > eps."""
    if eps == INFINITE:
        return INFINITE
    value, lower, upper = (exponential(Fraction(part)) for part in (eps.value, eps.lower, eps.upper))
    return Interval(value.value, lower.lower, upper.upper)


def exceeded(profile: Profile, eps: Interval) -> Interval:
    """Q(T > eps): how often, Q being true, the release multiplies the odds of Q by more than e^eps."""
    if eps == INFINITE:
        return ZERO
    low, high = profile([Fraction(eps.lower), Fraction(eps.upper)])
    lower, upper = high.power.lower, low.power.upper
    return Interval(min(max(low.power.value, lower), upper), lower, upper)
