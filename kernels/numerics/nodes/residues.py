"""Exact integers of the surviving nodes: p and the centred residues w_c p modulo 2 N, in limbs of 30 bits.

Limb l of a number stands for limb * 2**(30 l); all limbs but the last lie in [0, 2**30), the last carries the
sign. N may be of any size; nothing is rounded until a kernel turns a residue into an angle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Self

import numpy as np

from kernels.numerics.arithmetic.jit import kernel
from kernels.numerics.arithmetic.triple import Triple, add, from_fraction, multiply
from kernels.numerics.nodes.lattice import LatticeError, NodeLattice

LIMB_BITS = 30
_MASK = 2**LIMB_BITS - 1


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes 0 < p <= N (the negative ones mirror them).

    p: int64[k, l]; residue: int64[k, d, l], centred residue of w_c p modulo 2 N for each of the d factors.
    """

    p: np.ndarray
    residue: np.ndarray

    def take(self, which: np.ndarray) -> Self:
        """The chosen nodes, in the given order: positions or a mask."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))


def limbs(number: int, length: int) -> np.ndarray:
    """The limbs of an integer, int64[length]."""
    result = np.empty(length, dtype=np.int64)
    for position in range(length - 1):
        result[position] = number & _MASK
        number >>= LIMB_BITS
    result[length - 1] = number
    return result


def limb_count(modulus: int) -> int:
    """Number of limbs for sums of products of residues modulo 2 N with 32-bit coefficients."""
    return (2 * modulus).bit_length() // LIMB_BITS + 1


@kernel
def _carry(v: np.ndarray) -> None:
    for position in range(v.shape[0] - 1):
        v[position + 1] += v[position] >> LIMB_BITS
        v[position] &= _MASK


@kernel
def to_float(v: np.ndarray) -> float:
    """The number as a double, relative error below 2**-51."""
    total = 0.0
    for position in range(v.shape[0] - 1, -1, -1):
        total = total * 2.0**LIMB_BITS + v[position]
    return total


@kernel
def to_triple(v: np.ndarray) -> Triple:
    """The number as a triple-double, relative error below 2**-149."""
    total = (0.0, 0.0, 0.0)
    for position in range(v.shape[0] - 1, -1, -1):
        total = add(multiply(total, (2.0**LIMB_BITS, 0.0, 0.0)), (float(v[position]), 0.0, 0.0))
    return total


@kernel
def _turns(p: np.ndarray, inverse: Triple) -> np.ndarray:
    result = np.empty((p.shape[0], 3))
    for i in range(p.shape[0]):
        result[i] = multiply(to_triple(p[i]), inverse)
    return result


def turns(p: np.ndarray, modulus: int) -> np.ndarray:
    """p / (4 N) of nodes as triples, [k, 3]."""
    return _turns(p, from_fraction(Fraction(1, 4 * modulus)))


@kernel
def _exceeds(v: np.ndarray, half: np.ndarray, sign: int) -> bool:
    """Whether sign * v > N (sign = 1) or sign * v >= N (sign = -1)."""
    carry = np.int64(0)
    zero = True
    for position in range(v.shape[0]):
        carry += sign * v[position] - half[position]
        if position < v.shape[0] - 1:
            zero = zero and (carry & _MASK) == 0
            carry >>= LIMB_BITS
    if carry == 0 and zero:
        return sign < 0
    return bool(carry >= 0)


@kernel
def _centre(v: np.ndarray, modulus: np.ndarray, half: np.ndarray, size: float) -> None:
    """Reduce v modulo 2 N into (-N, N]; size = 2 N as a double."""
    _carry(v)
    quotient = np.int64(np.rint(to_float(v) / size))
    v -= quotient * modulus
    _carry(v)
    if _exceeds(v, half, 1):
        v -= modulus
        _carry(v)
    elif _exceeds(v, half, -1):
        v += modulus
        _carry(v)


@kernel
def _resolve(
    points: np.ndarray,
    generator: np.ndarray,
    known: np.ndarray,
    nearest: np.ndarray,
    farthest: np.ndarray,
    modulus: np.ndarray,
    half: np.ndarray,
    size: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Residues of all columns (column 0 is p itself) and whether the node is canonical with nearest < p <=
    farthest.

    points: int32[k, g]; generator: int64[g, 1 + d, l]; known: bool[1 + d], columns that the point gives
    without reduction.
    """
    k, g = points.shape
    columns, length = generator.shape[1:]
    p = np.empty((k, length), dtype=np.int64)
    residue = np.empty((k, columns - 1, length), dtype=np.int64)
    keep = np.zeros(k, dtype=np.bool_)
    v = np.empty(length, dtype=np.int64)
    for i in range(k):
        good = True
        for c in range(columns):
            v[:] = 0
            for j in range(g):
                x = np.int64(points[i, j])
                if x != 0:
                    for position in range(length):
                        v[position] += x * generator[j, c, position]
            if not known[c]:
                _centre(v, modulus, half, size)
            else:
                _carry(v)
                if c == 0:
                    good = _exceeds(v, nearest, 1) and not _exceeds(v, farthest, 1)
                else:
                    good = not (_exceeds(v, half, 1) or _exceeds(v, half, -1))
            if not good:
                break
            if c == 0:
                p[i] = v
            else:
                residue[i, c - 1] = v
        keep[i] = good
    return p, residue, keep


def resolve(lattice: NodeLattice, weights: Sequence[int], points: np.ndarray, nearest: int = 0) -> Nodes:
    """The distinct nodes nearest < p <= lattice.farthest of enumerated points, with their residues for every
    weight.

    points: int32[k, d] as short_points gives them. Raises LatticeError when coefficients are too large for
    exact limbs.
    """
    if points.size and int(np.abs(points).max()) * (points.shape[1] + 1) >= 2**31:
        raise LatticeError("coefficients of the reduced lattice are too large")
    modulus = lattice.modulus
    length = limb_count(modulus)

    def centred(number: int) -> int:
        rest = number % (2 * modulus)
        return rest - 2 * modulus if rest > modulus else rest

    position = {c: at for at, c in enumerate(lattice.chosen, start=1)}
    generators = [
        [limbs(row[0], length)]
        + [
            limbs(row[position[c]] if c in position else centred(weight * row[0]), length)
            for c, weight in enumerate(weights)
        ]
        for row in lattice.basis
    ]
    p, residue, keep = _resolve(
        points,
        np.array(generators),
        np.array([True] + [c in position for c in range(len(weights))]),
        limbs(nearest, length),
        limbs(lattice.farthest, length),
        limbs(2 * modulus, length),
        limbs(modulus, length),
        float(2 * modulus),
    )
    return Nodes(p[keep], residue[keep])
