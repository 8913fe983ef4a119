"""All compilation options in one place, and where compiled code is cached.

Numba notices an edit only in the file that holds a function, not in the helpers it calls. The cache folder
therefore carries a digest of every source of compiled code and of the compiler's version: any edit starts a
fresh folder, and an old one is never read by new code.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_COMPILED = ("numerics", "uldp/sampling")  # folders of kernels/ with compiled code


def _digest() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    kernels = Path(__file__).parents[2]
    for folder in _COMPILED:
        for source in sorted((kernels / folder).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path:
    """Folder of compiled code: under $EXACT_CENSUS_CACHE, else the user's cache, else a private temporary
    folder."""
    roots = []
    if os.environ.get("EXACT_CENSUS_CACHE"):
        roots.append(Path(os.environ["EXACT_CENSUS_CACHE"]))
    if os.environ.get("XDG_CACHE_HOME") or os.environ.get("HOME"):
        roots.append(
            Path(os.environ.get("XDG_CACHE_HOME") or Path(os.environ["HOME"], ".cache")) / "exact-census"
        )
    for root in roots:
        folder = root / _digest()
        if _writable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="exact-census-"))


numba.config.CACHE_DIR = str(cache_folder())


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel: strict IEEE arithmetic, no global lock held, compiled code cached."""
    return numba.njit(cache=True, fastmath=False, nogil=True, error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Any:
    """The same for a kernel that becomes a part of its callers: saves counting references to the arrays that
    are passed at every step of an inner loop."""
    return numba.njit(cache=True, fastmath=False, nogil=True, error_model="numpy", inline="always")(function)


@intrinsic
def fma(typing_context, x, y, z):
    """x * y + z with one rounding (IEEE 754 fusedMultiplyAdd)."""

    def generate(context, builder, signature, arguments):
        double = ir.DoubleType()
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(double, [double] * 3), "llvm.fma.f64"
        )
        return builder.call(function, arguments)

    return types.float64(types.float64, types.float64, types.float64), generate
