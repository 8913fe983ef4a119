"""What is known of a joint release without joint accounting: the sum of the products' exact eps."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from kernels.intervals.interval import ZERO, Interval


def loose_sum(epsilons: Sequence[Callable[[Fraction], Interval]], delta: Fraction) -> Interval:
    """Sum of the products' exact eps, each at an equal part of delta.

    By basic composition the joint release is (sum of eps_k, sum of delta_k)-differentially private. It can
    be no smaller than the exact joint eps. epsilons: each product's exact eps as a function of delta.
    """
    result = ZERO
    for epsilon in epsilons:
        result = result + epsilon(delta / len(epsilons))
    return result
