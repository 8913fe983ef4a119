"""Reports of given clients, kept one by one, and the server's counts of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.numerics.arithmetic.jit import kernel
from kernels.uldp.sampling.coder import Coder
from kernels.uldp.sampling.reports import draw, supported
from kernels.uldp.sampling.server import Tally, count_report, new_tally
from kernels.uldp.sampling.streams import new_stream

Integers = NDArray[np.int64]


class Reports(NamedTuple):
    """n reports: class [n], named symbol or -1 [n], and message i in messages[start[i] : start[i+1]]."""

    groups: Integers
    named: Integers
    start: Integers
    messages: Integers


def encode(coder: Coder, sensitive: int, symbols: Integers, seed: int) -> Reports:
    """The reports of clients with these symbols [n], all drawn from the stream of one seed, 0 <= seed < 2^64.

    Clients that report from machines of their own call this with one symbol and a seed of their own each.
    """
    return Reports(*_encode(coder, sensitive, np.asarray(symbols, dtype=np.int64), np.uint64(seed)))


def tally(coder: Coder, symbols: int, sensitive: int, reports: Reports) -> Tally:
    """The server's counts of reports about w = `symbols` symbols."""
    counts: Tally = _tally(coder, symbols, sensitive, reports)
    return counts


@kernel
def _encode(coder: Any, v: Any, symbols: Any, seed: Any) -> Any:
    n = symbols.size
    stream = new_stream(np.uint64(seed))
    order, place = np.arange(v), np.arange(v)
    message = np.empty(max(v, 2), dtype=np.int64)
    groups, named = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    start = np.zeros(n + 1, dtype=np.int64)
    messages = np.empty(4 * n + message.size, dtype=np.int64)
    for i in range(n):
        groups[i], named[i], length = draw(coder, v, symbols[i], stream, order, place, message)
        start[i + 1] = start[i] + length
        if start[i + 1] > messages.size:
            longer = np.empty(2 * messages.size, dtype=np.int64)
            longer[: start[i]] = messages[: start[i]]
            messages = longer
        messages[start[i] : start[i + 1]] = message[:length]
    return groups, named, start, messages[: start[n]].copy()


@kernel
def _tally(coder: Any, w: Any, v: Any, reports: Any) -> Any:
    counts = new_tally(coder.size.size, w, v)
    support = np.empty(v, dtype=np.int64)
    for i in range(reports.groups.size):
        message = reports.messages[reports.start[i] : reports.start[i + 1]]
        length = supported(coder, v, message, message.size, support)
        count_report(counts, v, reports.groups[i], reports.named[i], support, length)
    return counts
