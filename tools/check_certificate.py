#!/usr/bin/env python3
"""Checks a certificate of exact-census: check_certificate.py CERTIFICATE.json ALLOCATION.yaml

Needs python-flint, numpy and ruamel.yaml, and nothing of exact-census. It finds all numbers in the
certificate again (gaussian_sum.py beside it), compares digits, and judges what is stored.
"""

import hashlib
import json
import math
import re
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction as F
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from discrete_gaussian import ball
from flint import arb
from gaussian_sum import Law
from ruamel.yaml import YAML


def demand(condition, otherwise):
    if not condition:
        raise ValueError(otherwise)


@cache
def products(path):
    """The allocation in a file; of a joint one those of its products, whose files stand beside it."""
    tree = YAML(typ="base", pure=True).load(path)
    files = [path.with_name(f"{product}.yaml") for product in tree.get("joint", [])]
    return [product for file in files for product in products(file)] or [tree]


def cells_of(path, group):
    """All cells {rho: count} of /pairs/FIRST,SECOND or /levels/LEVEL."""
    trees, (_, kind, name), cells, bypasses = products(path), group.split("/"), Counter(), []
    if kind == "pairs":
        places = [(tree["name"], level) for tree in trees for level in tree["bypass"]["levels"]]
        first, second = name.split(",")
        bypasses = [dict(zip(places, pattern, strict=True)) for pattern in (first, second)]
    for tree in trees:
        rows = {}
        for level in tree["levels"]:
            budget = tree["budget"][level]
            part = 1 if "rho" in budget else F(tree["total_rho"]) * F(budget["share"])
            rows[level] = [part * F(x) for x in budget["rho" if "rho" in budget else "queries"].values()]
            if kind == "levels" and name == (level if len(trees) == 1 else f"{tree['name']}.{level}"):
                cells.update(2 * rows[level])
        demand(sum(map(sum, rows.values())) == F(tree["total_rho"]), "the allocation's rhos do not add up")
        for bypass in bypasses:
            spent, top = Counter(), None
            for above, level in zip([None, *rows], rows, strict=False):
                top = top if bypass.get((tree["name"], above)) == "1" else level  # an only child's budget
                spent[top] += sum(rows[level])  # goes to its parent
            cells.update(rho * spent[level] / sum(rows[level]) for level in spent for rho in rows[level])
    return cells


def examine(cells, value):
    """Raise an exception unless a value's numbers are found again and show that what is stored holds."""
    huge = re.search(r"[\d._]e[+-]?[\d_]{6}", json.dumps(value), re.IGNORECASE)
    demand(not huge, "an exponent is out of range")  # such a number would take hours to write out
    kind, at, law, seen = value["quantity"], F(value["at"] or 0), Law(cells), set()
    stored = {name: [float(x) for x in text.split()] for name, text in value["stored"].items()}

    def again(name, number, least=1):
        """The ball number(error), of which the certificate must give all digits, almost down to `least`."""
        low, high = map(F, value["found"][name])
        unit = F(10) ** Decimal(value["found"][name][1]).as_tuple().exponent
        found, slack = number(unit / 500), unit / 100
        round_number = high - low == 2 * unit and abs(found - ball(low + unit)) < ball(2 * slack)
        same = ball(low - slack) <= found <= ball(high + slack) and (high - low <= unit or round_number)
        demand(same, f"{name} is {found.str(25)}, not {value['found'][name]}")
        demand(unit <= 1000 * max(F(least), F(1, 10**40)), f"{name} has too few digits")
        seen.add(name)
        return found

    def delta_at(name, eps, scale=1):
        return again(f"delta_at_{name}", lambda error: Law(cells, F(scale)).delta(F(eps), error))

    if kind in ("alpha", "beta"):  # P(T > at), or Q(T <= at) = P(T >= -at)
        (bound,), half = stored["bound"], law.total / 2
        start = (at + half) // law.h + 1 if kind == "alpha" else -((at - half) // law.h)
        found = again(kind, lambda error: law.expectation({0: 1}, start, min(error, F(bound) / 4)), bound)
        holds = [bound < 1, abs(found - ball(sum(map(F, stored["value"])))) <= ball(bound)]
    elif kind == "delta":
        (exact,), (log10,), (bound,) = stored["delta"], stored["log10_delta"], stored["relative_bound"]
        found = again(kind, lambda error: law.delta(at, error))
        deep = not found > ball(F(1, 10**300))  # doubles lose digits there
        holds = [bound < 1, abs((ball(log10) * arb(10).log()).exp() / found - 1) <= ball(bound), exact >= 0]
        holds.append(ball(exact) <= found * 2 if deep else abs(ball(exact) / found - 1) <= ball(bound))
    elif kind == "epsilon":
        (exact,), (low,), (high,) = stored["value"], stored["lower"], stored["upper"]
        holds = [0 <= low <= exact <= high, low == 0 or delta_at("lower", low) >= ball(at)]
        holds.append(high == math.inf or delta_at("upper", high) <= ball(at))
    elif kind == "reduction":
        (_, low, high), (_, least, most), eps = stored["scale"], stored["reduction"], stored["eps_zcdp"]
        formula = ball(law.total / 2) + 2 * (ball(law.total / 2) * -ball(at).log()).sqrt()
        near = F(formula.mid().str(60, radius=False))
        again("eps_zcdp", lambda error: formula, near / 10**20)
        holds = [arb(eps[1]) <= formula <= arb(eps[2]), 1 <= low <= high, F(least) <= 1 - 1 / F(low)]
        holds.append(delta_at("scale_lower", near, low) <= ball(at))
        if high < math.inf:
            holds += [delta_at("scale_upper", near, high) >= ball(at), F(most) >= 1 - 1 / F(high)]
    elif kind == "sieve":
        (bound,), size = stored["sieve_bound"], int(value["stored"]["nodes"])
        kept = int(value["stored"]["survivors_half"])
        found = again("pruned", lambda error: law.pruned(size, kept, max(error, F(1, 10**60))), bound)
        holds = [kept >= 0, bound < 1, found <= ball(bound)]
    else:
        raise ValueError("no such quantity")
    demand(all(holds) and value["holds"] is True, "what is stored is not shown to hold")
    demand(seen == set(value["found"]), "there are numbers that nothing is known of")


def check(job):
    """What is wrong with a value."""
    path, value = job
    try:
        examine(cells_of(Path(path), value["group"]), value)
    except Exception as error:  # whatever it is, nothing is shown
        return f"{value['group']} {value['quantity']} {value['index']}: {type(error).__name__}: {error}"
    return ""


def main(certificate_path, allocation_path):
    """What was found again; raises an exception if anything is wrong."""
    certificate, text = json.loads(Path(certificate_path).read_text()), Path(allocation_path).read_bytes()
    content = {key: item for key, item in certificate.items() if key != "digest"}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    demand(digest == certificate["digest"], "the digest is not that of the content")
    same = hashlib.sha256(text).hexdigest() == content["allocation_sha256"] or b"\njoint:" in text
    demand(same, "the allocation file is another one")
    values, verdict = content["values"], content["verdict"]
    jobs = [(allocation_path, value) for value in values if not value["out_of_reach"]]
    size, found, passed = len(values), len(jobs), len(values) == len(jobs)
    right = {"values_checked": size, "values_hold": found, "values_out_of_reach": size - found, "faults": []}
    right |= {"fault_count": 0, "passed": passed, "outcome": "passed" if passed else "partly"}
    distinct = {(value["group"], value["quantity"], value["index"]) for value in values}
    agree = right == {name: verdict[name] for name in right} and len(distinct) == content["sample"]["size"]
    demand(agree, "the verdict is not that every value within reach holds")
    with get_context("spawn").Pool() as pool:
        for wrong in pool.imap_unordered(check, jobs):
            demand(not wrong, wrong)  # and no further: with other cells each number can take long
    return f"{'all' if passed else f'PARTLY: {found} of the'} {size} values found again; digest {digest}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(main(*sys.argv[1:]))
    except Exception as error:
        sys.exit(f"refused: {type(error).__name__}: {error}")
