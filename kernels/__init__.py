"""Numerical kernels and accounting of exact-census."""

#: Enters every content key: raise it whenever a change can alter a stored result.
KERNEL_VERSION = "16"
