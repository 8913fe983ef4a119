"""An allocation's budget as a CSV table, in the styles that such tables are published in.

Every number is exact: a decimal (or per cent) where that ends, else a fraction p/q.
"""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Literal, get_args

from kernels.accounting.census.allocation import Allocation

Style = Literal["rho", "shares", "percent", "long"]
STYLES: tuple[Style, ...] = get_args(Style)
TOTAL, QUERY, LEVEL, SHARE = "total rho", "query", "level", "level share"


def table_text(allocation: Allocation, style: Style) -> str:
    """The table as CSV.

    rho: queries x levels, each cell its rho. shares and percent: a row with each level's share of the total,
    and each query's share of its level. long: one row per level and query. A query that a level does not ask
    has an empty cell, or no row.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    rho, levels = allocation.rho, allocation.levels
    if style == "long":
        writer.writerow([LEVEL, QUERY, "rho"])
        writer.writerows(
            [level, query, _exact(rho[level][query])] for level in levels for query in rho[level]
        )
        return stream.getvalue()
    show = _percent if style == "percent" else _exact
    total = allocation.total_rho
    writer.writerow([TOTAL, _exact(total)])
    writer.writerow([QUERY, *levels])
    whole = {level: Fraction(1) for level in levels}
    if style != "rho":
        whole = {level: allocation.level_rho(level) for level in levels}
        writer.writerow([SHARE, *(show(whole[level] / total) for level in levels)])
    for query in dict.fromkeys(query for level in levels for query in rho[level]):
        writer.writerow(
            [
                query,
                *(show(rho[level][query] / whole[level]) if query in rho[level] else "" for level in levels),
            ]
        )
    return stream.getvalue()


def _exact(number: Fraction) -> str:
    """A decimal where it ends, else p/q."""
    rest, digits = number.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        digits = max(digits, power)
    if rest != 1:
        return str(number)
    whole = str(int(number * 10**digits)).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole


def _percent(number: Fraction) -> str:
    text = _exact(100 * number)
    return str(number) if "/" in text else f"{text} %"
