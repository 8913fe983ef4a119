"""Measurements. Linear algebra on one thread, so that the CPU seconds of two methods can be compared."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
