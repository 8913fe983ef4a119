#!/usr/bin/env python3
"""Checks a certificate of exact-census: check_certificate.py CERTIFICATE.json ALLOCATION.yaml

Needs python-flint and ruamel.yaml, and nothing of exact-census. T = h S - R/2; with N nodes pi p / N, p odd,

    P(S >= s) = 1/2 - (1/N) sum_{0 < p <= N} phi(p) sin(pi p (2s-1) / 2N) / sin(pi p / 2N)    (half at p = N)

up to 2 exp(-(N h - h |2s-1| / 2)^2 / 2R). Nodes are found by cutting the interval of frequencies, cell by
cell; those with phi <= exp(-L) add at most exp(-L) (1 + ln N). docs/certificate.md derives all bounds.
"""

import hashlib
import json
import math
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction as F
from multiprocessing import get_context

from flint import arb, ctx, fmpq
from ruamel.yaml import YAML

ctx.prec = 320
MOST_NODES = 300_000  # a value that needs more is checked to fewer digits


def ball(x):
    return arb(fmpq(F(x).numerator, F(x).denominator))


def cells_of(tree, group):
    """All cells of /pairs/FIRST,SECOND or /levels/LEVEL."""
    total, rows = F(tree["total_rho"]), {}
    for level in tree["levels"]:
        budget = tree["budget"][level]
        part = F(1) if "rho" in budget else total * F(budget["share"])
        rows[level] = [part * F(x) for x in budget["rho" if "rho" in budget else "queries"].values()]
    if sum(map(sum, rows.values())) != total:
        raise ValueError("the allocation's rhos do not add up")
    kind, name = group.strip("/").split("/", 1)
    cells = Counter(rows[name] * 2) if kind == "levels" else Counter()
    for pattern in name.split(",") if kind == "pairs" else ():
        spent, top, single = Counter(), None, dict(zip(tree["bypass"]["levels"], pattern, strict=True))
        for above, level in zip([None, *tree["levels"]], tree["levels"], strict=False):
            top = top if single.get(above) == "1" else level  # an only child's budget goes to its parent
            spent[top] += sum(rows[level])
        cells.update(rho * spent[level] / sum(rows[level]) for level in spent for rho in rows[level])
    return cells


class Law:
    """The law of S for all rhos times `scale`, from the nodes with phi > exp(-nats)."""

    def __init__(self, cells, scale, nats, nodes=None):
        self.cells = {rho * scale: count for rho, count in cells.items()}
        below = math.lcm(*(rho.denominator for rho in self.cells))
        self.h = F(math.gcd(*(int(rho * below) for rho in self.cells)), below)
        self.total = sum(rho * count for rho, count in self.cells.items())
        self.nodes = nodes or 3 + math.ceil(F(2.02 * math.sqrt(2 * self.total * (nats + 1))) / self.h)
        order = sorted(self.cells.items(), key=lambda cell: cell[0] / cell[1])  # the sharpest first
        self.factors = [(int(rho / self.h), count, 2 * math.pi**2 / float(rho)) for rho, count in order]
        found = self.survivors(nats)
        while len(found) > MOST_NODES:
            nats *= 0.8
            found = self.survivors(nats)
        self.left_out = (-ball(nats)).exp() * (1 + arb(self.nodes).log())
        self.nats, self.weights = nats, []
        thetas = [(int(rho / self.h), count, self.theta(rho)) for rho, count in order]
        for p in sorted(found):
            phi = math.prod((theta(p * w) ** count for w, count, theta in thetas), start=arb(1))
            kernel = self.nodes * arb.sin_pi_fmpq(fmpq(p, 2 * self.nodes)) * (1 + (p == self.nodes))
            self.weights.append((p, phi / kernel))

    def decay(self, factor, u):
        """Lower bound of -ln phi at u turns from an integer: with q = exp(-2 pi^2 / rho) <= 0.68 the Poisson
        series gives phi <= (1 + q^(1-2u)) exp(-2 pi^2 u^2 / rho)."""
        _, count, a = factor
        return max(count * (a * u * u - math.log1p(math.exp(-a * (1 - 2 * u)))), 0) if a > 0.39 else 0.0

    def survivors(self, nats):
        """Odd p in 1 .. N with phi(pi p / N) > exp(-nats), or the first few too many."""
        found, double, slack = set(), 2 * self.nodes, 1e-7  # slack: rounding of w times a frequency
        stack = [(0.0, 0.5, 0.0, 0)]
        while stack and len(found) <= MOST_NODES:
            low, high, spent, i = stack.pop()
            if i == len(self.factors):
                for p in range(max(int(low * double) - 1, 1), min(int(high * double) + 2, self.nodes) + 1):
                    turns = (
                        abs((w * p + self.nodes) % double - self.nodes) / double for w, *_ in self.factors
                    )
                    if p % 2 and sum(map(self.decay, self.factors, turns)) <= nats + 1e-6:
                        found.add(p)
                continue
            w, count, a = self.factors[i]
            reach = 0.5
            for _ in range(3 if a > 0.39 else 0):
                more = math.log1p(math.exp(-a * (1 - 2 * reach)))
                reach = min(math.sqrt(((nats + 1e-6 - spent) / count + more) / a), 0.5)
            for m in range(math.ceil(w * low - reach - slack), math.floor(w * high + reach + slack) + 1):
                start, end = max(low, (m - reach - slack) / w), min(high, (m + reach + slack) / w)
                away = max(w * start - m, m - w * end, slack) - slack
                together = spent + self.decay(self.factors[i], min(away, 0.5))
                if start <= end and together <= nats + 1e-6:
                    stack.append((start, end, together, i + 1))
        return found

    def theta(self, rho):
        """phi of a cell at p / 2N turns: its Poisson series to the last term above 2^-precision."""
        scale, double = 2 * arb.pi() ** 2 / ball(rho), 2 * self.nodes
        last = 2 + math.isqrt(math.ceil(ctx.prec * 0.7 * float(rho) / (2 * math.pi**2)))
        rest = arb(0, (4 * (-scale * (2 * last + 1) ** 2 / 4).exp()).upper())
        norm = sum(((-scale * k * k).exp() for k in range(-last, last + 1)), rest)

        def at(p):
            u = ball(F((p + self.nodes) % double - self.nodes, double))
            return sum(((-scale * (u - k) ** 2).exp() for k in range(-last, last + 1)), rest) / norm

        return at

    def upper(self, start):
        """P(S >= start)."""
        odd, value = 2 * start - 1, arb(0.5)
        far = self.nodes * self.h - abs(odd) * self.h / 2
        if far <= 0 or far**2 < 2 * self.total * F(self.nats):  # where the rule is not good, S seldom is
            x = start * self.h if start > 0 else (1 - start) * self.h
            return int(start <= 0) + arb(0, (-ball(x**2 / (2 * self.total))).exp().upper())
        for p, weight in self.weights:
            value -= weight * arb.sin_pi_fmpq(fmpq(p * odd % (4 * self.nodes), 2 * self.nodes))
        wrapped = 2 * (-ball(far**2 / (2 * self.total))).exp()
        return value + arb(0, (wrapped + self.left_out).upper())

    def above(self, t):
        """P(T > t)."""
        return self.upper((t + self.total / 2) // self.h + 1)

    def beta(self, t):
        """Q(T <= t) = P(T >= -t)."""
        return self.upper(-((t - self.total / 2) // self.h))

    def delta(self, eps):
        """Q(T > eps) - e^eps P(T > eps)."""
        return 1 - self.beta(eps) - ball(eps).exp() * self.above(eps)


def again(cells, value, laws):
    """Every found number once more: name and ball."""
    at, stored, found = value["at"], value["stored"], value["found"]

    def law(nats, scale=F(1), nodes=None):
        key = (10 * math.ceil((nats - 95) / 10), scale, nodes)
        if key not in laws:
            laws[key] = Law(cells, scale, 95 + key[0], nodes)
        return laws[key]

    def delta(name, eps, scale=F(1)):  # deep enough for all the digits in the certificate
        seen = float(F(found[name][1])) if name in found else 1.0
        return name, law(47 + float(eps) - math.log(max(seen, 1e-300)), scale).delta(F(eps))

    if value["quantity"] in ("alpha", "beta"):
        rule = law(95)
        yield value["quantity"], rule.above(F(at)) if value["quantity"] == "alpha" else rule.beta(F(at))
    elif value["quantity"] == "delta":
        yield delta("delta", F(at))
    elif value["quantity"] == "epsilon":
        for side in ("lower", "upper"):
            if 0 < (eps := float(stored[side])) < math.inf:
                yield delta(f"delta_at_{side}", F(eps))
    elif value["quantity"] == "reduction":
        rho = ball(sum(r * n for r, n in cells.items()) / 2)
        yield "eps_zcdp", (eps := rho + 2 * (rho * -ball(F(at)).log()).sqrt())
        middle = F(eps.mid().str(60, radius=False))  # the exact eps differs from it by less than 1e-50
        for side, scale in zip(("lower", "upper"), stored["scale"].split()[1:], strict=True):
            if float(scale) < math.inf:
                yield delta(f"delta_at_scale_{side}", middle, F(float(scale)))
    elif value["quantity"] == "sieve":
        bound, nodes = float(stored["sieve_bound"]), int(stored["nodes"])
        rule = law(math.log(1e4 * (1 + math.log(nodes)) / max(bound, 1e-45)), nodes=nodes)
        weights = sorted((weight.abs_upper() for _, weight in rule.weights), key=float, reverse=True)
        rest = sum(weights[int(stored["survivors_half"]) :], arb(0))
        yield "pruned", rest.union(rest + rule.left_out)
    else:
        raise ValueError("unknown quantity")


def agrees(low, high, found, loosely):
    """Whether low and high are the ball's ends, rounded outward to the last decimal place that they show.

    Loosely, and where the ball is too wide to tell: whether they overlap.
    """
    (middle, exponent), (radius, scale) = found.mid().man_exp(), found.rad().man_exp()
    middle, radius = int(middle) * F(2) ** int(exponent), int(radius) * F(2) ** int(scale)
    unit, low, high = F(10) ** Decimal(high).as_tuple().exponent, F(low), F(high)
    if loosely or radius > unit / 100:
        return low <= middle + radius and high >= middle - radius
    least, most = (middle + side * (radius + unit / 100) for side in (-1, 1))
    return least // unit <= low / unit <= most // unit and -(-least // unit) <= high / unit <= -(
        -most // unit
    )


def claim(value):
    """Whether what is stored agrees with what was found, in exact arithmetic."""
    stored = {name: [float(x) for x in text.split()] for name, text in value["stored"].items()}
    found = {name: [F(x) for x in ends] for name, ends in value["found"].items()}
    quantity, at = value["quantity"], F(value["at"] or 0)
    if quantity in ("alpha", "beta"):
        exact, bound = sum(map(F, stored["value"])), F(*map(F, stored["bound"]))
        return all(abs(exact - end) <= bound for end in found[quantity])
    if quantity == "delta":
        exact, bound = F(stored["delta"][0]), F(stored["relative_bound"][0])
        power = (ball(F(stored["log10_delta"][0])) * arb(10).log()).exp()
        close = all(abs(power / ball(end) - 1) <= ball(bound) for end in found["delta"])
        return close and (exact < 1e-300 or all(abs(exact - end) <= bound * end for end in found["delta"]))
    if quantity == "epsilon":
        (value,), (low,), (high,) = stored["value"], stored["lower"], stored["upper"]
        left = low == 0 or found["delta_at_lower"][0] >= at
        return 0 <= low <= value <= high and left and (high == math.inf or found["delta_at_upper"][1] <= at)
    if quantity == "reduction":
        (_, low, high), (_, least, most) = stored["scale"], stored["reduction"]
        _, eps_low, eps_high = map(F, stored["eps_zcdp"])
        above = high == math.inf or (found["delta_at_scale_upper"][0] >= at and F(most) >= 1 - 1 / F(high))
        inside = eps_low <= found["eps_zcdp"][0] and found["eps_zcdp"][1] <= eps_high and low >= 1
        return inside and above and found["delta_at_scale_lower"][1] <= at and F(least) <= 1 - 1 / F(low)
    return found["pruned"][1] <= F(stored["sieve_bound"][0])


def check(job):
    """What is wrong with the values of one group."""
    tree, group, values = job
    laws, wrong = {}, []
    for value in values:
        where = f"{group} {value['quantity']} {value['index']}"
        try:
            named = dict(again(cells_of(tree, group), value, laws))
            if set(named) != set(value["found"]):
                wrong.append(f"{where}: not all numbers are there")
            for name, (low, high) in value["found"].items():
                if not agrees(low, high, named[name], loosely=name == "pruned"):
                    wrong.append(f"{where}: {name} is {named[name].str(25)}, not {low} .. {high}")
            if not (value["holds"] is True and claim(value)):
                wrong.append(f"{where}: what is stored does not hold")
        except (ValueError, KeyError, TypeError, ArithmeticError) as error:
            wrong.append(f"{where}: {type(error).__name__}: {error}")
    return wrong


def main(certificate_path, allocation_path):
    with open(certificate_path, encoding="utf-8") as file:
        certificate = json.load(file)
    with open(allocation_path, encoding="utf-8") as file:
        text = file.read()
    content = {key: item for key, item in certificate.items() if key != "digest"}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    tree, values, verdict = YAML(typ="base", pure=True).load(text), content["values"], content["verdict"]
    wrong = []
    if hashlib.sha256(canonical.encode()).hexdigest() != certificate["digest"]:
        wrong.append("the digest is not that of the content")
    if hashlib.sha256(text.encode()).hexdigest() != content["allocation_sha256"]:
        wrong.append("the allocation file is another one")
    distinct = {(value["group"], value["quantity"], value["index"]) for value in values}
    counts = {len(distinct), len(values), verdict["values_checked"], verdict["values_hold"]}
    if counts != {content["sample"]["size"]} or not verdict["passed"] or verdict["fault_count"]:
        wrong.append("the verdict is not that every value holds")
    if not wrong:
        groups = {}
        for value in values:
            groups.setdefault(value["group"], []).append(value)
        with get_context("spawn").Pool() as pool:
            jobs = [(tree, group, found) for group, found in groups.items()]
            wrong = [line for lines in pool.imap_unordered(check, jobs) for line in lines]
    print("\n".join(wrong[:20]) or f"all {len(values)} values found again; digest {certificate['digest']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
