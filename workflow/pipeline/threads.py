"""One thread per rank: ranks are the parallelism, so libraries must not start threads of their own."""

import os

_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def limit_threads() -> None:
    """Tell BLAS, OpenMP and Numba to use one thread. To be called before numpy is imported."""
    os.environ.update(dict.fromkeys(_VARIABLES, "1"))
