"""An accountant for Google's dp-accounting that composes discrete Gaussian noise exactly.

dp-accounting is not installed with this package; `pip install dp-accounting` brings it. Its own accountants
know the discrete Gaussian mechanism by its zCDP bound at most.

From an event to cells. The mechanism adds noise N_Z(0, sigma^2), P(x) proportional to exp(-x^2 / 2 sigma^2),
to every coordinate of an integer-valued query, whose values on neighbouring data differ by at most C =
`sensitivity` in the Euclidean norm. For C < 2 the difference is an integer vector with entries -1, 0 and 1,
of which at most C^2 are not 0. A coordinate that does not change releases nothing, so in the worst case k =
floor(C^2) coordinates change, or `dimension` if that is less; and as the noise is symmetric, a fall is as a
rise. So the event is k cells with rho = 1/sigma^2 and shift 1 (docs/method.md, section 1). Being one fixed
worst pair of laws, it composes exactly, also adaptively. C = 1 (a record is added to a histogram) is one
cell, C = sqrt(2) (a record of it is replaced) two. From C = 2 on one coordinate may change by 2, and events
are not supported.
"""

from __future__ import annotations

from fractions import Fraction
from math import expm1, floor, inf, nextafter
from typing import Any

import attr
from dp_accounting import dp_event
from dp_accounting.privacy_accountant import NeighboringRelation, PrivacyAccountant

from exact_census.composition import Composition
from exact_census.questions import delta, epsilon

__all__ = ["DiscreteGaussianDpEvent", "ExactAccountant"]

if hasattr(dp_event, "DiscreteGaussianDpEvent"):
    DiscreteGaussianDpEvent = dp_event.DiscreteGaussianDpEvent
else:  # the released versions up to 0.6.0

    @attr.s(frozen=True, slots=True, auto_attribs=True)
    class DiscreteGaussianDpEvent(dp_event.DpEvent):  # type: ignore[no-redef]
        """Discrete Gaussian noise with parameter sigma on an integer-valued query of that L2 sensitivity and
        number of coordinates (None: not known). As in dp-accounting's sources after 0.6.0."""

        sigma: float
        sensitivity: float = 1.0
        dimension: int | None = None


_CLOSE = Fraction(1, 2**51)  # what rounding sigma to a double changes sigma^2 by, with room to spare


class ExactAccountant(PrivacyAccountant):
    """Composes DiscreteGaussianDpEvent exactly; also composed, self-composed, no-op and non-private events.

    neighboring_relation: the one that the events' sensitivities are for; it changes no figure. denominator:
    None takes rho = 1/sigma^2 as the double sigma has it. Rhos of several such sigmas have so fine a lattice
    in common that eps may be out of reach. With a denominator every rho is the multiple of 1/denominator
    that sigma is the rounded square root of, such as 1/10 for sigma = math.sqrt(10); other sigmas are not
    supported.
    """

    def __init__(
        self,
        neighboring_relation: NeighboringRelation = NeighboringRelation.ADD_OR_REMOVE_ONE,
        denominator: int | None = None,
    ) -> None:
        super().__init__(neighboring_relation)
        self._denominator = denominator
        self._cells: dict[Fraction, int] = {}
        self._is_private = True

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        if isinstance(event, dp_event.NoOpDpEvent):
            return None
        if isinstance(event, dp_event.SelfComposedDpEvent):
            return self._maybe_compose(event.event, event.count * count, do_compose)
        if isinstance(event, dp_event.ComposedDpEvent):
            errors = (self._maybe_compose(part, count, do_compose) for part in event.events)
            return next((error for error in errors if error is not None), None)
        try:
            rho, cells = self._cells_of(event)
        except ValueError as error:
            return self.CompositionErrorDetails(invalid_event=event, error_message=str(error))
        if do_compose and cells:
            if rho is None:
                self._is_private = False
            else:
                self._cells[rho] = self._cells.get(rho, 0) + cells * count
        return None

    def _cells_of(self, event: Any) -> tuple[Fraction | None, int]:
        """rho, None where there is no noise, and the number of cells. Raises ValueError for other events."""
        if isinstance(event, dp_event.NonPrivateDpEvent):
            return None, 1
        if not isinstance(event, DiscreteGaussianDpEvent):
            raise ValueError("Unsupported event")
        sensitivity, dimension = event.sensitivity, event.dimension
        # One unit in the last place more, so that the double below sqrt(3) allows three changes, too.
        squared = Fraction(nextafter(sensitivity, inf)) ** 2 if 1 <= sensitivity < 2 else Fraction(0)
        if sensitivity != 0 and not 1 <= squared < 4:
            raise ValueError("sensitivity must be 0, or from 1 to below 2")
        if dimension is not None and (not isinstance(dimension, int) or dimension < 1):
            raise ValueError("dimension must be a positive whole number, or None")
        cells = floor(squared) if dimension is None else min(floor(squared), dimension)
        return self._rho_of(event.sigma), cells

    def _rho_of(self, sigma: float) -> Fraction | None:
        if sigma == 0:
            return None
        if not 1e-15 <= sigma <= 1e15:
            raise ValueError("sigma must be 0, or from 1e-15 to 1e15")
        rho = 1 / Fraction(sigma) ** 2
        if self._denominator is None:
            return rho
        near = Fraction(round(rho * self._denominator), self._denominator)
        if abs(near / rho - 1) > _CLOSE:
            raise ValueError(f"1/sigma^2 must be a multiple of 1/{self._denominator}")
        return near

    def get_epsilon(self, target_delta: float) -> float:
        """The least eps at which all events together are (eps, target_delta)-differentially private, rounded
        up. Raises InputError for a delta outside [0, 1], Refused where the answer is out of reach."""
        if not self._is_private:
            return inf
        return float(epsilon(Composition(self._cells), target_delta).upper) if self._cells else 0.0

    def get_delta(self, target_epsilon: float) -> float:
        """The least delta at which they are (target_epsilon, delta)-differentially private, rounded up.
        Raises as get_epsilon does."""
        if not self._is_private:
            return 1.0
        if not self._cells and target_epsilon < 0:
            return nextafter(-expm1(target_epsilon), 1.0)
        if not self._cells or target_epsilon == inf:
            return 0.0
        return float(delta(Composition(self._cells), target_epsilon).upper)
