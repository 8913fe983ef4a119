"""The scaled law of T: its moments, the tilts that suit it, and its tails under them."""

import math
from fractions import Fraction

import numpy as np

from kernels.numerics.nodes.plan import Plan
from kernels.numerics.nodes.theta import SMALL_LOSS
from kernels.numerics.relative.tilted_sums import log_norms

_NEARLY_GAUSSIAN = 8.0  # from this g on the mean of a tilted cell is its tilt to 0.01
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_TINY = 2.0**-1022  # least normal double: the logarithm of 0 is not asked for
_CHERNOFF_STEPS = tuple(2.0**k for k in range(1, -9, -1))


class ScaledLaw:
    """The law of T of a planned composition, all rhos scaled by one factor, in doubles.

    h, r: lattice step and total rho; g, count: [d], of every distinct rho; log_at_zero: ln of the norm
    without tilt, [d]; window: points of a window above a threshold. A tilt mu is a multiple of step = unit /
    bottom, a power of 2 in (1/2, 1] / sqrt(r); first_right: the least multiple above 1 in use.
    """

    def __init__(self, plan: Plan, scale: Fraction) -> None:
        spacing, total = plan.spacing * scale, plan.total * scale
        self.h, self.r = float(spacing), float(total)
        self.g, self.count = plan.factors.g[:, 0] / float(scale), plan.factors.count
        self.log_at_zero = log_norms(self.g, 0.0)
        self.window = plan.modulus // 2
        self._above = float(self.window * spacing) * (1.0 - 1e-12)
        self._below = float((plan.modulus - self.window) * spacing) * (1.0 - 1e-12)
        exponent = math.floor(-0.5 * math.log2(self.r))
        self.step = 2.0**exponent
        self.unit, self.bottom = 2 ** max(exponent, 0), 2 ** max(-exponent, 0)
        self.first_right = self.bottom + 1 if self.bottom > 1 else 1 + (self.unit == 1)

    def log_moment(self, mu: float) -> float:
        """ln E exp(mu T)."""
        difference = log_norms(self.g, mu) - self.log_at_zero
        return 0.5 * mu * (mu - 1.0) * self.r + float(self.count @ difference)

    def tilts(self, t: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """mu / step near the saddle point, and whether mu lies between the poles, [m].

        t: thresholds; gap: distance of each from its eps. The steps are few, so that many eps share one.
        """
        middle = (2.0 * t < self.r) & (self.r > 4.0)
        saddle = 0.5 + t / self.r
        if self.g.min() < _NEARLY_GAUSSIAN:
            saddle = np.array(
                [self._least_integrand(*row) for row in zip(t, gap, middle, saddle, strict=True)]
            )
        steps = np.rint(saddle / self.step)
        steps = np.where(middle, np.clip(steps, 1, self.bottom - 1), np.maximum(steps, self.first_right))
        return steps.astype(np.int64), middle

    def _least_integrand(self, t: float, gap: float, middle: bool, gaussian: float) -> float:
        """The mu at which the profile's integrand is least, by golden section, as it is convex.

        It serves where some cell is far from a continuous Gaussian; gaussian: the saddle point if none were.
        """
        h = self.h

        def integrand(mu: float) -> float:
            p_first = -math.expm1(-mu * h)
            if middle:
                size = math.exp((mu - 1.0) * h) / -math.expm1((mu - 1.0) * h) + math.exp(-gap) / p_first
            else:
                decay = math.exp(-(mu - 1.0) * h)
                size = (-math.expm1(-gap) - decay * math.exp(-gap) * math.expm1(gap - h)) / (
                    -math.expm1(-(mu - 1.0) * h) * p_first
                )
            return self.log_moment(mu) - (mu - 1.0) * t + math.log(max(size, _TINY))

        step = self.step
        low, high = (
            (0.1 * step, 1.0 - 0.1 * step)
            if middle
            else (1.0 + 0.1 * step, max(gaussian, 1.0) + 4.0 * step + 4.0)
        )
        for _ in range(60):
            if high - low < 0.3 * step:
                break
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            low, high = (low, right) if integrand(left) < integrand(right) else (left, high)
        return 0.5 * (low + high)

    def outside(self, mu: float, t: np.ndarray, loss: float) -> np.ndarray:
        """Twice the tilted probability of the points outside the windows, [m].

        It bounds aliasing and truncation together. loss: ln of prod (Z_0 / Z_mu)^count, rounded up.
        """
        if loss < SMALL_LOSS:
            mean = (mu - 0.5) * self.r - t
            sides = np.maximum(np.stack([self._above - mean, self._below + mean]), 0.0)
            return 2.0 * np.exp(np.minimum(loss - sides**2 / (2.0 * self.r), 0.0)).sum(axis=0)
        centre = self.log_moment(mu)
        total = np.zeros_like(t)
        for side in (
            self._above,
            -self._below,
        ):  # Chernoff: P(T >= t + side) <= exp(K(mu + u) - K(mu) - u (t + side))
            steps = [factor * side / self.r for factor in _CHERNOFF_STEPS]
            powers = np.min([self.log_moment(mu + u) - centre - u * (t + side) for u in steps], axis=0)
            total += np.exp(np.minimum(powers, 0.0)) * (1.0 + 1e-6)
        return 2.0 * total
