"""Reference implementations for the tests: slow, rigorous, and independent of the package under test.

Nothing here imports `kernels` or `workflow`. Two unrelated methods are kept side by side: `arb_tail` (ball
arithmetic over the trapezoidal sum) and `convolution` (integer polynomials, no Fourier step); the tests check
them against each other.
"""
