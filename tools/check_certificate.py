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
from multiprocessing import get_context
from pathlib import Path

from flint import arb, fmpq
from gaussian_sum import Law, ball, nodes
from ruamel.yaml import YAML, YAMLError


def cells_of(path, group):
    """All cells {rho: count} of /pairs/FIRST,SECOND or /levels/LEVEL."""
    tree, (kind, name) = YAML(typ="base", pure=True).load(path), group.strip("/").split("/", 1)
    if "joint" in tree:  # its products stand beside it; their levels and patterns are joined
        files = {product: path.with_name(f"{product}.yaml") for product in tree["joint"]}
        if kind == "levels":
            return cells_of(files[name.split(".")[0]], "levels/" + name.split(".")[1])
        cells = Counter()
        for file in files.values():
            size = len(YAML(typ="base", pure=True).load(file)["bypass"]["levels"])
            cells += cells_of(file, "pairs/" + ",".join(pattern[:size] for pattern in name.split(",")))
            name = ",".join(pattern[size:] for pattern in name.split(","))
        return cells
    rows = {}
    for level in tree["levels"]:
        budget = tree["budget"][level]
        part = 1 if "rho" in budget else F(tree["total_rho"]) * F(budget["share"])
        rows[level] = [part * F(x) for x in budget["rho" if "rho" in budget else "queries"].values()]
    if sum(map(sum, rows.values())) != F(tree["total_rho"]):
        raise ValueError("the allocation's rhos do not add up")
    cells = Counter(rows[name] * 2) if kind == "levels" else Counter()
    for pattern in name.split(",") if kind == "pairs" else ():
        spent, top, single = Counter(), None, dict(zip(tree["bypass"]["levels"], pattern, strict=True))
        for above, level in zip([None, *tree["levels"]], tree["levels"], strict=False):
            top = top if single.get(above) == "1" else level  # an only child's budget goes to its parent
            spent[top] += sum(rows[level])
        cells.update(rho * spent[level] / sum(rows[level]) for level in spent for rho in rows[level])
    return cells


def refuse_huge(value):
    """Raise ValueError for numbers that would take hours to write out."""
    texts = [
        value["at"],
        *value["stored"].values(),
        *(end for ends in value["found"].values() for end in ends),
    ]
    if any(abs(int(exponent)) > 200_000 for exponent in re.findall(r"[eE]([+-]?[0-9]+)", " ".join(texts))):
        raise ValueError("an exponent is out of range")


def examine(cells, value, laws):
    """The numbers of one value, as balls, and whether what is stored agrees with them."""
    refuse_huge(value)
    kind, at, found = value["quantity"], F(value["at"] or 0), {}
    stored = {name: [float(x) for x in text.split()] for name, text in value["stored"].items()}

    def error(name, share=F(1, 2000)):  # of the last decimal place that is shown
        return F(10) ** Decimal(value["found"][name][1]).as_tuple().exponent * share

    def digits(name, size):  # whether the last place is not much above what it is judged by
        return error(name, 1) <= 1000 * max(F(size), F(1, 10**40))

    def law(scale=1):
        return laws.setdefault(scale, Law(cells, F(scale)))

    def delta_at(name, eps, scale=1):
        found[f"delta_at_{name}"] = law(scale).delta(F(eps), error(f"delta_at_{name}"))
        return found[f"delta_at_{name}"]

    if kind in ("alpha", "beta"):  # P(T > at), or Q(T <= at) = P(T >= -at)
        half, h = law().total / 2, law().h
        start = (at + half) // h + 1 if kind == "alpha" else -((at - half) // h)
        found[kind] = law().upper(start, min(error(kind, F(1, 250)), F(stored["bound"][0]) / 4))
        holds = [abs(found[kind] - ball(sum(map(F, stored["value"])))) <= ball(stored["bound"][0])]
        holds.append(stored["bound"][0] < 1 and digits(kind, stored["bound"][0]))
    elif kind == "delta":
        (exact,), (log10,), (bound,) = stored["delta"], stored["log10_delta"], stored["relative_bound"]
        found[kind] = law().delta(at, error(kind))
        deep = not found[kind] > ball(F(1, 10**300))  # doubles lose digits there
        both = [(ball(log10) * arb(10).log()).exp(), *([] if deep else [ball(exact)])]
        holds = [
            bound < 1,
            exact >= 0,
            ball(exact) <= found[kind] * 2,
            *(abs(x / found[kind] - 1) <= ball(bound) for x in both),
        ]
    elif kind == "epsilon":
        (exact,), (low,), (high,) = stored["value"], stored["lower"], stored["upper"]
        holds = [0 <= low <= exact <= high, low == 0 or delta_at("lower", low) >= ball(at)]
        holds.append(high == math.inf or delta_at("upper", high) <= ball(at))
    elif kind == "reduction":
        (_, low, high), (_, least, most), eps = stored["scale"], stored["reduction"], stored["eps_zcdp"]
        rho = ball(law().total / 2)
        found["eps_zcdp"] = exact = rho + 2 * (rho * -ball(at).log()).sqrt()
        near = F(exact.mid().str(60, radius=False))
        holds = [arb(eps[1]) <= exact <= arb(eps[2]), 1 <= low <= high, F(least) <= 1 - 1 / F(low)]
        holds.append(digits("eps_zcdp", near / 10**20))
        holds.append(delta_at("scale_lower", near, low) <= ball(at))
        if high < math.inf:
            holds += [delta_at("scale_upper", near, high) >= ball(at), F(most) >= 1 - 1 / F(high)]
    elif kind == "sieve":  # nodes pi p / N of another rule, p odd: phi / (N sin(pi p / 2N)), half at N
        size, count = (int(value["stored"][name]) for name in ("nodes", "survivors_half"))
        out = max(error("pruned"), F(1, 10**60))
        listed = [p for p in nodes(cells, 2 * size, law().h, 1, float(out)) if p % 2 and 2 * count < size]
        weights = [law().transform(p, 0, 2 * size).real / arb.sin_pi_fmpq(fmpq(p, 2 * size)) for p in listed]
        weights = [weight / size / (1 + (p == size)) for p, weight in zip(listed, weights, strict=True)]
        rest = sum(sorted(weights, key=float, reverse=True)[count:], arb(0))
        found["pruned"] = rest.union(rest + 2 * ball(out)) if 2 * count < size else arb(0)  # none is left out
        (bound,) = stored["sieve_bound"]
        holds = [count >= 0, found["pruned"] <= ball(bound), bound < 1, digits("pruned", bound)]
    else:
        raise ValueError(f"no such quantity: {kind}")
    return found, all(holds)


def agrees(low, high, found):
    """Whether low .. high is the ball, rounded outward to the last decimal place that they show."""
    unit = F(10) ** Decimal(high).as_tuple().exponent
    low, high, slack = F(low), F(high), unit / 100
    if not ball(low - slack) <= found <= ball(high + slack):
        return False
    return high - low <= unit or (high - low == 2 * unit and abs(found - ball(low + unit)) < ball(2 * slack))


def check(job):
    """What is wrong with the values of one group."""
    path, group, values = job
    laws, wrong = {}, []
    for value in values:
        where = f"{group} {value['quantity']} {value['index']}"
        try:
            found, holds = examine(cells_of(Path(path), group), value, laws)
            if set(found) != set(value["found"]) or not holds or value["holds"] is not True:
                wrong.append(f"{where}: what is stored is not shown to hold")
            for name in set(found) & set(value["found"]):
                if not agrees(*value["found"][name], found[name]):
                    wrong.append(f"{where}: {name} is {found[name].str(25)}, not {value['found'][name]}")
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, YAMLError) as error:
            wrong.append(f"{where}: {type(error).__name__}: {error}")
        if wrong:
            break
    return wrong


def main(certificate_path, allocation_path):
    certificate, text = json.loads(Path(certificate_path).read_text()), Path(allocation_path).read_bytes()
    content = {key: item for key, item in certificate.items() if key != "digest"}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    values, verdict, groups, wrong = content["values"], content["verdict"], {}, []
    if hashlib.sha256(canonical.encode()).hexdigest() != certificate["digest"]:
        wrong.append("the digest is not that of the content")
    if hashlib.sha256(text).hexdigest() != content["allocation_sha256"] and b"\njoint:" not in text:
        wrong.append("the allocation file is another one")
    for value in values:
        if not value["out_of_reach"]:
            groups.setdefault(value["group"], []).append(value)
    found, distinct = (
        sum(map(len, groups.values())),
        {(v["group"], v["quantity"], v["index"]) for v in values},
    )
    outcome = "passed" if len(values) == found else "partly"
    names = ["values_checked", "values_hold", "values_out_of_reach", "fault_count", "passed", "outcome"]
    counts = [len(values), found, len(values) - found, 0, len(values) == found, outcome]
    if counts != [verdict[name] for name in names] or len(distinct) != content["sample"]["size"]:
        wrong.append("the verdict is not that every value within reach holds")
    if not wrong:
        with get_context("spawn").Pool() as pool:
            jobs = [(allocation_path, group, found) for group, found in groups.items()]
            for lines in pool.imap_unordered(check, jobs):
                wrong += lines
                if wrong:  # with other cells each number can take long
                    break
    reach = "all" if verdict["outcome"] == "passed" else f"PARTLY: {found} of the"
    passed = f"{reach} {len(values)} values found again; digest {certificate['digest']}"
    print("\n".join(wrong[:20]) or passed)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        sys.exit(f"no certificate or no allocation: {type(error).__name__}: {error}")
