"""The claims that a stored result makes, each checked against independent enclosures.

A claim holds only if it is proven: an enclosure that leaves it open counts against it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any, Protocol

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from .balls import ball, ends, precision
from .survivors import OutOfReach
from .tails import BITS, Family, Pair

RELATIVE_DIGITS = 15  # significant digits of the enclosures of delta, at most
FORMULA_DIGITS = 30  # significant digits of those of closed formulas
_ABSOLUTE_DIGITS = 40  # decimals of numbers that may be 0
_LOOSER = 0.01, 0.25  # shares of the bound of alpha and beta that may be left out, where less is out of reach
_CLEAR = 200  # the last decimal place of an enclosure is at least so many times its radius
_SMALLEST_DELTA = Fraction(1, 10**300)  # below it doubles lose digits, and only log10_delta is checked

Floats = NDArray[np.float64]


class Stored(Protocol):
    """The part of a stored result that is checked; fields as in docs/results-format.md."""

    @property
    def deltas(self) -> tuple[Fraction, ...]: ...
    @property
    def summary(self) -> Any: ...
    @property
    def threshold_first(self) -> Fraction: ...
    @property
    def threshold_step(self) -> Fraction: ...
    @property
    def threshold(self) -> Floats: ...
    @property
    def alpha(self) -> Floats: ...
    @property
    def beta(self) -> Floats: ...
    @property
    def absolute_bound(self) -> float: ...
    @property
    def eps(self) -> Floats: ...
    @property
    def delta(self) -> Floats: ...
    @property
    def log10_delta(self) -> Floats: ...
    @property
    def relative_bound(self) -> Floats: ...
    @property
    def epsilon(self) -> Floats: ...
    @property
    def reduction(self) -> Floats: ...
    @property
    def eps_zcdp(self) -> Floats: ...
    @property
    def scale(self) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim: what is stored, what was found (name, lower and upper end as decimals) and what is wrong.

    at: the exact threshold, eps or delta; share: error, enclosure included, over the stated bound, where
    there is a bound; out_of_reach: nothing was found, for lack of time or memory.
    """

    quantity: str
    index: int
    at: str
    stored: dict[str, str]
    found: dict[str, tuple[str, str]]
    wrong: str = ""
    share: float | None = None
    open: bool = False
    out_of_reach: bool = False


@dataclass(slots=True)
class _Judge:
    """Collects what was found and the first thing that is wrong; `open` if a narrower enclosure could still
    prove it."""

    found: dict[str, tuple[str, str]] = field(default_factory=dict)
    wrong: str = ""
    open: bool = False

    def demand(self, condition: bool, otherwise: str, *, refuted: bool = True) -> None:
        if not condition and (not self.wrong or (self.open and refuted)):
            self.wrong, self.open = otherwise, not refuted

    def hold(
        self, end: str, delta: arb, *, at_most: Fraction | float = inf, at_least: Fraction | float = -inf
    ) -> None:
        """Note delta at an end of an interval, and demand that it is on the right side of what is asked."""
        low, high = ends(delta)
        self.found[f"delta_at_{end}"] = _relative_decimals(low, high)
        unclear = f"delta at the bound {end} is not shown to be"
        self.demand(high <= at_most, f"{unclear} small enough", refuted=low > at_most)
        self.demand(low >= at_least, f"{unclear} large enough", refuted=high < at_least)


def sizes(stored: Stored) -> dict[str, int]:
    """How many values of each quantity a result has."""
    m, k, d = len(stored.threshold), len(stored.eps), len(stored.deltas)
    return {"alpha": m, "beta": m, "delta": k, "epsilon": d, "reduction": d, "sieve": 1}


def check(pair: Pair, stored: Stored, quantity: str, index: int) -> Finding:
    """Check one value. Raises survivors.OutOfReach when it cannot be re-derived, or not precisely enough."""
    pair.loose = False
    finding = _CHECKS[quantity](pair, stored, index)
    if finding.open and pair.loose:
        raise OutOfReach(f"undecided with as many nodes as are in reach: {finding.wrong}")
    return finding


def check_plan(pair: Pair, stored: Stored) -> str:
    """What is wrong with lattice, total rho, thresholds and truncation bound; nothing if they are right."""
    summary = stored.summary
    if summary.lattice != pair.step:
        return f"lattice {summary.lattice}, but the cells' is {pair.step}"
    if summary.total_rho != pair.total:
        return f"total rho {summary.total_rho}, but the cells' is {pair.total}"
    for j, stated in enumerate(map(float, stored.threshold)):
        exact = stored.threshold_first + j * stored.threshold_step
        if not isfinite(stated) or abs(Fraction(stated) - exact) > Fraction(float(np.spacing(abs(stated)))):
            return f"threshold {j} is {stated}, not threshold_first + {j} * threshold_step"
    parts = summary.truncation_bound, summary.sieve_bound, summary.rounding_bound
    if not all(0 <= part < inf for part in (*parts, summary.total_bound)):
        return "a part of the error budget is no bound"
    if not summary.total_bound <= stored.absolute_bound:
        return "the error budget is larger than the absolute bound"
    if sum(map(Fraction, parts)) > Fraction(summary.total_bound) * (1 + Fraction(1, 10**15)):
        return "the parts of the error budget add up to more than their total"
    if not 0 <= 2 * summary.survivors_half - summary.survivors <= 1:
        return f"{summary.survivors} survivors, {summary.survivors_half} of them in one half"
    # The rule of N nodes has the sum modulo N; what wraps is at least N h - |x| away, x = tau +- R/2.
    last = stored.threshold_first + (len(stored.threshold) - 1) * stored.threshold_step
    furthest = max(abs(stored.threshold_first), abs(last)) + pair.total / 2
    room = summary.nodes * pair.step - furthest
    with precision(BITS):
        if room <= 0 or not 2 * (-ball(room**2 / (2 * pair.total))).exp() <= ball(
            Fraction(summary.truncation_bound) * (1 + Fraction(1, 10**9))
        ):
            return f"the truncation bound {summary.truncation_bound} does not hold for {summary.nodes} nodes"
    return ""


def _check_tail(name: str) -> Callable[[Pair, Stored, int], Finding]:
    def checked(pair: Pair, stored: Stored, index: int) -> Finding:
        at = stored.threshold_first + index * stored.threshold_step
        row = [float(part) for part in getattr(stored, name)[index]]
        judge = _Judge()
        # One place below the bound's first digit; an enclosure 400 times narrower than that tells its digits.
        # Where that is out of reach, fewer nodes, which leave out a hundredth or a quarter of the bound.
        bounded = 0 < stored.absolute_bound < 1
        bound = max(stored.absolute_bound, 1e-40) if bounded else 1e-40
        place = _place(Fraction(bound)) - 1 if bounded else -_ABSOLUTE_DIGITS
        outs = [10.0**place / (2 * _CLEAR), *(share * bound for share in _LOOSER)]
        tail = pair.alpha if name == "alpha" else pair.beta
        low, high = ends(tail(at, outs))
        judge.found[name] = _decimals(low, high, place)
        if not all(map(isfinite, row)) or not bounded:
            judge.demand(False, "not finite, or without a bound")
            share = inf
        else:
            value = sum(map(Fraction, row), Fraction(0))
            stated = Fraction(stored.absolute_bound)
            share = _double(max(abs(value - low), abs(value - high)) / stated)
            near = low - stated <= value <= high + stated
            judge.demand(share <= 1, f"off by {share:.3g} times its bound", refuted=not near)
        texts = {"value": " ".join(map(repr, row)), "bound": repr(stored.absolute_bound)}
        return Finding(name, index, str(at), texts, judge.found, judge.wrong, share, judge.open)

    return checked


def _check_delta(pair: Pair, stored: Stored, index: int) -> Finding:
    eps, value, logarithm, bound = (
        float(array[index]) for array in (stored.eps, stored.delta, stored.log10_delta, stored.relative_bound)
    )
    texts = {"delta": repr(value), "log10_delta": repr(logarithm), "relative_bound": repr(bound)}
    if not 0 <= eps < inf or not isfinite(value):
        return Finding("delta", index, repr(eps), texts, {}, "eps or delta is not a number in its range", inf)
    at = Fraction(eps)
    judge = _Judge()
    delta = pair.delta(at)
    low, high = ends(delta)
    judge.found["delta"] = _relative_decimals(low, high)
    share = inf
    if low <= 0 or not 0 <= bound < 1 or not isfinite(logarithm):
        judge.demand(False, "no relative bound", refuted=not low <= 0 < high)
    else:
        with precision(BITS):
            power = (ball(Fraction(logarithm)) * arb(10).log()).exp()
            errors = [abs(power / delta - 1)]
            if low > _SMALLEST_DELTA:
                errors.append(abs(ball(Fraction(value)) / delta - 1))
            elif not 0 <= Fraction(value) <= high * (1 + Fraction(bound)):
                judge.demand(False, "delta is below 0 or above its logarithm")
            share = max(float(error.upper()) for error in errors) / bound if bound else inf
            near = all(error.lower() <= bound for error in errors)
        judge.demand(share <= 1, f"off by {share:.3g} times its bound", refuted=not near)
    return Finding("delta", index, str(at), texts, judge.found, judge.wrong, share, judge.open)


def _check_epsilon(pair: Pair, stored: Stored, index: int) -> Finding:
    at = stored.deltas[index]
    value, low, high = map(float, stored.epsilon[index])
    judge = _Judge()
    judge.demand(0 <= low <= value <= high and low < inf, "lower, value and upper are out of order")
    if not judge.wrong:
        if low > 0:
            judge.hold("lower", pair.delta(Fraction(low)), at_least=at)
        if high < inf:
            judge.hold("upper", pair.delta(Fraction(high)), at_most=at)
    texts = {"value": repr(value), "lower": repr(low), "upper": repr(high)}
    return Finding("epsilon", index, str(at), texts, judge.found, judge.wrong, open=judge.open)


def _check_reduction(pair: Pair, stored: Stored, index: int) -> Finding:
    at = stored.deltas[index]
    rows = {
        name: [float(x) for x in getattr(stored, name)[index]] for name in ("reduction", "eps_zcdp", "scale")
    }
    judge = _Judge()
    for name, (value, low, high) in rows.items():
        judge.demand(-inf < low <= value <= high, f"{name}: lower, value and upper are out of order")
    eps_low, eps_high = ends(zcdp_epsilon(pair.total / 2, at))
    judge.found["eps_zcdp"] = _relative_decimals(eps_low, eps_high, FORMULA_DIGITS)
    _, low, high = rows["eps_zcdp"]
    judge.demand(low <= eps_low and eps_high <= high, "eps_zcdp is not within its interval")
    _, low, high = rows["scale"]
    judge.demand(1 <= low < inf, "a scale is below 1, or infinite")
    judge.demand(rows["reduction"][2] < inf, "a reduction is infinite")
    if not judge.wrong:
        judge.hold("scale_lower", pair.delta(eps_low, Fraction(low)), at_most=at)
        if high < inf:
            judge.hold("scale_upper", pair.delta(eps_high, Fraction(high)), at_least=at)
        _, reduction_low, reduction_high = map(Fraction, rows["reduction"])
        judge.demand(reduction_low <= 1 - 1 / Fraction(low), "its lower bound is above 1 - 1/scale")
        above = high == inf or reduction_high >= 1 - 1 / Fraction(high)
        judge.demand(above, "its upper bound is below 1 - 1/scale")
    texts = {name: " ".join(map(repr, row)) for name, row in rows.items()}
    return Finding("reduction", index, str(at), texts, judge.found, judge.wrong, open=judge.open)


def _check_sieve(pair: Pair, stored: Stored, index: int) -> Finding:
    """Whether all nodes but the `survivors_half` weightiest together weigh at most the sieve bound.

    The rule of the result has the nodes pi p / N, p odd, 0 < p <= N, with weights phi / (N sin(pi p / 2N)),
    half of it at p = N.
    """
    summary = stored.summary
    nodes, stated = summary.nodes, summary.sieve_bound
    texts = {"nodes": str(nodes), "survivors_half": str(summary.survivors_half), "sieve_bound": repr(stated)}
    if not 0 <= stated < 1 or nodes < 1 or summary.survivors_half < 0:
        return Finding("sieve", index, "", texts, {}, "no bound, or no nodes", inf)
    bound = Fraction(stated)
    judge = _Judge()
    share = inf
    # 1 / (N sin(pi p / 2N)) <= 1 / p, so what is left out here adds at most 2 `out`: far less than the bound,
    # which can be as good as exact; on fine lattices it is not.
    family = Family(2 * nodes * pair.step)
    rule = Pair(family, pair.cells, {})
    out = max(float(bound), 1e-45) * (1e-11 if rule.coarse else 1e-2)
    listed = rule.nodes(out)
    with precision(BITS):
        weights = []
        for p, transform in listed.transforms(family, Fraction(0), Fraction(1), odd=True):
            weight = abs(transform) / (nodes * arb.sin_pi_fmpq(fmpq(p, 2 * nodes)))
            weights.append(weight / 2 if p == nodes else weight)
        weights.sort(key=float, reverse=True)
        rest = sum(weights[summary.survivors_half :], arb(0))
        low, high = ends(rest)
        if len(weights) < (nodes + 1) // 2:
            high = ends(rest + 2 * arb(out))[1]
    judge.found["pruned"] = _relative_decimals(max(low, Fraction(0)), high)
    judge.demand(high <= bound, "the nodes left out weigh more than the sieve bound")
    if bound:
        share = _double(high / bound)
    return Finding("sieve", index, "", texts, judge.found, judge.wrong, share)


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> arb:
    """rho + 2 sqrt(rho ln(1/delta)), the Census Bureau's eps."""
    with precision(BITS):
        return ball(rho) + 2 * (ball(rho) * -ball(delta).log()).sqrt()


def _double(ratio: Fraction) -> float:
    """A ratio for a message; infinite where a double cannot hold it."""
    return float(ratio) if ratio < 10**300 else inf


def _place(number: Fraction) -> int:
    """Decimal place of a positive number's first digit, or one above it."""
    rough = Context(prec=5, rounding=ROUND_CEILING)
    return rough.divide(Decimal(number.numerator), Decimal(number.denominator)).adjusted()


def _decimals(low: Fraction, high: Fraction, place: int) -> tuple[str, str]:
    """Ends rounded outward to a multiple of 10^place, or of a higher power, if no more is known."""
    if high > low:
        place = max(place, _place((high - low) * _CLEAR / 2) + 1)
    unit = Fraction(10) ** place
    return _decimal(low // unit, place), _decimal(-(-high // unit), place)


def _decimal(multiple: int, place: int) -> str:
    return str(Decimal((int(multiple < 0), tuple(map(int, str(abs(multiple)))), place)))


def _relative_decimals(low: Fraction, high: Fraction, digits: int = RELATIVE_DIGITS) -> tuple[str, str]:
    """Ends rounded outward to so many significant digits of the upper one at most."""
    return _decimals(low, high, _place(high) + 1 - digits if high > 0 else -_ABSOLUTE_DIGITS)


_CHECKS: dict[str, Callable[[Pair, Stored, int], Finding]] = {
    "alpha": _check_tail("alpha"),
    "beta": _check_tail("beta"),
    "delta": _check_delta,
    "epsilon": _check_epsilon,
    "reduction": _check_reduction,
    "sieve": _check_sieve,
}
