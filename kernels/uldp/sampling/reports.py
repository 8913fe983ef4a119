"""One client's report, and what the server reads from it.

A report is its class, the symbol it names (-1: none) and a message of a few whole numbers: the chosen subset,
or the number of a listed block, or the positions of set bits, or a hash function and a value.
"""

from __future__ import annotations

from math import log, log1p
from typing import Any

import numpy as np

from kernels.numerics.arithmetic.jit import inlined
from kernels.uldp.sampling.coder import BITS, FLIP, HASH, HIT, LIKELY, LISTED, NAMED, PAIRED, SUBSET
from kernels.uldp.sampling.streams import below, hashed, next_bits, uniform


@inlined
def draw(coder: Any, v: Any, x: Any, stream: Any, order: Any, place: Any, message: Any) -> Any:
    """A report of a client with symbol x: (class, named symbol or -1, length of the message).

    order, place: int64 [v], any permutation of the sensitive symbols and its inverse, which stay one (the
    next subset is drawn from wherever the last one left it). message: int64, room for max(v, 2) numbers.
    """
    chances, group = coder.chances, 0
    if chances.shape[0] > 1:
        u = uniform(stream)
        while group < chances.shape[0] - 1 and u >= chances[group, LIKELY]:
            group += 1
    named = -1
    if x >= v and uniform(stream) < chances[group, NAMED]:
        named = x
        if coder.kind != BITS:
            paired = chances[group, PAIRED]
            if paired == 0 or uniform(stream) >= paired:
                return group, named, 0
    hit = x < v and uniform(stream) < chances[group, HIT]
    if coder.kind == SUBSET:
        length = _draw_subset(coder.size[group], v, x, hit, stream, order, place, message)
    elif coder.kind == LISTED:
        message[0] = _draw_block(coder, group, v, x, hit, stream)
        length = 1
    elif coder.kind == BITS:
        length = _draw_bits(chances[group, FLIP], v, x, hit, stream, message)
    else:
        length = _draw_hash(coder.size[group], v, x, hit, stream, message)
    return group, named, length


@inlined
def supported(coder: Any, v: Any, message: Any, length: Any, support: Any) -> Any:
    """The server's reading of a message: the sensitive symbols it supports, in support[: the returned
    number]."""
    count = 0
    if length == 0:
        return count
    if coder.kind == LISTED:
        for i in range(coder.start[message[0]], coder.start[message[0] + 1]):
            support[count] = coder.items[i]
            count += 1
    elif coder.kind == HASH:
        for s in range(v):
            if hashed(message[0], s, coder.size[0]) == message[1]:
                support[count] = s
                count += 1
    else:
        for i in range(length):
            support[i] = message[i]
        count = length
    return count


@inlined
def _swap(order: Any, place: Any, i: Any, j: Any) -> None:
    order[i], order[j] = order[j], order[i]
    place[order[i]] = i
    place[order[j]] = j


@inlined
def _draw_subset(k: Any, v: Any, x: Any, hit: Any, stream: Any, order: Any, place: Any, message: Any) -> Any:
    """A uniform k-subset, of those that hold x (hit), that do not (x sensitive), or of all (x not
    sensitive)."""
    first, last = 0, v
    if x < v:
        if hit:
            _swap(order, place, 0, place[x])
            first = 1
        else:
            _swap(order, place, v - 1, place[x])
            last = v - 1
    for i in range(first, k):
        _swap(order, place, i, i + below(stream, last - i))
    for i in range(k):
        message[i] = order[i]
    return k


@inlined
def _draw_block(coder: Any, group: Any, v: Any, x: Any, hit: Any, stream: Any) -> Any:
    """A uniform block of the class, of those that hold x (hit), that do not, or of all (x not sensitive)."""
    rows = coder.size.size * v
    place = 2 * rows + group if x >= v else group * v + x + (0 if hit else rows)
    row = coder.blocks + place
    start = coder.start[row]
    return coder.items[start + below(stream, coder.start[row + 1] - start)]


@inlined
def _draw_bits(flip: Any, v: Any, x: Any, hit: Any, stream: Any, message: Any) -> Any:
    """The set bits: x's own when hit, every other with probability flip (by geometric steps from bit to
    bit)."""
    count = 0
    if hit:
        message[0] = x
        count = 1
    scale = log1p(-flip)
    bit = np.int64(-1)
    while True:
        steps = log(1.0 - uniform(stream)) / scale
        if steps >= v:
            break
        bit += 1 + np.int64(steps)
        if bit >= v:
            break
        if bit != x:
            message[count] = bit
            count += 1
    return count


@inlined
def _draw_hash(size: Any, v: Any, x: Any, hit: Any, stream: Any, message: Any) -> Any:
    """A random hash function, and x's hash value (hit), another one, or any (x not sensitive)."""
    seed = np.int64(next_bits(stream))
    own = hashed(seed, x, size) if x < v else -1
    if hit:
        value = own
    elif x < v:
        value = below(stream, size - 1)
        value += value >= own
    else:
        value = below(stream, size)
    message[0] = seed
    message[1] = value
    return 2
