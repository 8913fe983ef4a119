"""Questions about a composition: functions of the names and meanings of the command line's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from exact_census.curves import Curve
from exact_census.exact import Bounded, InputError, Number, exact_array, inside, written
from kernels.accounting.accountant import Accountant
from kernels.accounting.bounds import zcdp
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.settings import Settings


@dataclass(frozen=True, slots=True)
class Profile:
    """The privacy profile and the most powerful test at the same eps, [shape of eps] each.

    delta(eps) = power - e^eps alpha; alpha = P(T > eps) and power = Q(T > eps), T being the log-likelihood
    ratio of the two neighbours' laws Q and P (docs/method.md, section 1).
    """

    delta: Bounded
    alpha: Bounded
    power: Bounded


@dataclass(frozen=True, slots=True)
class Reduction:
    """What exact accounting saves against the Census Bureau's zCDP calibration, [shape of delta] each.

    With every noise variance divided by `scale` the release still keeps (eps_zcdp, delta); reduction =
    1 - 1/scale is the share of the variance that could be removed (docs/method.md, section 11).
    """

    eps_zcdp: Bounded
    reduction: Bounded
    scale: Bounded


@dataclass(frozen=True, slots=True)
class Conversion:
    """eps of a zCDP budget, [shape of delta] each.

    eps_zcdp: by the Census Bureau's formula, rho + 2 sqrt(rho ln(1/delta)); eps_cks20: by the tighter one of
    Canonne, Kamath and Steinke (2020).
    """

    eps_zcdp: Bounded
    eps_cks20: Bounded


@lru_cache(maxsize=8)  # so that several questions about a composition share its plan
def _accountant(composition: Composition) -> Accountant:
    if not isinstance(composition, Composition):
        raise InputError(f"a Composition is asked about, not {type(composition).__name__}")
    return Accountant(composition)


def epsilon(composition: Composition, delta: Any) -> Bounded:
    """The least eps for which the release is (eps, delta)-differentially private, [shape of delta].

    delta: from 0 to 1, a number or an array. Infinite at delta = 0. Raises InputError for anything else,
    Refused where the answer would be out of reach.
    """
    numbers, shape = exact_array(delta, "delta", 0, 1)
    return Bounded.of(map(_accountant(composition).epsilon, numbers), shape)


def delta(composition: Composition, eps: Any) -> Bounded:
    """The least delta for which the release is (eps, delta)-differentially private, [shape of eps].

    eps: any real numbers, a number or an array. Raises InputError and Refused as epsilon does.
    """
    return profile(composition, eps).delta


def profile(composition: Composition, eps: Any) -> Profile:
    """delta at given eps, and the false-positive rate and power of the test that decides for Q at T > eps.

    eps: any real numbers, a number or an array. Raises InputError and Refused as epsilon does.
    """
    numbers, shape = exact_array(eps, "eps")
    points = _accountant(composition).profile(numbers)
    names = ("delta", "alpha", "power")
    return Profile(*(Bounded.of((getattr(point, name) for point in points), shape) for name in names))


def tradeoff(composition: Composition, alpha: Any) -> Bounded:
    """The trade-off function f: the least false-negative rate of any test with false-positive rate alpha,
    [shape of alpha].

    alpha: from 0 to 1, a number or an array. `curve` gives the whole function. Raises as epsilon does.
    """
    numbers, shape = exact_array(alpha, "alpha", 0, 1)
    return Bounded.of(map(_accountant(composition).tradeoff, numbers), shape)


def curve(composition: Composition, thresholds: int = 1001, eps_points: int = 256) -> Curve:
    """The curves of a composition, of at least so many thresholds where its lattice has them.

    Raises Refused when it is out of reach.
    """
    (found,) = evaluate([composition], Settings((), thresholds, eps_points))
    return Curve.of(composition, (), found)


def reduction(composition: Composition, delta: Any) -> Reduction:
    """The share of all noise variance that could be removed at delta. Of a level, ask for its composition.

    delta: above 0 and below 1, a number or an array. Raises as epsilon does.
    """
    numbers, shape = exact_array(delta, "delta", 0, 1)
    answers = [_accountant(composition).reduction(inside(number, "delta")) for number in numbers]
    names = ("eps_zcdp", "reduction", "scale")
    return Reduction(*(Bounded.of((getattr(each, name) for each in answers), shape) for name in names))


def convert(rho: Number, delta: Any) -> Conversion:
    """eps at delta of any rho-zCDP release; of a composition, rho is its `zcdp_rho`.

    delta: above 0 and at most 1, a number or an array. Raises InputError.
    """
    budget = written(rho, "rho")
    numbers, shape = exact_array(delta, "delta", 0, 1)
    formulas = (zcdp.epsilon, zcdp.epsilon_cks20)
    return Conversion(*(Bounded.of((formula(budget, one) for one in numbers), shape) for formula in formulas))
