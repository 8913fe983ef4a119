"""One random composition: every answer of the accountant held against the truth."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from flint import arb

from kernels.accounting.accountant import Accountant, ProfilePoint
from kernels.accounting.composition import Composition
from kernels.errors import Refused
from kernels.intervals.interval import Interval
from tests.fuzz.draw import Case
from tests.fuzz.truth import BITS, BySums, Truth, truths
from tests.reference.balls import ball, precision
from tests.reference.cells import Cells, rational_gcd, total

SHARP = 0.02  # a reference this much narrower than the bound tells the error
LIGHT, MIDDLE = 4_000, 40_000  # nodes times distinct rhos
_MOST_SUMMED = 3_000_000  # nodes times distinct rhos
_NATS = 85.0  # of the nodes that matter at 1e-35


class TooLarge(Exception):
    """More surviving nodes than there is time for."""


@dataclass
class Record:
    """What came out: the worst error over the stated bound by quantity; rated and held: how many comparisons
    had a reference sharp enough to tell the error, and how many in all; faults: sentences."""

    kind: str
    status: str = "compared"
    reason: str = ""
    truth: str = ""
    worst: dict[str, float] = field(default_factory=dict)
    rated: int = 0
    held: int = 0
    relative: float = 0.0  # worst relative error of delta
    widest: float = 0.0  # worst relative bound of delta
    lumpy: bool = False  # some sigma^2 < 1/5, where bounds of delta may be wide
    seconds: float = 0.0  # of the accountant
    faults: list[str] = field(default_factory=list)

    def hold(self, quantity: str, number: Interval, truth: arb) -> None:
        """Compare a certified number with the truth."""
        if not truth.is_finite():
            return
        self.held += 1
        with precision(BITS):
            value, lower, upper = (arb(str(part)) for part in (number.value, number.lower, number.upper))
            if truth > upper or truth < lower:
                self.faults.append(f"{quantity}: {number} does not hold {truth.str(40)}")
                return
            error = truth.mid() - value
            room = upper - value if error > 0 else value - lower
            if quantity == "delta" and truth > 0:
                self._relative(truth, value, upper - lower)
            if truth.rad() > SHARP * room or (upper == 1 if error > 0 else lower == 0):
                return  # no probability is beyond 0 and 1: that is no stated bound on the error
            certain = max(abs(error) - truth.rad(), arb(0))
            share = float(certain / room) if room > 0 else 0.0
            # One end may be sharp and the truth next to it: below 1 by less than a double tells.
            self.rate(quantity, min(share, math.nextafter(1.0, 0.0)) if certain < room else share)

    def rate(self, quantity: str, share: float) -> None:
        """Note an error over its stated bound."""
        self.rated += 1
        self.worst[quantity] = max(self.worst.get(quantity, 0.0), share)

    def _relative(self, truth: arb, value: arb, width: arb) -> None:
        known = float(truth.rel_accuracy_bits()) > 50
        if known:
            self.relative = max(self.relative, float(abs(truth.mid() - value) / truth.mid()))
            self.widest = max(self.widest, float(width / truth.mid()) / 2)

    def demand(self, condition: bool, otherwise: str) -> None:
        """Note a fault unless the condition holds."""
        if not condition:
            self.faults.append(otherwise)


def likely_nodes(cells: Cells) -> float:
    """Roughly how many nodes of the trapezoidal rule matter: the volume of a ball among the frequencies."""
    nodes = 2.5 * math.sqrt(2.0 * float(total(cells)) * _NATS) / float(rational_gcd(list(cells)))
    metric = [2.0 * math.pi**2 * count / float(rho) for rho, count in cells.items()]
    sharp = [math.log(a / _NATS) for a in metric if a > 4.0 * _NATS]
    volume = 0.5 * len(sharp) * math.log(math.pi) - math.lgamma(0.5 * len(sharp) + 1.0) - 0.5 * sum(sharp)
    return 100.0 + nodes * math.exp(min(volume, 0.0))


def compare(case: Case, most: float = LIGHT) -> Record:
    """Ask the accountant, and hold what it says against a reference if there is one cheap enough.

    Raises TooLarge when more nodes matter than `most` over the number of distinct rhos.
    """
    record = Record(case.kind, lumpy=max(case.cells) > 5)
    most /= len(case.cells)
    if likely_nodes(case.cells) > most:
        raise TooLarge
    started = time.perf_counter()
    try:
        accountant = Accountant(Composition.from_counts(dict(case.cells)))
        if accountant.tiers.plan.nodes.own_mirror.size > most:
            raise TooLarge
        answers = _ask(accountant, case)
    except Refused as refused:
        record.status, record.reason = "refused", str(refused)
        record.demand("\n" not in str(refused) and len(str(refused)) > 20, "no plain reason for a refusal")
        return record
    finally:
        record.seconds = time.perf_counter() - started
    _check_sanity(record, answers)
    heavy = accountant.tiers.plan.nodes.own_mirror.size * len(case.cells) > _MOST_SUMMED
    truth = None if heavy else _truth(case)  # the references sum as many nodes, in ball arithmetic
    if truth is None:
        record.status = "not compared"
        return record
    record.truth = type(truth).__name__
    _check_truth(record, case, answers, truth)
    if case.reduction and isinstance(truth, BySums):
        _check_reduction(record, truth, accountant, case.delta)
    return record


@dataclass(frozen=True)
class Answers:
    """What the accountant said."""

    points: list[ProfilePoint]
    epsilon: Interval
    beta: Interval


def _ask(accountant: Accountant, case: Case) -> Answers:
    return Answers(
        accountant.profile(case.eps), accountant.epsilon(case.delta), accountant.tradeoff(case.alpha)
    )


def _check_sanity(record: Record, answers: Answers) -> None:
    """No NaN, probabilities between 0 and 1, all intervals around their values, all curves falling."""
    for point in answers.points:
        for number in (point.alpha, point.power, point.delta):
            _check_probability(record, number)
    _check_probability(record, answers.beta)
    epsilon = answers.epsilon
    good = 0 <= epsilon.lower <= epsilon.value <= epsilon.upper and epsilon.upper.is_finite()
    record.demand(good, f"eps: {epsilon}")
    _check_order(record, answers.points)


def _check_truth(record: Record, case: Case, answers: Answers, truth: Truth) -> None:
    for point in answers.points:
        for name in ("alpha", "power", "delta"):
            found = getattr(truth, name)(point.eps)
            if found is not None:
                record.hold(name, getattr(point, name), found)
    _check_epsilon(record, truth, answers.epsilon, case.delta)
    found = truth.beta(case.alpha)
    if found is not None:
        record.hold("beta", answers.beta, found)


def _check_probability(record: Record, number: Interval) -> None:
    parts = (number.lower, number.value, number.upper)
    good = not any(part.is_nan() for part in parts) and 0 <= parts[0] <= parts[1] <= parts[2] <= 1
    record.demand(good, f"not a probability: {number}")


def _check_order(record: Record, points: list[ProfilePoint]) -> None:
    """alpha, power and delta fall with eps."""
    ordered = sorted(points, key=lambda point: point.eps)
    for first, second in pairwise(ordered):
        for name in ("alpha", "power", "delta"):
            before, after = getattr(first, name), getattr(second, name)
            record.demand(after.lower <= before.upper, f"{name} rises from eps {first.eps} to {second.eps}")


def _truth(case: Case) -> Truth | None:
    for way in truths(case.cells, case.eps):
        with suppress(ValueError):  # out of its reach
            return way()
    return None


def _check_epsilon(record: Record, truth: Truth, epsilon: Interval, delta: Fraction) -> None:
    """delta at the ends of the interval lies on the right sides of the delta asked for."""
    ends = (epsilon.lower, epsilon.value, epsilon.upper)
    found = [one for one in (truth.delta(Fraction(part)) for part in ends) if one is not None]
    if len(found) < 3 or not all(one.is_finite() for one in found):
        return
    low, middle, high = found
    record.held += 1
    with precision(BITS):
        target = ball(delta)
        record.demand(not high > target, f"eps: at {epsilon.upper} delta is {high.str(30)}, above {delta}")
        if epsilon.lower > 0:
            record.demand(not low < target, f"eps: at {epsilon.lower} delta is {low.str(30)}, below {delta}")
        if not (low > 0 and middle > 0 and high > 0) or epsilon.lower == 0:
            return
        error = middle.log() - target.log()
        room = middle.log() - high.log() if error > 0 else low.log() - middle.log()
        if not room.mid() > 0 or error.rad() > SHARP * room.mid() or room.rad() > SHARP * room.mid():
            return
        record.rate("eps", float(abs(error.mid()) / room.mid()))


def _check_reduction(record: Record, truth: BySums, accountant: Accountant, delta: Fraction) -> None:
    """delta at eps_zcdp, all rhos scaled, lies on the right sides at both ends of the scale's interval."""
    try:
        found = accountant.reduction(delta)
    except Refused:
        return
    if found.scale.upper > 4 or found.eps_zcdp.upper > truth.furthest:
        return
    with precision(BITS):
        target = ball(delta)
        fits = truth.scaled_delta(Fraction(found.eps_zcdp.upper), Fraction(found.scale.lower))
        beyond = truth.scaled_delta(Fraction(found.eps_zcdp.lower), Fraction(found.scale.upper))
        if fits is None or beyond is None:
            return
        record.held += 1
        record.demand(not fits > target, f"reduction: scale {found.scale.lower} is too much")
        record.demand(not beyond < target, f"reduction: scale {found.scale.upper} is still fine")
