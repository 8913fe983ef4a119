"""Reference implementations for the tests: slow, rigorous, and independent of the kernels under test.

Two unrelated methods are kept side by side, and the tests check them against each other: `convolution`
(integer polynomials, no Fourier step) and `arb_tail` (the certificate's sums in ball arithmetic). Nothing
here imports `workflow`, or of `kernels` anything but the certificate, which shares no code with the rest.
"""
