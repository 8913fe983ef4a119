"""Random streams from explicit 64-bit seeds: xoshiro256++ (Blackman and Vigna 2019), seeded by SplitMix64."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.numerics.arithmetic.jit import inlined

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_U1, _U11, _U17, _U23, _U27, _U30, _U31, _U32, _U45, _U64 = (
    np.uint64(n) for n in (1, 11, 17, 23, 27, 30, 31, 32, 45, 64)
)


@inlined
def mixed(bits: Any) -> Any:
    """The output function of SplitMix64: a bijection of 64 bits in which every output bit depends on all."""
    bits = (bits ^ (bits >> _U30)) * _MIX_1
    bits = (bits ^ (bits >> _U27)) * _MIX_2
    return bits ^ (bits >> _U31)


@inlined
def new_stream(seed: Any) -> Any:
    """The state, uint64 [4], of the stream of a 64-bit seed."""
    state = np.empty(4, dtype=np.uint64)
    for i in range(4):
        seed = seed + _GOLDEN
        state[i] = mixed(seed)
    return state


@inlined
def next_bits(stream: Any) -> Any:
    """The next 64 random bits, uint64."""
    total = stream[0] + stream[3]
    result = ((total << _U23) | (total >> (_U64 - _U23))) + stream[0]
    shifted = stream[1] << _U17
    stream[2] ^= stream[0]
    stream[3] ^= stream[1]
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= shifted
    stream[3] = (stream[3] << _U45) | (stream[3] >> (_U64 - _U45))
    return result


@inlined
def uniform(stream: Any) -> Any:
    """A double in [0, 1), a multiple of 2^-53."""
    return np.float64(next_bits(stream) >> _U11) * 1.1102230246251565e-16


@inlined
def below(stream: Any, count: Any) -> Any:
    """A whole number in 0 .. count-1, exactly uniform; count < 2^32 (Lemire 2019)."""
    wide = np.uint64(count)
    product = (next_bits(stream) >> _U32) * wide
    if (product & _LOW) < wide:
        least = ((_LOW - wide) + _U1) % wide
        while (product & _LOW) < least:
            product = (next_bits(stream) >> _U32) * wide
    return np.int64(product >> _U32)


@inlined
def hashed(seed: Any, symbol: Any, count: Any) -> Any:
    """The value in 0 .. count-1 that hash function `seed` (any 64 bits) gives to a symbol."""
    bits = mixed(np.uint64(seed) + (np.uint64(symbol) + _U1) * _GOLDEN)
    return np.int64(((bits >> _U32) * np.uint64(count)) >> _U32)
